import OverlayDrawing
import TextSpotting

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
