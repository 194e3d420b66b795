public import Errors
public import OverlayDrawing
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
