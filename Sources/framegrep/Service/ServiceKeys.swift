import TextSpotting

/// The keys that a file of `live --config` may have.
///
/// Most are the long names of options of `live`, and mean the same: the entries of the file become the options of a job, and are checked as
/// such.
enum ServiceKeys {
    enum Kind: Sendable {
        /// A text or a number.
        case value
        /// Several of them, or one.
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

    /// Keys about the words. These can be changed while a source runs.
    static let words: [String: (kind: Kind, option: String)] = [
        "words": (.values, "pattern"), "word-files": (.values, "pattern-file"), "exact": (.flag, "exact"),
        "extended-regexp": (.flag, "extended-regexp"), "case-sensitive": (.flag, "case-sensitive"),
        "whole-words": (.flag, "whole-words"), "all": (.flag, "all"),
    ]

    /// Everything else that a job may be asked for, by the option's name.
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

    /// Keys about the whole program.
    static let program: [String: Kind] = ["allow": .values, "max-picture": .value]

    /// Keys that name the source; only in its own table.
    static let source: [String: Kind] = [
        "name": .value, "address": .value, "address-file": .value, "address-variable": .value, "device": .value,
        "repeat": .flag,
    ]

    /// How a key is written that may have been meant; nil if none is near.
    static func near(_ key: String, among keys: some Sequence<String>) -> String? {
        let distances = keys.map { (key: $0, distance: EditDistance.between($0, key)) }
        let best = distances.min { ($0.distance, $0.key) < ($1.distance, $1.key) }
        return best.flatMap { $0.distance <= 2 ? $0.key : nil }
    }
}
