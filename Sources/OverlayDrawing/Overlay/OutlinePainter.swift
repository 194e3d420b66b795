import CCairo
import Errors
import TextSpotting

/// Draws a box: a crisp bright line over a dark edge and a soft shadow, readable over any background.
struct OutlinePainter: Hashable {
    var quad: Quad
    let color: OverlayColor
    let thickness: Double
    let opacity: Double

    /// How far the shadow reaches beyond the bright line, in pixels.
    private var halo: Double { max(2, thickness * 1.5) }

    /// How far the drawing reaches beyond the quad, in pixels; one more than the stroke, for its antialiased edge.
    var reach: Double { thickness / 2 + halo + 1 }

    func patches(width: Int, height: Int) throws(FramegrepError) -> [OverlayPatch] {
        guard opacity > 0, thickness > 0 else { return [] }
        let path = OutlinePath(quad: quad, cornerRadius: min(thickness * 3, min(quad.width, quad.height) * 0.25))
        let areas =
            path.ring(reach: reach, width: width, height: height)
            ?? path.strips(reach: reach, width: width, height: height)
        var patches: [OverlayPatch] = []
        for area in areas {
            patches.append(try OverlayPatch(area) { draw(path, on: $0) })
        }
        return patches
    }

    private func draw(_ path: OutlinePath, on drawing: Drawing) {
        let context = drawing.context
        path.add(to: context)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        // Strokes of falling width, each a little more of the shadow, sum up to a soft one.
        let steps = 4
        for step in 0..<steps {
            let reach = halo * Double(steps - step) / Double(steps)
            stroke(width: thickness + 2 * reach, color: OverlayColor.black.faded(to: 0.13), on: drawing)
        }
        stroke(width: thickness + max(1, thickness * 0.5), color: OverlayColor.black.faded(to: 0.55), on: drawing)
        stroke(width: thickness, color: color, on: drawing)
        if opacity < 1 {
            cairo_set_operator(context, CAIRO_OPERATOR_DEST_IN)
            cairo_set_source_rgba(context, 0, 0, 0, opacity)
            cairo_paint(context)
        }
    }

    private func stroke(width: Double, color: OverlayColor, on drawing: Drawing) {
        cairo_set_line_width(drawing.context, width)
        drawing.setSource(color)
        cairo_stroke_preserve(drawing.context)
    }
}
