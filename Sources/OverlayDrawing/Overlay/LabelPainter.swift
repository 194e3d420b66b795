import CCairo
import Errors
import TextSpotting

/// Draws labels and remembers the drawn ones: the same few are asked for in every frame.
final class LabelPainter {
    /// Everything that a drawn label depends on, apart from its position and its opacity.
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

    init(limit: Int) {
        self.limit = limit
    }

    /// How many labels are remembered.
    var count: Int { drawn.count }

    /// The tab with its text, cut off at the edges of a picture of `width`×`height`; nil if nothing is visible.
    func patch(for label: OverlayLabel, width: Int, height: Int) throws(FramegrepError) -> OverlayPatch? {
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
    /// The part inside the picture of pixels that fill `place`; nil if there is none.
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

    /// The same patch, `opacity` (0 to 1) times as opaque.
    func faded(to opacity: Double) -> OverlayPatch {
        guard opacity < 1 else { return self }
        let factor = UInt32(max(0, opacity) * 256)
        // In Swift a shift binds tighter than a product.
        return OverlayPatch(
            x: x, y: y, width: width, height: height,
            bgra: bgra.map { UInt8(truncatingIfNeeded: (UInt32($0) * factor) >> 8) })
    }
}
