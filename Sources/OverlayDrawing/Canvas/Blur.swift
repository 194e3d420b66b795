import CCairo
public import Errors
import Glibc
import TextSpotting

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
