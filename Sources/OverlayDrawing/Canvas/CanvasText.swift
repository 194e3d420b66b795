public import TextSpotting

/// A line of text to be drawn on a ``Canvas``.
public struct CanvasText: Hashable, Sendable {
    /// Which point of the text is its origin, the one that a placement moves about.
    public enum Anchor: Sendable {
        /// The left end of the baseline.
        case baseline
        /// The top-left corner of the ink.
        case topLeft
        /// The center of the ink.
        case center
    }

    /// One line: line breaks in it are drawn as symbols.
    public var text: String
    public var font: FontFace
    /// Pixels an em, before the placement scales it; 1 to 4096.
    public var size: Double
    public var color: OverlayColor
    public var anchor: Anchor

    public init(
        _ text: String, font: FontFace = .sans, size: Double, color: OverlayColor = .black, anchor: Anchor = .topLeft
    ) {
        self.text = text
        self.font = font
        self.size = size
        self.color = color
        self.anchor = anchor
    }
}

/// Where the ink of a drawn text stands, exactly: from the fonts' own outlines, not from the pixels.
public struct DrawnText: Hashable, Sendable {
    public let text: String
    /// From the text's own coordinates to the picture's pixels.
    public let placement: Affine
    /// The ink of each character in the text's own coordinates; nil for a space.
    let characterInk: [Rect?]

    init(text: String, placement: Affine, characterInk: [Rect?]) {
        self.text = text
        self.placement = placement
        self.characterInk = characterInk
    }

    /// The ink of the whole text; nil if nothing was drawn.
    public var ink: Quad? { ink(ofCharacters: 0..<characterInk.count) }

    /// The ink of the characters at these offsets, in pixels of the picture; nil if they have none.
    public func ink(ofCharacters range: Range<Int>) -> Quad? {
        let inside = range.clamped(to: 0..<characterInk.count)
        let rect = characterInk[inside].compactMap { $0 }.reduce(nil as Rect?) { $0?.union($1) ?? $1 }
        return rect.map { Quad($0).mapped(placement.apply) }
    }

    /// The words and their ink, in the order of the text.
    public var words: [(text: String, ink: Quad)] {
        var result: [(text: String, ink: Quad)] = []
        let characters = Array(text)
        var start = 0
        for index in 0...characters.count where index == characters.count || characters[index].isWhitespace {
            if start < index, let ink = ink(ofCharacters: start..<index) {
                result.append((String(characters[start..<index]), ink))
            }
            start = index + 1
        }
        return result
    }

    /// The ink of the first place where `part` stands in the text; nil if it does not.
    public func ink(of part: String) -> Quad? {
        let characters = Array(text)
        let wanted = Array(part)
        guard !wanted.isEmpty, wanted.count <= characters.count else { return nil }
        let start = (0...characters.count - wanted.count).first {
            characters[$0..<$0 + wanted.count].elementsEqual(wanted)
        }
        return start.flatMap { ink(ofCharacters: $0..<$0 + wanted.count) }
    }
}
