import CCairo
package import Errors
package import TextSpotting

/// Draws labels and caches the drawn ones, because each frame needs the same few.
package final class LabelPainter {
    /// Everything that determines a drawn label, apart from its position and opacity.
    private struct Key: Hashable {
        let runs: [OverlayLabel.Run]
        let fontSize: Double
        let maximumWidth: Double
        let height: Int
        let background: OverlayColor
        let cornerRadius: Double
    }

    private struct Drawn {
        let width: Int
        let bgra: [UInt8]
        var lastUse: Int
    }

    private let shaper = TextShaper()
    private let limit: Int
    private var drawn: [Key: Drawn] = [:]
    private var uses = 0

    package init(limit: Int) {
        self.limit = limit
    }

    /// Returns the label with its text, clipped to a picture of `width`×`height`; nil if nothing is visible.
    package func patch(for label: OverlayLabel, width: Int, height: Int) throws(FramegrepError) -> OverlayPatch? {
        let slot = label.slot
        guard label.opacity > 0, slot.width >= 2, slot.height >= 2, slot.height <= 4096, slot.width <= 65536,
            slot.x.isFinite, slot.y.isFinite, label.preferredX.isFinite
        else { return nil }
        let key = Key(
            runs: label.runs, fontSize: label.fontSize, maximumWidth: slot.width, height: Int(slot.height.rounded()),
            background: label.background, cornerRadius: label.cornerRadius)
        uses += 1
        var tab: Drawn
        if let known = drawn[key] { tab = known } else { tab = try draw(label, height: key.height) }
        tab.lastUse = uses
        drawn[key] = tab
        if drawn.count > limit, let oldest = drawn.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            drawn[oldest.key] = nil
        }
        let x = max(slot.minX, min(label.preferredX, slot.maxX - Double(tab.width))).rounded()
        let place = PixelArea(x: Int(x), y: Int(slot.y.rounded()), width: tab.width, height: key.height)
        return OverlayPatch(tab.bgra, at: place, pictureWidth: width, pictureHeight: height)?.faded(to: label.opacity)
    }

    private func draw(_ label: OverlayLabel, height: Int) throws(FramegrepError) -> Drawn {
        let layout = shaper.layout(label.text, font: .sans, size: label.fontSize)
        layout.apply(label.runs)
        layout.limit(toWidth: max(1, label.slot.width - 2 * label.padding))
        let width = max(2, Int(label.tab(textWidth: layout.width).width.rounded(.down)))
        let drawing = try Drawing(width: width, height: height)
        let context = drawing.context
        let tab = Quad(Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
        OutlinePath(quad: tab, cornerRadius: min(label.cornerRadius, tab.height / 2, tab.width / 2)).add(to: context)
        drawing.setSource(label.background)
        cairo_fill_preserve(context)
        cairo_clip(context)
        // The baseline that centers capitals: their height is about 0.73 of the font's size.
        cairo_move_to(context, label.padding, (Double(height) + label.fontSize * 0.73) / 2)
        layout.show(on: context)
        return Drawn(width: width, bgra: drawing.bgra, lastUse: uses)
    }
}

extension OverlayPatch {
    /// Returns the part of the pixels of `place` that is inside the picture; nil if there is none.
    init?(_ bgra: [UInt8], at place: PixelArea, pictureWidth: Int, pictureHeight: Int) {
        guard let inside = PixelArea(covering: place.rect, width: pictureWidth, height: pictureHeight) else {
            return nil
        }
        if inside == place {
            self.init(x: place.x, y: place.y, width: place.width, height: place.height, bgra: bgra)
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(inside.width * inside.height * 4)
        for row in 0..<inside.height {
            let start = ((inside.y - place.y + row) * place.width + inside.x - place.x) * 4
            bytes += bgra[start..<start + inside.width * 4]
        }
        self.init(x: inside.x, y: inside.y, width: inside.width, height: inside.height, bgra: bytes)
    }

    /// Returns the same patch with its opacity multiplied by `opacity`, 0 to 1.
    func faded(to opacity: Double) -> OverlayPatch {
        guard opacity < 1 else { return self }
        let factor = UInt32(max(0, opacity) * 256)
        // In Swift a shift has a higher precedence than a product.
        return OverlayPatch(
            x: x, y: y, width: width, height: height,
            bgra: bgra.map { UInt8(truncatingIfNeeded: (UInt32($0) * factor) >> 8) })
    }
}

/// Draws boxes and caches the drawn ones: a word that stands still, or moves without turning, has an outline of the same shape in frame after
/// frame, and its six strokes by Cairo are a third of the cost of drawing a box.
final class DrawnOutlines {
    private struct Drawn {
        let patches: [OverlayPatch]
        var lastUse: Int
    }

    /// The size of the cache of recent boxes, in bytes of pixels.
    private static let limit = 8 << 20

    /// Each box as it is drawn in the corner of a picture, its quad on a grid of quarters of a pixel: smaller
    /// differences are invisible.
    private var drawn: [OutlinePainter: Drawn] = [:]
    private var size = 0
    /// The number of pictures drawn so far.
    private var pictures = 0

    /// Returns the outline's patches on a picture of `width`×`height`.
    func patches(of outline: OutlinePainter, width: Int, height: Int) throws(FramegrepError) -> [OverlayPatch] {
        let bounds = outline.quad.bounds.grown(by: outline.reach + 1)
        let isWhole =
            bounds.minX >= 0 && bounds.minY >= 0 && bounds.maxX <= Double(width) && bounds.maxY <= Double(height)
        // An outline that is clipped at an edge has another shape in each position.
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

    /// Drops outlines that are not on the current picture if the cache is too large. Call it after each picture.
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
    /// Returns the same pixels at another position.
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

    /// The distance by which the shadow reaches beyond the bright line, in pixels.
    private var halo: Double { max(2, thickness * 1.5) }

    /// The distance by which the drawing reaches beyond the quad, in pixels; one more than the stroke, for its antialiased edge.
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
        // Strokes of decreasing width, each a faint part of the shadow, add up to a soft one.
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
