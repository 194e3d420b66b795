import CCairo
public import Errors
import Glibc
public import TextSpotting

/// A picture to draw on, for making pictures whose text and places are known.
///
/// Drawing the same things in the same order gives the same bytes on the same system (the fonts and libraries decide
/// the last bit). Not `Sendable`: one task uses it at a time; it may move between threads.
public final class Canvas {
    public let width: Int
    public let height: Int
    let drawing: Drawing
    private let shaper: TextShaper

    /// A canvas filled with `color`, pixels `width`×`height`.
    /// - Throws: `FramegrepError` (`outputFailed`) for sizes that cannot be drawn (over 32767 on a side).
    public init(width: Int, height: Int, color: OverlayColor = .white) throws(FramegrepError) {
        self.width = width
        self.height = height
        drawing = try Drawing(width: width, height: height)
        shaper = TextShaper()
        fill(color)
    }

    init(takingOwnershipOf drawing: Drawing) {
        width = drawing.width
        height = drawing.height
        self.drawing = drawing
        shaper = TextShaper()
    }

    // MARK: Filling

    /// Paints everything.
    public func fill(_ color: OverlayColor) {
        drawing.setSource(color)
        cairo_paint(drawing.context)
    }

    /// Paints a rectangle, its corners rounded by `cornerRadius` pixels.
    public func fill(_ rect: Rect, _ color: OverlayColor, cornerRadius: Double = 0) {
        fill(Quad(rect), color, cornerRadius: cornerRadius)
    }

    /// Paints a quad, its corners rounded by `cornerRadius` pixels.
    public func fill(_ quad: Quad, _ color: OverlayColor, cornerRadius: Double = 0) {
        OutlinePath(quad: quad, cornerRadius: cornerRadius).add(to: drawing.context)
        drawing.setSource(color)
        cairo_fill(drawing.context)
    }

    /// Draws a quad's sides, `thickness` pixels wide.
    public func stroke(_ quad: Quad, _ color: OverlayColor, thickness: Double, cornerRadius: Double = 0) {
        OutlinePath(quad: quad, cornerRadius: cornerRadius).add(to: drawing.context)
        drawing.setSource(color)
        cairo_set_line_width(drawing.context, thickness)
        cairo_stroke(drawing.context)
    }

    /// Paints `rect` with colors that change evenly along the line from `start` to `end`.
    public func fillGradient(
        _ rect: Rect, from start: Point, _ first: OverlayColor, to end: Point, _ last: OverlayColor
    ) {
        let gradient = cairo_pattern_create_linear(start.x, start.y, end.x, end.y)
        defer { cairo_pattern_destroy(gradient) }
        cairo_pattern_add_color_stop_rgba(gradient, 0, first.red, first.green, first.blue, first.alpha)
        cairo_pattern_add_color_stop_rgba(gradient, 1, last.red, last.green, last.blue, last.alpha)
        cairo_set_source(drawing.context, gradient)
        cairo_rectangle(drawing.context, rect.x, rect.y, rect.width, rect.height)
        cairo_fill(drawing.context)
    }

    // MARK: Text

    /// Draws `text` so that its anchor comes to the placement's origin, and tells where its ink is.
    ///
    /// The letters are drawn as outlines, at their exact places between pixels, turned and scaled by `placement`.
    @discardableResult
    public func draw(_ text: CanvasText, at placement: Affine) -> DrawnText {
        let layout = shaper.layout(text.text, font: text.font, size: text.size)
        let (ink, placement) = place(layout, text, placement)
        let context = drawing.context
        cairo_save(context)
        var matrix = cairo_matrix_t(
            xx: placement.a, yx: placement.b, xy: placement.c, yy: placement.d, x0: placement.tx, y0: placement.ty)
        cairo_transform(context, &matrix)
        cairo_new_path(context)
        cairo_move_to(context, 0, 0)
        layout.addPath(to: context)
        cairo_restore(context)
        drawing.setSource(text.color)
        cairo_fill(context)
        return DrawnText(text: text.text, placement: placement, characterInk: ink)
    }

    /// Where ``draw(_:at:)`` would put the ink, without drawing.
    public func measure(_ text: CanvasText, at placement: Affine = .identity) -> DrawnText {
        let layout = shaper.layout(text.text, font: text.font, size: text.size)
        let (ink, placement) = place(layout, text, placement)
        return DrawnText(text: text.text, placement: placement, characterInk: ink)
    }

    private func place(
        _ layout: borrowing TextLayout, _ text: CanvasText, _ placement: Affine
    ) -> (ink: [Rect?], placement: Affine) {
        let ink = layout.characterInk()
        let whole = ink.compactMap { $0 }.reduce(nil as Rect?) { $0?.union($1) ?? $1 }
        guard let whole else { return (ink, placement) }
        switch text.anchor {
        case .baseline: return (ink, placement)
        case .topLeft: return (ink, placement.after(.move(to: Point(-whole.minX, -whole.minY))))
        case .center: return (ink, placement.after(.move(to: whole.center * -1)))
        }
    }

    // MARK: Pictures

    /// Blends patches over the picture, as a player does with an overlay.
    public func draw(_ patches: [OverlayPatch]) throws(FramegrepError) {
        for patch in patches {
            let piece = try Drawing(width: patch.width, height: patch.height)
            piece.copy(bgra: patch.bgra)
            drawing.paint(piece, x: Double(patch.x), y: Double(patch.y))
        }
    }

    /// Blends `other` into `rect`, smoothly scaled to it.
    public func draw(_ other: Canvas, in rect: Rect) {
        let context = drawing.context
        cairo_save(context)
        cairo_translate(context, rect.x, rect.y)
        cairo_scale(context, rect.width / Double(other.width), rect.height / Double(other.height))
        other.drawing.withSurface { cairo_set_source_surface(context, $0, 0, 0) }
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_rectangle(context, 0, 0, Double(other.width), Double(other.height))
        cairo_fill(context)
        cairo_restore(context)
    }
}

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

extension Canvas {
    /// Blurs the whole canvas as a lens out of focus does, with a Gaussian of `sigma` pixels.
    ///
    /// Shifted copies are averaged by painting each over the ones before, weighted so that their sum is the Gaussian.
    public func blur(sigma: Double) throws(FramegrepError) {
        guard sigma > 0.2 else { return }
        let between = try Drawing(width: width, height: height)
        Self.smear(from: drawing, to: between, sigma: sigma, direction: Point(1, 0))
        Self.smear(from: between, to: drawing, sigma: sigma, direction: Point(0, 1))
    }

    private static func smear(from source: Drawing, to target: Drawing, sigma: Double, direction: Point) {
        let reach = min(64, Int((sigma * 2.5).rounded(.up)))
        let context = target.context
        var total = 0.0
        // From the outside in: late layers weigh most and lose least to rounding.
        let steps = (0...reach).reversed().flatMap { $0 == 0 ? [0] : [$0, -$0] }
        for step in steps {
            let weight = exp(-Double(step * step) / (2 * sigma * sigma))
            total += weight
            source.withSurface {
                cairo_set_source_surface(context, $0, direction.x * Double(step), direction.y * Double(step))
            }
            // Beyond the edge the edge's pixels go on.
            cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
            cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST)
            cairo_paint_with_alpha(context, weight / total)
        }
    }
}

extension Canvas {
    /// Four bytes a pixel: blue, green, red and alpha (255 on an opaque canvas), rows from the top, tightly packed.
    public var bgra: [UInt8] { drawing.bgra }

    /// The picture for a recognizer. Brightness is (77·R + 150·G + 29·B) / 256, the weights of ITU-R BT.601.
    public func picture(_ format: Picture.Format) -> Picture {
        let bytes = drawing.withPixels { pixels, stride in
            [UInt8](unsafeUninitializedCapacity: width * height * format.bytesPerPixel) { bytes, count in
                var next = 0
                for y in 0..<height {
                    for pixel in Swift.stride(from: y * stride, to: y * stride + width * 4, by: 4) {
                        let (blue, green, red) = (pixels[pixel], pixels[pixel + 1], pixels[pixel + 2])
                        switch format {
                        case .luma:
                            let sum = 77 * UInt32(red) + 150 * UInt32(green) + 29 * UInt32(blue)
                            bytes[next] = UInt8(truncatingIfNeeded: sum >> 8)
                            next += 1
                        case .rgb:
                            bytes[next] = red
                            bytes[next + 1] = green
                            bytes[next + 2] = blue
                            next += 3
                        }
                    }
                }
                count = next
            }
        }
        return Picture(format: format, width: width, height: height, bytes: bytes)
    }

    /// A canvas that shows `picture`.
    /// - Throws: As ``init(width:height:color:)``.
    public convenience init(_ picture: Picture) throws(FramegrepError) {
        let drawing = try Drawing(width: picture.width, height: picture.height)
        var bgra = [UInt8](repeating: 255, count: picture.width * picture.height * 4)
        let step = picture.format.bytesPerPixel
        for pixel in 0..<picture.width * picture.height {
            let source = pixel * step
            bgra[pixel * 4 + 2] = picture.bytes[source]
            bgra[pixel * 4 + 1] = picture.bytes[step == 3 ? source + 1 : source]
            bgra[pixel * 4] = picture.bytes[step == 3 ? source + 2 : source]
        }
        drawing.copy(bgra: bgra)
        self.init(takingOwnershipOf: drawing)
    }

    /// A canvas that shows premultiplied BGRA bytes, tightly packed.
    /// - Precondition: `bgra` has exactly `width * height * 4` elements.
    /// - Throws: As ``init(width:height:color:)``.
    public convenience init(bgra: [UInt8], width: Int, height: Int) throws(FramegrepError) {
        precondition(bgra.count == width * height * 4, "a picture's bytes must fill it")
        let drawing = try Drawing(width: width, height: height)
        drawing.copy(bgra: bgra)
        self.init(takingOwnershipOf: drawing)
    }
}

extension Drawing {
    /// Replaces the pixels by tightly packed ones.
    func copy(bgra: [UInt8]) {
        let row = width * 4
        withPixels { pixels, stride in
            bgra.withUnsafeBufferPointer { source in
                guard let from = source.baseAddress, let to = pixels.baseAddress else { return }
                for y in 0..<min(height, source.count / row) {
                    (to + y * stride).update(from: from + y * row, count: row)
                }
            }
        }
    }
}
