import CCairo
import Glibc
public import OverlayDrawing
public import TextSpotting

/// A line of text to be drawn on a ``Canvas``.
public struct CanvasText: Hashable, Sendable {
    /// Which point of the text is its origin: a placement turns and moves the text about it.
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

/// A placement: turns, scales, shears and moves. A place (x, y) becomes (a·x + c·y + tx, b·x + d·y + ty), in pixels.
public struct Affine: Hashable, Sendable {
    public var a: Double
    public var b: Double
    public var c: Double
    public var d: Double
    public var tx: Double
    public var ty: Double

    public static let identity = Affine(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// Moves the origin to `place`.
    public static func move(to place: Point) -> Affine {
        Affine(a: 1, b: 0, c: 0, d: 1, tx: place.x, ty: place.y)
    }

    /// Scales by `scale` and turns clockwise (y points down) by `degrees` about the origin, then moves it to `place`.
    public static func place(_ place: Point, scale: Double = 1, degrees: Double = 0) -> Affine {
        let (sine, cosine) = Self.sineAndCosine(degrees: degrees)
        return Affine(
            a: scale * cosine, b: scale * sine, c: -scale * sine, d: scale * cosine, tx: place.x, ty: place.y)
    }

    public func apply(_ point: Point) -> Point {
        Point(a * point.x + c * point.y + tx, b * point.x + d * point.y + ty)
    }

    /// This placement, applied after `first`.
    public func after(_ first: Affine) -> Affine {
        let origin = apply(Point(first.tx, first.ty))
        return Affine(
            a: a * first.a + c * first.b, b: b * first.a + d * first.b, c: a * first.c + c * first.d,
            d: b * first.c + d * first.d, tx: origin.x, ty: origin.y)
    }
}

extension Affine {
    /// Exact at the quarter turns.
    static func sineAndCosine(degrees: Double) -> (Double, Double) {
        switch degrees.truncatingRemainder(dividingBy: 360) {
        case 0: return (0, 1)
        case 90, -270: return (1, 0)
        case 180, -180: return (0, -1)
        case 270, -90: return (-1, 0)
        case let angle:
            let radians = angle * .pi / 180
            return (sin(radians), cos(radians))
        }
    }
}

extension TextLayout {
    /// Adds the letters' outlines to the context's path, from the context's current point.
    func addPath(to context: OpaquePointer) {
        pango_cairo_layout_line_path(context, pango_layout_get_line_readonly(layout, 0))
    }

    /// The ink of each character, in the layout's coordinates; nil for those without any (spaces, and those drawn by a
    /// ligature with the character before).
    func characterInk() -> [Rect?] {
        var byteInk: [Int: Rect] = [:]
        var pen: Int32 = 0
        var node = pango_layout_get_line_readonly(layout, 0)?.pointee.runs
        while let run = node {
            node = run.pointee.next
            guard let glyphItem = run.pointee.data?.assumingMemoryBound(to: PangoGlyphItem.self).pointee,
                let item = glyphItem.item, let glyphs = glyphItem.glyphs
            else { continue }
            for index in 0..<Int(glyphs.pointee.num_glyphs) {
                let glyph = glyphs.pointee.glyphs[index]
                var ink = PangoRectangle()
                pango_font_get_glyph_extents(item.pointee.analysis.font, glyph.glyph, &ink, nil)
                if ink.width > 0, ink.height > 0 {
                    let rect = Rect(
                        x: pixels(pen + glyph.geometry.x_offset + ink.x),
                        y: pixels(glyph.geometry.y_offset + ink.y - glyphItem.y_offset),
                        width: pixels(ink.width), height: pixels(ink.height))
                    let byte = Int(item.pointee.offset + glyphs.pointee.log_clusters[index])
                    byteInk[byte] = byteInk[byte]?.union(rect) ?? rect
                }
                pen += glyph.geometry.width
            }
        }
        var offset = 0
        return text.map { character in
            let range = offset..<offset + character.utf8.count
            offset = range.upperBound
            return range.compactMap { byteInk[$0] }.reduce(nil as Rect?) { $0?.union($1) ?? $1 }
        }
    }
}

extension FontFace {
    public static let sansBold = FontFace("DejaVu Sans,sans-serif", weight: 700)
    public static let serif = FontFace("DejaVu Serif,serif")
    public static let mono = FontFace("DejaVu Sans Mono,monospace")
}
