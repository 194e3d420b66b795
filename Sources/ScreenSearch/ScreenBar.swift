import OverlayDrawing
import TextSpotting

/// What the bar over the desktop says, and its pixels.
struct ScreenBar: Sendable, Hashable {
    /// The searched words.
    var words: [String] = []
    /// The word that is being typed, and where the next letter goes; nil where none is.
    var typed: String?
    var cursor = 0
    var found = 0
    /// The number of the chosen one.
    var chosen: Int?
    /// The first reading is not done yet.
    var isReading = true
    /// Keys that are pressed come here.
    var hasKeys = false
    /// Said in the place of everything else.
    var notice: String?

    static let width = 680
    static let height = 32
    private static let background = OverlayColor(hex: 0x0B1014)
    private static let faint = OverlayColor(hex: 0xB8C4CC)

    /// What stands on it, in reading order.
    var runs: [OverlayLabel.Run] {
        if let typed {
            let place = typed.index(typed.startIndex, offsetBy: min(max(0, cursor), typed.count))
            let text = OverlayText.singleLine(typed[..<place] + "▏" + typed[place...], limit: 60)
            return [.init("/ ", color: Self.faint), .init(text, color: .white, isBold: true)]
        }
        if let notice { return [.init(OverlayText.singleLine(notice, limit: 90), color: .white)] }
        var runs: [OverlayLabel.Run] = []
        for (index, word) in words.prefix(3).enumerated() {
            runs.append(.init(OverlayText.singleLine(word, limit: 30) + "  ", color: .pattern(index), isBold: true))
        }
        if words.count > 3 { runs.append(.init("+\(words.count - 3)  ", color: .white)) }
        if !words.isEmpty { runs.append(.init(count + "  ", color: .white)) }
        let keys = hasKeys ? "/ word  n N next  ⏎ go there  c copy  Esc end" : "click here for keys"
        return runs + [.init("· \(keys)", color: Self.faint)]
    }

    private var count: String {
        if isReading, found == 0 { return "reading …" }
        return chosen.map { "\($0) of \(found)" } ?? (found == 0 ? "not there" : "\(found) found")
    }

    /// Its pixels: blue, green, red and a fourth byte, rows from the top.
    func pixels(_ rasterizer: OverlayRasterizer) -> [UInt8] {
        let (width, height) = (Self.width, Self.height)
        let slot = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        let label = OverlayLabel(
            runs: runs, slot: slot, preferredX: 0, fontSize: 15, background: Self.background, cornerRadius: 0,
            opacity: 1)
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        func blend(_ patch: OverlayPatch) {
            for y in max(0, patch.y)..<min(height, patch.y + patch.height) {
                for x in max(0, patch.x)..<min(width, patch.x + patch.width) {
                    let from = ((y - patch.y) * patch.width + x - patch.x) * 4
                    let to = (y * width + x) * 4
                    let rest = 255 - Int(patch.bgra[from + 3])
                    for channel in 0..<3 {
                        let mixed = Int(patch.bgra[from + channel]) + Int(bytes[to + channel]) * rest / 255
                        bytes[to + channel] = UInt8(clamping: mixed)
                    }
                }
            }
        }
        let fill = OverlayPrimitive.fill(Quad(slot), color: Self.background)
        for patch in (try? rasterizer.rasterize([fill, .label(label)], width: width, height: height)) ?? [] {
            blend(patch)
        }
        return bytes
    }
}
