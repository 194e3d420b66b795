import Spotter
import TextIndex
import TextSpotting

/// Says what a search of the whole index has searched, and what not.
struct CoverageReport {
    let inputs: IndexedInputs

    /// Names no more recordings one by one.
    private static let mostNamed = 5

    var sentences: [String] {
        let count = inputs.entries.count
        var text =
            "\(count) \(count == 1 ? "recording" : "recordings") (\(Self.hours(inputs.seconds))) searched in the index"
        let missing = inputs.missing
        text += missing.isEmpty ? "." : "; \(missing.count) not, or not as it is now:"
        var lines = [text]
        for (source, reason) in missing.prefix(Self.mostNamed) { lines.append("  \(source.name): \(reason)") }
        if missing.count > Self.mostNamed { lines.append("  and \(missing.count - Self.mostNamed) more") }
        if !missing.isEmpty { lines.append("'framegrep index' with their names reads them.") }
        return lines
    }

    var json: String {
        CoverageLine(
            folder: inputs.folder, count: inputs.entries.count, seconds: inputs.seconds,
            missing: inputs.missing.map { ($0.source.name, $0.reason) }
        ).json
    }

    /// `0:00:12` or `812:30:00`.
    static func hours(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60)) h"
    }
}
