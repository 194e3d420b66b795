import Cameras
import Engines
import Errors
import GStreamerMedia
import Spotter
import TOML
import TextMatching

/// Checks for settings of a source that would fail later.
extension ServiceReading {
    /// Records settings that cannot work, whether the source exists or not.
    mutating func check(_ plan: SourcePlan, _ entries: Entries, _ line: Int) {
        let command = plan.command
        checkWords(plan, entries, line)
        let address = attempt(["address", "address-file", "address-variable"], entries, orAt: line) {
            try command.checkSource(plan.address)
        }
        checkCamera(command.source, entries, line)
        if let uri = address ?? nil {
            attempt(["control", "size", "fps"], entries, orAt: line) { try command.source.checkForCameraOptions() }
            attempt(["remember"], entries, orAt: line) {
                try command.checkMemory(of: uri.redacted, isRecording: uri.path != nil)
            }
        }
        attempt(["region"], entries, orAt: line) {
            _ = try command.options.reading.region.map(RegionOfInterest.init(parsing:))
        }
        let targets = command.options.targets
        attempt(["mqtt-credentials"], entries, orAt: line) { _ = try targets.broker.credentials() }
        if let file = targets.broker.mqttCredentials { checkIsPrivate(file.path, "mqtt-credentials", entries) }
        attempt(["mqtt-ca"], entries, orAt: line) { try targets.broker.checkCertificates() }
    }

    /// Records settings that no camera can have, each with its line.
    private mutating func checkCamera(_ source: SourceOptions, _ entries: Entries, _ line: Int) {
        var rest = source
        (rest.size, rest.fps) = (nil, nil)
        attempt(["size"], entries, orAt: line) { _ = try ModeRequest(size: source.size, rate: nil) }
        attempt(["fps"], entries, orAt: line) { _ = try ModeRequest(size: nil, rate: source.fps) }
        attempt(["control"], entries, orAt: line) { [rest] in _ = try rest.camera(nil) }
        attempt(["exposure"], entries, orAt: line) { [rest] in _ = try rest.turns() }
    }

    /// Records files of the sources that cannot be written, or are read too.
    mutating func checkFiles(_ sources: [SourcePlan], _ plan: OutputPlan) {
        for source in sources {
            let (entries, line) = places[source.name] ?? ([:], 1)
            source.checkFiles(plan) { key, error in
                attempt([key], entries, orAt: line) { throw error }
            }
        }
    }

    private mutating func checkWords(_ plan: SourcePlan, _ entries: Entries, _ line: Int) {
        let patterns = plan.command.options.patterns
        let count = problems.count
        if case .array(let values) = entries["words"]?.value.content {
            for value in values {
                guard let text = Self.text(value) else { continue }
                attempt([], entries, orAt: value.line) { _ = try patterns.manner.matcher(for: [text]) }
            }
        }
        guard problems.count == count else { return }
        let matcher = attempt(["words", "word-files"], entries, orAt: line) { () throws -> Matcher in
            let isNone = patterns.patterns.isEmpty && patterns.files.isEmpty && !plan.command.options.text.isAsked
            guard !isNone else {
                throw FramegrepError(
                    .badPattern, "The source '\(plan.name)' has no words to search for, such as words = [\"EXIT\"].")
            }
            return try plan.command.options.matcher(of: patterns)
        }
        guard let matcher else { return }
        attempt(["level", "engine", "language"], entries, orAt: line) {
            try ReaderChoice(plan.command.options.reading.reader, matcher) { _ in }.check()
        }
    }
}
