import Foundation
import TextSpotting

/// Composes a line of progress, in as many words as there is room for.
struct ProgressText {
    /// The text before the name.
    var place: String
    var name: String
    var position: StreamTime
    /// Nil if unknown.
    var total: StreamTime?
    /// In seconds, since the search began.
    var elapsed: Double
    /// How many seconds this and all other inputs take from here on; nil if it is the only one, or if that is unknown.
    var wholeRemaining: Double?

    /// A longer name would push the bar to and fro.
    private static let longestName = 30
    /// A shorter part of a name says nothing.
    private static let shortestName = 12

    /// The line for a terminal of this many columns. It leaves the last one free, where some terminals go to the next line.
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

    /// The text after the name: all of it, then less and less.
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
