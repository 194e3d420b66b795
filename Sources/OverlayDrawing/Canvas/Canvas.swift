import CCairo
public import Errors
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
