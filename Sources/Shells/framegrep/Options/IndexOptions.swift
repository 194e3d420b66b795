import ArgumentParser
import Foundation
import TextIndex
import TextSpotting

/// The location of the index: shared by `index`, its subcommands, and `find`.
struct IndexOptions: ParsableArguments {
    @Option(
        name: .customLong("index"),
        help: ArgumentHelp(
            "The folder of the index (default: $FRAMEGREP_INDEX, else framegrep/index among the user's data).",
            valueName: "folder"),
        completion: .directory)
    var path: String?

    func folder() throws -> IndexFolder { try IndexFolder(path) }
}

/// Options for removing recordings that are old or exceed a budget: shared by `index` and `index expire`.
struct ExpiryOptions: ParsableArguments {
    @Option(
        name: .customLong("retain"),
        help: ArgumentHelp(
            "Remove recordings that were read longer ago than this: 12h, 30d, 8w, 1y.", valueName: "age"))
    var retain: AgeArgument?

    @Option(
        name: .customLong("budget"),
        help: ArgumentHelp(
            "Remove the recordings read first until the index is no larger than this: 500MB, 20GB.", valueName: "size"))
    var budget: SizeArgument?

    var isAsked: Bool { retain != nil || budget != nil }

    var rule: ExpiryRule { ExpiryRule(seconds: retain?.seconds, budget: budget?.bytes) }
}

/// Rules for removing recordings from the index.
struct ExpiryRule: Sendable {
    /// The age in seconds after which recordings are removed; nil for none.
    let seconds: Double?
    /// The number of bytes down to which the oldest readings are removed; nil for no limit.
    let budget: Int64?

    /// Removes recordings that are too old or exceed the budget.
    ///
    /// - Returns: a sentence about it; nil if nothing was removed.
    func expire(_ store: TextIndex) throws -> String? {
        guard seconds != nil || budget != nil else { return nil }
        let limit = seconds.map { Date(timeIntervalSinceNow: -$0) }
        let expiry = try store.expire(readBefore: limit, budget: budget)
        guard !expiry.recordings.isEmpty else { return nil }
        let count = expiry.recordings.count
        let (before, after) = (ByteCount.text(expiry.bytes.before), ByteCount.text(expiry.bytes.after))
        return
            "\(count) \(count == 1 ? "recording" : "recordings") expired; the index took \(before) and takes \(after)."
    }
}

/// An age as a user writes it: `12h`, `30d`, `8w`, `1y`. It is never a number alone, nor in minutes: someone who means
/// 30 days or 6 months would lose nearly everything.
struct AgeArgument: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
        let units: [Character: Double] = ["h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400]
        guard let unit = argument.lowercased().last.flatMap({ units[$0] }), let count = Double(argument.dropLast()),
            count >= 0, count.isFinite
        else { return nil }
        seconds = count * unit
    }
}

/// A size as a user writes it: `500MB`, `20GB`, `1.5TB`, `300KiB`.
struct SizeArgument: ExpressibleByArgument {
    let bytes: Int64

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = argument.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
        let units: [String: Double] = [
            "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
            "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
        ]
        guard let count = Double(digits), let factor = units[unit], count * factor < 1e18 else { return nil }
        bytes = Int64(count * factor)
    }
}

/// Formats sizes for users.
enum ByteCount {
    static func text(_ bytes: Int64) -> String {
        bytes < 10_000_000 ? "\((bytes + 500) / 1000) kB" : "\((bytes + 500_000) / 1_000_000) MB"
    }
}
