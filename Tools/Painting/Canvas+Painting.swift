import CCairo
public import Errors
import Glibc
public import OverlayDrawing
public import TextSpotting

/// Draws text at known places, for tests, tools and rendered clips.
extension Canvas {
    /// A canvas filled with `color`, pixels `width`×`height`.
    /// - Throws: `FramegrepError` (`outputFailed`) for sizes that cannot be drawn (over 32767 on a side).
    public convenience init(width: Int, height: Int, color: OverlayColor = .white) throws(FramegrepError) {
        self.init(takingOwnershipOf: try Drawing(width: width, height: height))
        fill(color)
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

    /// A canvas that shows premultiplied BGRA bytes, tightly packed.
    /// - Precondition: `bgra` has exactly `width * height * 4` elements.
    /// - Throws: As ``init(width:height:color:)``.
    public convenience init(bgra: [UInt8], width: Int, height: Int) throws(FramegrepError) {
        precondition(bgra.count == width * height * 4, "a picture's bytes must fill it")
        let drawing = try Drawing(width: width, height: height)
        drawing.copy(bgra: bgra)
        self.init(takingOwnershipOf: drawing)
    }

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
