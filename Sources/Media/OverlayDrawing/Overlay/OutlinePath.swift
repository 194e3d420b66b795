import CCairo
public import Errors
public import TextSpotting

/// A quad with rounded corners, as a Cairo path and as the areas of the picture that its stroke touches.
package struct OutlinePath {
    package let quad: Quad
    package let cornerRadius: Double

    package init(quad: Quad, cornerRadius: Double) {
        self.quad = quad
        self.cornerRadius = cornerRadius
    }

    /// Replaces the context's path.
    package func add(to context: OpaquePointer) {
        cairo_new_path(context)
        let corners = quad.corners
        for (index, corner) in corners.enumerated() {
            let before = corners[(index + 3) % 4] - corner
            let after = corners[(index + 1) % 4] - corner
            let entry = corner + before * shortening(before)
            let exit = corner + after * shortening(after)
            if index == 0 {
                cairo_move_to(context, entry.x, entry.y)
            } else {
                cairo_line_to(context, entry.x, entry.y)
            }
            // 0.55 of the way to the corner: the usual cubic approximation of a quarter circle.
            let a = entry.interpolated(to: corner, at: 0.55)
            let b = exit.interpolated(to: corner, at: 0.55)
            cairo_curve_to(context, a.x, a.y, b.x, b.y, exit.x, exit.y)
        }
        cairo_close_path(context)
    }

    /// Returns the fraction of a side that its rounded corner takes: at most half.
    private func shortening(_ side: Point) -> Double {
        side.length > 0 ? min(0.5, cornerRadius / side.length) : 0
    }

    /// Returns the areas that a stroke reaching `reach` pixels to either side touches, in whole pixels inside
    /// `width`×`height`: a single one for a small quad, strips along the sides for a large one, so that the cost
    /// follows the length of the line and not the area inside.
    func strips(reach: Double, width: Int, height: Int) -> [PixelArea] {
        let whole = PixelArea(covering: quad.bounds.grown(by: reach), width: width, height: height)
        guard let whole else { return [] }
        guard whole.width * whole.height > 128 * 128 else { return [whole] }
        let side = 32
        var open: [PixelArea] = []
        var finished: [PixelArea] = []
        for y in stride(from: whole.y, to: whole.y + whole.height, by: side) {
            let rowHeight = min(side, whole.y + whole.height - y)
            var row: [PixelArea] = []
            for x in stride(from: whole.x, to: whole.x + whole.width, by: side) {
                let tile = PixelArea(x: x, y: y, width: min(side, whole.x + whole.width - x), height: rowHeight)
                guard isTouched(tile.rect.grown(by: reach)) else { continue }
                if let last = row.last, last.x + last.width == x {
                    row[row.count - 1].width += tile.width
                } else {
                    row.append(tile)
                }
            }
            var next: [PixelArea] = []
            for run in row {
                if let match = open.firstIndex(where: { $0.x == run.x && $0.width == run.width }) {
                    var taller = open.remove(at: match)
                    taller.height += run.height
                    next.append(taller)
                } else {
                    next.append(run)
                }
            }
            finished += open
            open = next
        }
        return finished + open
    }

    /// Returns the same for an upright quad, as four exact sides around the untouched inside; nil if the inside is too
    /// small to leave out.
    func ring(reach: Double, width: Int, height: Int) -> [PixelArea]? {
        let left = max(quad.topLeft.x, quad.bottomLeft.x)
        let right = min(quad.topRight.x, quad.bottomRight.x)
        let top = max(quad.topLeft.y, quad.topRight.y)
        let bottom = min(quad.bottomLeft.y, quad.bottomRight.y)
        let radius = reach + cornerRadius
        let inside = Rect(
            x: (left + radius).rounded(.up), y: (top + radius).rounded(.up),
            width: (right - radius).rounded(.down) - (left + radius).rounded(.up),
            height: (bottom - radius).rounded(.down) - (top + radius).rounded(.up))
        guard inside.width >= 8, inside.height >= 8 else { return nil }
        let outside = quad.bounds.grown(by: reach)
        let parts = [
            (outside.minX, outside.minY, outside.maxX, inside.minY),
            (outside.minX, inside.maxY, outside.maxX, outside.maxY),
            (outside.minX, inside.minY, inside.minX, inside.maxY),
            (inside.maxX, inside.minY, outside.maxX, inside.maxY),
        ]
        return parts.compactMap { left, top, right, bottom in
            PixelArea(
                covering: Rect(x: left, y: top, width: right - left, height: bottom - top), width: width, height: height
            )
        }
    }

    private func isTouched(_ rect: Rect) -> Bool {
        let corners = quad.corners
        return (0..<4).contains { Self.segment(from: corners[$0], to: corners[($0 + 1) % 4], meets: rect) }
    }

    /// Returns whether a straight line meets a rectangle (Liang and Barsky's clipping, 1984).
    static func segment(from start: Point, to end: Point, meets rect: Rect) -> Bool {
        let delta = end - start
        var enter = 0.0
        var leave = 1.0
        for (step, distance) in [
            (-delta.x, start.x - rect.minX), (delta.x, rect.maxX - start.x),
            (-delta.y, start.y - rect.minY), (delta.y, rect.maxY - start.y),
        ] {
            if step == 0 {
                if distance < 0 { return false }
            } else if step < 0 {
                enter = max(enter, distance / step)
            } else {
                leave = min(leave, distance / step)
            }
        }
        return enter <= leave
    }
}

/// A rectangle of whole pixels.
struct PixelArea: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

extension PixelArea {
    /// The pixels that `rect` touches inside a picture of `width`×`height`; nil if there are none.
    init?(covering rect: Rect, width: Int, height: Int) {
        guard [rect.minX, rect.minY, rect.maxX, rect.maxY].allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else {
            return nil
        }
        let left = max(0, Int(rect.minX.rounded(.down)))
        let top = max(0, Int(rect.minY.rounded(.down)))
        let right = min(width, Int(rect.maxX.rounded(.up)))
        let bottom = min(height, Int(rect.maxY.rounded(.up)))
        guard left < right, top < bottom else { return nil }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }

    var rect: Rect { Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }
}

/// Turns a draw list into small patches of pixels.
///
/// Every patch lies inside the picture and is only as large as what is drawn in it: there is never a surface of the
/// whole frame. Labels are cached, up to ``labelCacheLimit``, so that drawing one again costs a copy, and so are
/// outlines of words that keep their shape.
///
/// Not `Sendable`: one task uses it at a time. It may be created on one thread and used on another (it has its own
/// fonts rather than Pango's per-thread ones). Creating one reads the system's font configuration, so keep it.
public final class OverlayRasterizer {
    /// The number of drawn labels that are kept.
    public static let labelCacheLimit = 128

    private let labels: LabelPainter
    private let outlines = DrawnOutlines()

    public init() {
        labels = LabelPainter(limit: Self.labelCacheLimit)
    }

    /// Returns the patches for `primitives` on a picture of `width`×`height` pixels, the first at the bottom.
    ///
    /// Parts outside the picture are cut off; a primitive without a pixel inside it has no patch.
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

/// Draws a thin line between two dark ones, which is visible over any background and cheap enough for every line of a
/// page.
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
