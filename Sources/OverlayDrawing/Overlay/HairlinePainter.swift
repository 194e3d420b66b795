import CCairo
import Errors
import TextSpotting

/// Draws a thin line between two dark ones: seen over anything, and cheap enough for every line of a page.
struct HairlinePainter {
    let quad: Quad
    let color: OverlayColor
    let thickness: Double

    func patches(width: Int, height: Int) throws(FramegrepError) -> [OverlayPatch] {
        guard thickness > 0 else { return [] }
        let path = OutlinePath(quad: quad, cornerRadius: min(thickness * 3, min(quad.width, quad.height) * 0.25))
        var patches: [OverlayPatch] = []
        for area in path.strips(reach: thickness * 1.5 + 1, width: width, height: height) {
            patches.append(
                try OverlayPatch(area) { drawing in
                    path.add(to: drawing.context)
                    for (width, color) in [
                        (3 * thickness, OverlayColor.black.faded(to: color.alpha * 0.6)), (thickness, color),
                    ] {
                        cairo_set_line_width(drawing.context, width)
                        drawing.setSource(color)
                        cairo_stroke_preserve(drawing.context)
                    }
                })
        }
        return patches
    }
}
