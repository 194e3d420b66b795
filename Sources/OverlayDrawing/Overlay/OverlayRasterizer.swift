import CCairo
public import Errors
public import TextSpotting

/// Turns a draw list into small patches of pixels.
///
/// Every patch lies inside the picture and is only as large as what is drawn in it: there is never a surface of the
/// whole frame. Labels are remembered, up to ``labelCacheLimit``, so that drawing one again costs a copy; outlines of words that
/// keep their shape are too.
///
/// Not `Sendable`: one task uses it at a time. It may be made on one thread and used on another (its fonts are its own,
/// not Pango's per-thread ones). Making one reads the system's font configuration, so keep it.
public final class OverlayRasterizer {
    /// How many drawn labels are remembered.
    public static let labelCacheLimit = 128

    private let labels: LabelPainter
    private let outlines = DrawnOutlines()

    public init() {
        labels = LabelPainter(limit: Self.labelCacheLimit)
    }

    /// The patches for `primitives` on a picture of `width`×`height` pixels, first ones at the bottom.
    ///
    /// Parts outside the picture are cut off; a primitive that has no pixel in it gives no patch.
    /// - Throws: `FramegrepError` (`outputFailed`) when Cairo cannot make a surface.
    public func rasterize(
        _ primitives: [OverlayPrimitive], width: Int, height: Int
    ) throws(FramegrepError) -> [OverlayPatch] {
        var patches: [OverlayPatch] = []
        for primitive in primitives {
            switch primitive {
            case .outline(let quad, let color, let thickness, let opacity):
                let outline = OutlinePainter(quad: quad, color: color, thickness: thickness, opacity: opacity)
                patches += try outlines.patches(of: outline, width: width, height: height)
            case .hairline(let quad, let color, let thickness):
                let line = HairlinePainter(quad: quad, color: color, thickness: thickness)
                patches += try line.patches(width: width, height: height)
            case .fill(let quad, let color):
                patches += try Self.fill(quad, color: color, width: width, height: height)
            case .tab(let rect, let color, let radius):
                patches += try Self.fill(
                    Quad(rect), color: color, cornerRadius: radius, width: width, height: height)
            case .label(let label):
                if let patch = try labels.patch(for: label, width: width, height: height) { patches.append(patch) }
            }
        }
        outlines.forgetOld()
        return patches
    }

    private static func fill(
        _ quad: Quad, color: OverlayColor, cornerRadius: Double = 0, width: Int, height: Int
    ) throws(FramegrepError) -> [OverlayPatch] {
        guard let area = PixelArea(covering: quad.bounds, width: width, height: height) else { return [] }
        return [
            try OverlayPatch(area) { drawing in
                OutlinePath(quad: quad, cornerRadius: cornerRadius).add(to: drawing.context)
                drawing.setSource(color)
                cairo_fill(drawing.context)
            }
        ]
    }
}

extension OverlayPatch {
    /// Draws on a surface that covers `area`, in the picture's coordinates.
    init(_ area: PixelArea, draw: (Drawing) -> Void) throws(FramegrepError) {
        let drawing = try Drawing(width: area.width, height: area.height)
        cairo_translate(drawing.context, Double(-area.x), Double(-area.y))
        draw(drawing)
        self.init(x: area.x, y: area.y, width: area.width, height: area.height, bgra: drawing.bgra)
    }
}
