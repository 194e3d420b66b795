import Engines
import Errors
import Foundation
import GStreamerMedia
import Notices
import Spotter
import TextSpotting
import Webhooks

/// One source of a file of `live --config`: the job that it describes, checked.
struct SourcePlan: Sendable {
    let name: String
    /// The file that contains the address; nil if the address is given in another way.
    var addressFile: String?
    /// The files that all sources of the program read.
    var outputs: OutputPlan?
    /// The address of its pictures, with passwords; nil if `device` names the camera, or it is the first one.
    let address: String?
    /// Whether a recording begins again at its end.
    let repeats: Bool
    /// The options of `live` for it: those for words, and the others.
    let words: [String]
    let others: [String]
    /// The same options, parsed.
    let command: LiveRequest
    /// The user and password of its broker, which a job reads when it begins.
    var login: String?

    /// Returns whether the plans differ only in their words, so that a running job can search for the new ones.
    ///
    /// False if the words need letters that the loaded reader cannot read.
    func differsInWordsOnly(from other: SourcePlan) -> Bool {
        isSame(as: other, words: false) && letters.isSubset(of: other.letters)
    }

    func isSame(as other: SourcePlan) -> Bool { isSame(as: other, words: true) }

    private func isSame(as other: SourcePlan, words comparesWords: Bool) -> Bool {
        name == other.name && address == other.address && repeats == other.repeats && others == other.others
            && login == other.login
            && (!comparesWords || words == other.words)
    }

    /// The languages of the words that not every engine reads.
    private var letters: Set<String> {
        let texts = (try? command.options.patterns.texts(positional: nil, mayBeNone: true)) ?? []
        return Set(texts.flatMap { WritingSystems.languages(for: $0) })
    }

    /// Checks which of its files cannot be written.
    ///
    /// - Parameters:
    ///   - plan: the files that all sources read.
    ///   - note: called with the key and the failure, for each.
    func checkFiles(_ plan: OutputPlan, note: (String, any Error) -> Void) {
        func attempt(_ key: String, _ work: () throws -> Void) { do { try work() } catch { note(key, error) } }
        if let record = command.options.output.record {
            attempt("record") {
                guard record.contains(Self.timeHole) else {
                    throw FramegrepError(
                        .badArgument,
                        "'record' needs \(Self.timeHole) in its name, such as /srv/\(Self.nameHole)-\(Self.timeHole).mkv: each start of the source makes a new file."
                    )
                }
                var plan = plan
                let name = commandOfNow().options.output.record ?? record
                _ = try (RecordingContainer(ofFileNamed: name), plan.writes(name, by: "'record'"))
            }
        }
        if let folder = command.options.output.saveFrames {
            attempt("save-frames") {
                try plan.writes(intoFolder: folder, by: "'save-frames'")
                try PictureFolder.check(folder)
            }
        }
        if let folder = command.options.targets.outbox {
            attempt("outbox") {
                try plan.writes(intoFolder: folder, by: "'outbox'")
                try OutboxFolder.check(folder)
            }
        }
    }

    /// The names in `record` that are filled in at each start.
    static let timeHole = "{time}"
    static let nameHole = "{name}"

    /// Returns the job that begins now, with its own time in the name of its recording.
    func commandOfNow(_ now: Date = Date()) -> LiveRequest {
        guard let record = command.options.output.record else { return command }
        var command = command
        command.options.output.record = record.replacing(Self.timeHole, with: Self.text(of: now))
            .replacing(Self.nameHole, with: name.replacing("/", with: "-"))
        return command
    }

    /// Returns `20261122-201530` in local time, which users look for.
    private static func text(of time: Date) -> String {
        var (seconds, parts) = (time_t(time.timeIntervalSince1970), tm())
        localtime_r(&seconds, &parts)
        return String(
            format: "%04d%02d%02d-%02d%02d%02d", Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday),
            Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    }

    /// A description of the plan for users.
    var summary: [String] {
        let texts = (try? command.options.patterns.texts(positional: nil, mayBeNone: true)) ?? []
        let options = (words + others).filter { !$0.hasPrefix("--pattern") && $0 != "--headless" }
        return [
            "\(name): \(address.map { redacted($0) } ?? command.source.device.map { "the camera \($0)" } ?? "the first camera")",
            "  searches for: " + (texts.isEmpty ? "all text" : texts.joined(separator: ", ")),
        ] + options.map { "  " + Self.shown(option: $0) }
    }

    /// An option without passwords, and without what may be a key in the address of a webhook.
    private static func shown(option: String) -> String {
        let webhook = "--webhook="
        guard option.hasPrefix(webhook) else { return redacted(option) }
        return webhook + redacted(WebhookAddress.shown(String(option.dropFirst(webhook.count))))
    }
}

/// The keys that a file of `live --config` may have.
///
/// Most are the long names of options of `live`, with the same meaning: the entries of the file become the options of a
/// job, and are checked as such.
enum ServiceKeys {
    enum Kind: Sendable {
        /// A text or a number.
        case value
        /// Several texts or numbers, or one.
        case values
        case flag

        var sentence: String {
            switch self {
            case .value: "a text in quotes or a number"
            case .values: "a list of texts, such as [\"EXIT\", \"GATE\"], or one text"
            case .flag: "true or false"
            }
        }
    }

    /// Keys for the words, which can be changed while a source runs.
    static let words: [String: (kind: Kind, option: String)] = [
        "words": (.values, "pattern"), "word-files": (.values, "pattern-file"), "exact": (.flag, "exact"),
        "extended-regexp": (.flag, "extended-regexp"), "case-sensitive": (.flag, "case-sensitive"),
        "whole-words": (.flag, "whole-words"), "all": (.flag, "all"),
    ]

    /// All other keys of a job, by the option's name.
    static let others: [String: Kind] = [
        "all-text": .flag, "each-change": .flag,
        "engine": .value, "level": .value, "language": .value, "region": .value, "min-score": .value,
        "threads": .value, "max-age": .value,
        "record": .value, "save-frames": .value, "overlay": .value, "overlay-delay": .value,
        "redact": .flag, "redact-style": .value, "redact-only-words": .flag, "to": .value,
        "exec": .value, "exec-limit": .value,
        "mqtt": .value, "mqtt-node": .value, "mqtt-credentials": .value, "mqtt-ca": .value, "mqtt-discovery": .value,
        "mqtt-patterns": .flag, "mqtt-forget": .flag, "webhook": .values, "webhook-timeout": .value, "outbox": .value,
        "remember": .flag, "index": .value,
        "size": .value, "fps": .value, "on-lost": .value, "reconnect": .value, "control": .values, "zoom": .value,
        "torch": .value, "autofocus": .value, "exposure": .value, "brightness": .value,
    ]

    /// Keys for the whole program.
    static let program: [String: Kind] = ["allow": .values, "max-picture": .value]

    /// Keys that name the source; only in its own table.
    static let source: [String: Kind] = [
        "name": .value, "address": .value, "address-file": .value, "address-variable": .value, "device": .value,
        "repeat": .flag,
    ]

    /// The largest number of letters in a key.
    static let longest = 64

    /// Returns the key that was probably meant; nil if none is similar.
    static func near(_ key: String, among keys: some Sequence<String>) -> String? {
        guard key.utf8.count <= longest else { return nil }
        let distances = keys.map { (key: $0, distance: EditDistance.between($0, key)) }
        let best = distances.min { ($0.distance, $0.key) < ($1.distance, $1.key) }
        // In a short key, two other letters make another word: 'foo' is not 'fps'.
        return best.flatMap { $0.distance <= (min(key.count, $0.key.count) > 4 ? 2 : 1) ? $0.key : nil }
    }
}
