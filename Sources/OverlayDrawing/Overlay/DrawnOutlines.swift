import CCairo
import Errors
import TextSpotting

/// Draws boxes and remembers the drawn ones: a word that stands still, or moves without turning, is outlined in the same shape in
/// frame after frame. Six strokes of Cairo's are a third of what drawing a box costs.
final class DrawnOutlines {
    private struct Drawn {
        let patches: [OverlayPatch]
        var lastUse: Int
    }

    /// The size of the cache of recent boxes, in bytes of pixels.
    private static let limit = 8 << 20

    /// Each as it is drawn in the corner of a picture, its quad on a grid of quarters of a pixel: smaller differences
    /// are invisible.
    private var drawn: [OutlinePainter: Drawn] = [:]
    private var size = 0
    /// How many pictures were drawn.
    private var pictures = 0

    /// The outline's patches on a picture of `width`×`height`.
    func patches(of outline: OutlinePainter, width: Int, height: Int) throws(FramegrepError) -> [OverlayPatch] {
        let bounds = outline.quad.bounds.grown(by: outline.reach + 1)
        let isWhole =
            bounds.minX >= 0 && bounds.minY >= 0 && bounds.maxX <= Double(width) && bounds.maxY <= Double(height)
        // What is cut off at an edge has another shape in each place.
        guard isWhole else { return try outline.patches(width: width, height: height) }
        let origin = (x: bounds.minX.rounded(.down), y: bounds.minY.rounded(.down))
        var key = outline
        key.quad = outline.quad.mapped { Point(Self.grid($0.x - origin.x), Self.grid($0.y - origin.y)) }
        if drawn[key] == nil {
            let patches = try key.patches(
                width: Int(bounds.maxX.rounded(.up) - origin.x) + 1,
                height: Int(bounds.maxY.rounded(.up) - origin.y) + 1)
            drawn[key] = Drawn(patches: patches, lastUse: pictures)
            size += Self.size(of: patches)
        }
        drawn[key]?.lastUse = pictures
        return drawn[key]?.patches.map { $0.moved(x: Int(origin.x), y: Int(origin.y)) } ?? []
    }

    /// Called after each picture: if the cache is too large, outlines that are not on it are dropped.
    func forgetOld() {
        defer { pictures += 1 }
        guard size > Self.limit else { return }
        drawn = drawn.filter { $0.value.lastUse == pictures }
        size = drawn.values.reduce(0) { $0 + Self.size(of: $1.patches) }
    }

    private static func grid(_ value: Double) -> Double { (value * 4).rounded() / 4 }

    private static func size(of patches: [OverlayPatch]) -> Int { patches.reduce(0) { $0 + $1.bgra.count } }
}

extension OverlayPatch {
    /// The same pixels elsewhere.
    func moved(x offsetX: Int, y offsetY: Int) -> OverlayPatch {
        OverlayPatch(x: x + offsetX, y: y + offsetY, width: width, height: height, bgra: bgra)
    }
}

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
