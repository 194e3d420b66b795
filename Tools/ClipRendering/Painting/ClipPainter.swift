public import Errors
public import OverlayDrawing
import Painting
import TextSpotting

/// Draws the frames of a scene.
///
/// Backgrounds are drawn once, texts are measured once, and a frame that looks like the one before is not drawn again.
/// Not `Sendable`: one task uses it at a time. Frames may be drawn in any order and more than once.
public final class ClipPainter {
    public let scene: ClipScene

    private let canvas: Canvas
    private let backdrop: Backdrop
    private let grain: Texture?
    private let measured: [MeasuredText]
    private var last: (state: FrameState, bgra: [UInt8])?

    /// Everything that decides a frame's pixels.
    private struct FrameState: Hashable {
        var offset: Point
        var grain: Point?
        var texts: [TextInFrame]
    }

    private static let grainSide = 256

    /// - Throws: `FramegrepError` (`outputFailed`) for a picture or a wall that is too large to draw.
    public init(_ scene: ClipScene) throws(FramegrepError) {
        self.scene = scene
        let canvas = try Canvas(width: scene.width, height: scene.height)
        self.canvas = canvas
        backdrop = try Backdrop(scene)
        grain =
            scene.noise > 0
            ? try Texture.grain(side: Self.grainSide, amplitude: scene.noise, seed: scene.seed) : nil
        measured = scene.texts.map { MeasuredText($0, by: canvas) }
    }

    /// The pixels of frame `index` (0 is the first): blue, green, red and 255, rows from the top, no padding.
    /// - Throws: `FramegrepError` (`outputFailed`) when Cairo cannot make a surface.
    public func bgra(ofFrame index: Int) throws(FramegrepError) -> [UInt8] {
        let state = FrameState(
            offset: backdrop.offset(atSecond: scene.seconds(index)), grain: grain.map { _ in grainOffset(index) },
            texts: scene.textsInFrame(index))
        if let last, last.state == state { return last.bgra }
        try draw(state)
        let bgra = canvas.bgra
        last = (state, bgra)
        return bgra
    }

    /// Frame `index` as a picture of its own.
    /// - Throws: As ``bgra(ofFrame:)``.
    public func picture(ofFrame index: Int) throws(FramegrepError) -> Canvas {
        try Canvas(bgra: bgra(ofFrame: index), width: scene.width, height: scene.height)
    }

    private func draw(_ state: FrameState) throws(FramegrepError) {
        backdrop.paint(on: canvas, offset: state.offset)
        for text in state.texts { draw(text) }
        try canvas.blur(sigma: scene.blur)
        if let grain, let offset = state.grain { canvas.fill(grain, offset: offset) }
    }

    private func draw(_ state: TextInFrame) {
        let text = scene.texts[state.index]
        let measured = measured[state.index]
        if let plate = text.plate, let ink = measured.ink?.bounds {
            canvas.fill(
                Quad(plate.area(around: ink)).mapped(state.placement.apply), plate.color.faded(to: state.opacity),
                cornerRadius: plate.cornerRadius)
        }
        if let segments = measured.segments {
            for bar in segments.bars {
                canvas.fill(Quad(bar).mapped(state.placement.apply), text.color.faded(to: state.opacity))
            }
            return
        }
        if case .rolling(let next, _, let window) = text.display, state.rolled > 0 {
            return drawDrum(text, turningTo: next, state, window)
        }
        draw(String(text.text.prefix(state.shown)), of: text, state, at: state.placement.after(measured.centering))
    }

    private func draw(_ string: String, of text: ClipText, _ state: TextInFrame, at placement: Affine) {
        canvas.draw(
            CanvasText(
                string, font: text.font, size: text.size, color: text.color.faded(to: state.opacity), anchor: .baseline),
            at: placement)
    }

    /// The digits that change move up, and the next ones come from below.
    private func drawDrum(_ text: ClipText, turningTo next: String, _ state: TextInFrame, _ window: OverlayColor) {
        let kept = zip(text.text, next).prefix { $0 == $1 }.count
        let pair = canvas.measure(CanvasText("00", font: text.font, size: text.size, anchor: .baseline))
        let place = state.placement.apply(Point(0, 0))
        guard let first = pair.ink(ofCharacters: 0..<1)?.bounds, let second = pair.ink(ofCharacters: 1..<2)?.bounds
        else {
            return
        }
        let x = place.x + Double(kept) * (second.minX - first.minX)
        let turn = 0.95 * text.size
        draw(String(text.text.dropFirst(kept)), of: text, state, at: .move(to: Point(x, place.y - state.rolled * turn)))
        draw(
            String(next.dropFirst(kept)), of: text, state, at: .move(to: Point(x, place.y + (1 - state.rolled) * turn)))
        let width = Double(text.text.count - kept) * (second.minX - first.minX) + 4
        canvas.fill(Rect(x: x - 2, y: place.y - 0.8 * text.size - turn, width: width, height: turn), window)
        canvas.fill(Rect(x: x - 2, y: place.y + 0.07 * text.size, width: width, height: turn), window)
        draw(String(text.text.prefix(kept)), of: text, state, at: state.placement)
    }

    /// A frame's own part of the grain, whole pixels so that it stays sharp.
    private func grainOffset(_ index: Int) -> Point {
        var generator = SeededGenerator(seed: scene.seed &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9)
        let side = Double(Self.grainSide)
        return Point((generator.nextFraction() * side).rounded(.down), (generator.nextFraction() * side).rounded(.down))
    }
}

/// One text as one frame shows it. Equal values draw the same pixels.
struct TextInFrame: Hashable {
    /// Which of the scene's texts.
    var index: Int
    /// How many characters of it are drawn.
    var shown: Int
    /// Above 0, up to 1.
    var opacity: Double
    /// Where the text's center is.
    var placement: Affine
    /// How far a drum has turned to the next text, 0 to 1.
    var rolled = 0.0
}

extension ClipScene {
    /// The texts that frame `frame` draws; hidden texts are left out.
    func textsInFrame(_ frame: Int) -> [TextInFrame] {
        texts.indices.compactMap { index in
            let text = texts[index]
            let frames = text.frames ?? 0..<frameCount
            guard frames.contains(frame) else { return nil }
            let (shown, opacity) = text.appearance.state(
                ofFrame: frame - frames.lowerBound, of: frames.count, frameRate: frameRate, characters: text.text.count)
            guard shown > 0, opacity > 0 else { return nil }
            return TextInFrame(
                index: index, shown: shown, opacity: opacity,
                placement: text.motion.placement(atSecond: seconds(frame)),
                rolled: text.display.rolled(inFrame: frame - frames.lowerBound, of: frames.count))
        }
    }

    func seconds(_ frame: Int) -> Double { Double(frame) / Double(frameRate) }
}

/// A text measured once: where its ink is around its center.
struct MeasuredText {
    /// From the baseline's left end to coordinates around the text's anchor.
    let centering: Affine
    private let drawn: DrawnText
    private let count: Int
    /// Where it is shown by segments.
    let segments: SegmentText?

    init(_ text: ClipText, by canvas: Canvas) {
        drawn = canvas.measure(CanvasText(text.text, font: text.font, size: text.size, anchor: text.anchor))
        segments = text.display == .segments ? SegmentText(text.text, size: text.size) : nil
        centering = segments == nil ? drawn.placement : .identity
        count = text.text.count
    }

    /// The ink of the whole text, around its center; nil for one without ink.
    var ink: Quad? { segments.map { $0.ink.map { Quad($0) } } ?? drawn.ink }

    /// The ink that `state` shows, in pixels of the picture, whether inside it or not.
    func ink(_ state: TextInFrame) -> Quad? {
        if segments != nil { return ink?.mapped(state.placement.apply) }
        return drawn.ink(ofCharacters: 0..<min(count, state.shown))?.mapped(state.placement.apply)
    }

    /// The area of the text's plate in the picture; nil without one. Plates that turn are taken as upright.
    func plate(_ text: ClipText, _ state: TextInFrame) -> Rect? {
        guard let plate = text.plate, let ink = ink?.bounds else { return nil }
        return plate.area(around: ink).mapped(state.placement)
    }
}

extension ClipPlate {
    /// The area of the plate, around the ink of its text.
    func area(around ink: Rect) -> Rect {
        Rect(
            x: ink.x - padding.x, y: ink.y - padding.y, width: ink.width + 2 * padding.x,
            height: ink.height + 2 * padding.y)
    }
}

extension Rect {
    fileprivate func mapped(_ placement: Affine) -> Rect { Quad(self).mapped(placement.apply).bounds }
}

/// The bars of a text on a seven-segment display, around the left end of its baseline.
struct SegmentText: Hashable {
    private(set) var bars: [Rect] = []
    /// The bounds of all lit bars; nil if none is lit.
    private(set) var ink: Rect?

    init(_ text: String, size: Double) {
        let (width, thick, gap) = (0.55 * size, 0.12 * size, 0.17 * size)
        var x = 0.0
        for character in text {
            switch character {
            case ".":
                bars.append(Rect(x: x - gap + 0.02 * size, y: -thick, width: thick, height: thick))
            case ":", " ":
                if character == ":" {
                    for y in [-0.68, -0.32] {
                        bars.append(Rect(x: x, y: y * size - thick / 2, width: thick, height: thick))
                    }
                }
                x += thick + gap
            default:
                for segment in Self.segments[character] ?? "" {
                    bars.append(Self.bar(segment, size: size, width: width, thick: thick).moved(by: Point(x, 0)))
                }
                x += width + gap
            }
        }
        ink = bars.first.map { bars.dropFirst().reduce($0) { $0.union($1) } }
    }

    private static let segments: [Character: String] = [
        "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "5": "afgcd", "6": "afgedc", "7": "abc",
        "8": "abcdefg",
        "9": "abcdfg", "-": "g",
    ]

    /// Named as everywhere: a is on top, then clockwise, g in the middle.
    private static func bar(_ name: Character, size: Double, width: Double, thick: Double) -> Rect {
        let space = 0.15 * thick
        let long = (size - thick) / 2 - thick / 2 - 2 * space
        let (upper, lower) = (-size + thick + space, -size / 2 + thick / 2 + space)
        return switch name {
        case "a": Rect(x: thick / 2, y: -size, width: width - thick, height: thick)
        case "g": Rect(x: thick / 2, y: -size / 2 - thick / 2, width: width - thick, height: thick)
        case "d": Rect(x: thick / 2, y: -thick, width: width - thick, height: thick)
        case "f": Rect(x: 0, y: upper, width: thick, height: long)
        case "b": Rect(x: width - thick, y: upper, width: thick, height: long)
        case "e": Rect(x: 0, y: lower, width: thick, height: long)
        default: Rect(x: width - thick, y: lower, width: thick, height: long)
        }
    }
}

/// A scene's background, drawn once and painted on each frame.
enum Backdrop {
    case flat(OverlayColor)
    case still(Canvas)
    case texture(Texture, velocity: Point)
    case wall(Canvas, color: OverlayColor, velocity: Point)

    init(_ scene: ClipScene) throws(FramegrepError) {
        switch scene.background {
        case .flat(let color):
            self = .flat(color)
        case .gradient(let first, let last):
            let canvas = try Canvas(width: scene.width, height: scene.height)
            let corner = Point(Double(scene.width), Double(scene.height))
            canvas.fillGradient(scene.bounds, from: Point(0, 0), first, to: corner, last)
            self = .still(canvas)
        case .texture(let look):
            let texture = try Texture.clouds(
                side: look.side, from: look.dark, to: look.bright, roughness: look.roughness, seed: scene.seed)
            guard look.velocity == Point(0, 0) else {
                self = .texture(texture, velocity: look.velocity)
                return
            }
            let canvas = try Canvas(width: scene.width, height: scene.height)
            canvas.fill(texture)
            self = .still(canvas)
        case .wall(let wall):
            let canvas = try Canvas(width: wall.width, height: wall.height, color: wall.color)
            for shape in wall.shapes { canvas.fill(shape.rect, shape.color, cornerRadius: shape.cornerRadius) }
            self = .wall(canvas, color: wall.color, velocity: wall.velocity)
        }
    }

    /// How far it has moved, in pixels.
    func offset(atSecond seconds: Double) -> Point {
        switch self {
        case .flat, .still: Point(0, 0)
        case .texture(_, let velocity), .wall(_, _, let velocity): velocity * seconds
        }
    }

    /// Covers all of `canvas`.
    func paint(on canvas: Canvas, offset: Point) {
        switch self {
        case .flat(let color):
            canvas.fill(color)
        case .still(let picture):
            canvas.draw(picture, in: Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)))
        case .texture(let texture, _):
            canvas.fill(texture, offset: offset)
        case .wall(let picture, let color, _):
            canvas.fill(color)
            canvas.draw(
                picture,
                in: Rect(x: offset.x, y: offset.y, width: Double(picture.width), height: Double(picture.height)))
        }
    }
}
