import Spotter
import TextIndex
import TextSpotting

/// Reports how much a search of the whole index has covered.
struct CoverageReport {
    let inputs: IndexedInputs

    /// Names no more recordings one by one.
    private static let mostNamed = 5

    var sentences: [String] {
        let live = inputs.live
        let hours = live.values.joined()
        let count = inputs.entries.count - hours.count
        let liveSeconds = hours.reduce(0) { $0 + $1.seconds }
        var parts: [String] = []
        if count > 0 || live.isEmpty {
            parts.append(
                "\(count) \(count == 1 ? "recording" : "recordings") (\(Self.hours(inputs.seconds - liveSeconds)))")
        }
        if !live.isEmpty {
            // Pictures shown between two readings were not read.
            parts.append(
                "\(Self.hours(liveSeconds)) of \(live.count) live \(live.count == 1 ? "source" : "sources"), of which not every picture was read,"
            )
        }
        var text = parts.joined(separator: " and ")
        text += " searched in the index"
        let skimmed = inputs.skimmed
        if !skimmed.isEmpty {
            let seconds = skimmed.reduce(0) { $0 + $1.seconds }
            let most = skimmed.compactMap(\.source.interval).max().map { ", pictures up to \(Self.tenths($0)) apart" }
            text += ", \(seconds >= inputs.seconds ? "all" : Self.hours(seconds)) of it skimmed\(most ?? "")"
        }
        let missing = inputs.missing
        text += missing.isEmpty ? "." : "; \(missing.count) not, or not as it is now:"
        var lines = [text]
        for (source, reason) in missing.prefix(Self.mostNamed) { lines.append("  \(source.name): \(reason.text)") }
        if missing.count > Self.mostNamed { lines.append("  and \(missing.count - Self.mostNamed) more") }
        if missing.contains(where: { $0.reason == .gone }) {
            lines.append("'framegrep index forget --gone' takes out those whose files are gone.")
        }
        if missing.contains(where: { Self.canBeRead($0.reason) }) {
            lines.append("'framegrep index' with their names reads \(Self.which(missing.map(\.reason))).")
        }
        if missing.contains(where: { $0.reason == .withoutVectors }) {
            lines.append(
                "'framegrep index --meaning' prepares what was indexed without, and reads no recording for it.")
        }
        if missing.contains(where: { $0.reason == .damaged }) {
            lines.append("'framegrep index repair' takes out what is damaged, so that it can be read again.")
        }
        return lines
    }

    /// Reading it again is of use.
    private static func canBeRead(_ reason: IndexedSource.Lack) -> Bool {
        switch reason {
        case .unread, .changed, .partial: true
        case .gone, .damaged, .undated, .withoutVectors: false
        }
    }

    private static func which(_ reasons: [IndexedSource.Lack]) -> String {
        reasons.allSatisfy(canBeRead) ? "them" : "the others"
    }

    var json: String {
        CoverageLine(
            folder: inputs.folder, count: inputs.entries.count, seconds: inputs.seconds,
            live: inputs.live.values.joined().reduce(0) { $0 + $1.seconds },
            skimmed: inputs.skimmed.reduce(0) { $0 + $1.seconds },
            missing: inputs.missing.map { ($0.source.name, $0.reason.text) }
        ).json
    }

    /// `5.0 s`, rounded up.
    static func tenths(_ time: StreamTime) -> String {
        let tenths = Int((time.seconds * 10 - 0.001).rounded(.up))
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// `45 s`, `12:30 min` or `812:30:00 h`.
    static func hours(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60):\(two(whole % 60)) min" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60)) h"
    }
}
