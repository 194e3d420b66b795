import CCairo
import TextSpotting

/// A quad with rounded corners, as a Cairo path and as the parts of the picture that its stroke touches.
struct OutlinePath {
    let quad: Quad
    let cornerRadius: Double

    /// Replaces the context's path.
    func add(to context: OpaquePointer) {
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

    /// Which fraction of a side its rounded corner takes: at most half.
    private func shortening(_ side: Point) -> Double {
        side.length > 0 ? min(0.5, cornerRadius / side.length) : 0
    }

    /// The picture's parts that a stroke reaching `reach` pixels to either side touches, as whole pixels inside
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

    /// The same for an upright quad, as four exact sides around the untouched inside; nil if that is too small to leave out.
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

    /// Whether a straight line meets a rectangle (Liang and Barsky's clipping, 1984).
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
