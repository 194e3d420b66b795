import Foundation
import TextSpotting

/// Composes a line of progress that fits the width of the terminal.
struct ProgressText {
    /// The text before the name.
    var place: String
    var name: String
    var position: StreamTime
    /// The total; nil if unknown.
    var total: StreamTime?
    /// The time since the search began, in seconds.
    var elapsed: Double
    /// The number of seconds that this and all other inputs still take; nil if it is the only one, or if that is
    /// unknown.
    var wholeRemaining: Double?

    /// The longest shown name; a longer one would move the bar back and forth.
    private static let longestName = 30
    /// The shortest part of a name that is meaningful.
    private static let shortestName = 12

    /// Returns the line for a terminal of this many columns. It leaves the last one free, in which some terminals start
    /// a new line.
    func line(columns: Int) -> String {
        let room = columns - 1
        let short = DisplayWidth.shortened(name, to: Self.longestName)
        for rest in rests {
            let left = room - DisplayWidth.columns(of: place) - DisplayWidth.columns(of: rest) - 2
            guard left >= min(Self.shortestName, DisplayWidth.columns(of: short)) else { continue }
            return place + DisplayWidth.shortened(short, to: left) + "  " + rest
        }
        return rests.first { DisplayWidth.columns(of: $0) <= room } ?? ""
    }

    /// The text after the name: all of it, then shorter and shorter.
    private var rests: [String] {
        let speed = elapsed > 0 ? position.seconds / elapsed : 0
        let pace = String(format: "%.1f× real time", speed)
        let clock = ClockTime.text(position)
        guard let total, total > .zero else { return ["\(clock)  \(pace)", clock] }
        let fraction = min(1, max(0, position.seconds / total.seconds))
        let percent = "\(Int(fraction * 100))%"
        let seconds = speed > 0 ? max(0, total.seconds - position.seconds) / speed : 0
        let left = "\(Self.clock(seconds)) left"
        let all = wholeRemaining.map { "  \(Self.clock(max(seconds, $0))) in all" } ?? ""
        return [
            "\(bar(fraction, 24))  \(percent)  \(clock)  \(pace)  \(left)\(all)",
            "\(bar(fraction, 12))  \(percent)  \(left)\(all)",
            "\(bar(fraction, 24))  \(percent)  \(clock)  \(pace)  \(left)",
            "\(bar(fraction, 12))  \(percent)  \(clock)  \(pace)  \(left)",
            "\(bar(fraction, 12))  \(percent)  \(left)", "\(percent)  \(left)", percent,
        ]
    }

    private static func clock(_ seconds: Double) -> String {
        ClockTime.short(StreamTime(seconds: seconds.rounded(.up)))
    }

    private func bar(_ fraction: Double, _ width: Int) -> String {
        let filled = Int((fraction * Double(width)).rounded())
        return String(repeating: "━", count: filled) + String(repeating: "─", count: width - filled)
    }
}

/// The number of columns that text takes on a terminal.
enum DisplayWidth {
    /// Characters that take two columns whatever the font: East Asian Width W and F (Unicode Standard Annex #11), in
    /// whole blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]

    /// Returns the largest number of columns that a terminal uses for `text`, which has no control characters: one that
    /// combines a cluster of emoji uses fewer.
    static func columns(of text: some StringProtocol) -> Int { text.unicodeScalars.reduce(0) { $0 + columns(of: $1) } }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        // It requests the colored form of a symbol, which is wide.
        if scalar.value == 0xFE0F { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// Returns `text` if it fits into this many columns, otherwise `…` and its end, because names differ at their ends.
    static func shortened(_ text: String, to columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var rest = Substring(text)
        while self.columns(of: rest) > columns - 1 { rest = rest.dropFirst() }
        return "…" + rest
    }
}
