import ArgumentParser
import Errors
import Foundation
import GStreamerMedia
import Notices
import Processes
import Spotter
import TOML

/// The file while it is parsed: errors are collected, so that all of them are reported at once.
struct ServiceReading {
    typealias Entries = [String: TOMLTable.Entry]

    /// The largest number of sources: each has at least one thread, and more were not written by hand.
    private static let mostSources = 1000

    let path: String
    private(set) var problems: [(line: Int, message: String)] = []
    /// The settings of the whole program that are valid.
    private var programOptions: [String] = []
    /// The entries of each source, and its line.
    private(set) var places: [String: (entries: Entries, line: Int)] = [:]

    init(path: String) { self.path = path }

    mutating func note(_ line: Int, _ message: String) { problems.append((line, message)) }

    /// - Throws: ``FramegrepError`` if there were errors.
    func check() throws {
        guard !problems.isEmpty else { return }
        let lines = problems.sorted { $0.line < $1.line }.map { "\(path):\($0.line): \($0.message)" }
        // The same error may occur for each source.
        let once = lines.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        throw FramegrepError(.badArgument, once.joined(separator: "\n"))
    }

    /// Runs `work`, and records its error at the line of the first of these keys that exists.
    @discardableResult
    mutating func attempt<Value>(
        _ keys: [String], _ entries: Entries, orAt line: Int, _ work: () throws -> Value
    ) -> Value? {
        do { return try work() } catch {
            let place = keys.lazy.compactMap { entries[$0]?.line }.first ?? line
            note(place, (error as? FramegrepError)?.message ?? LiveRequest.message(for: error))
            return nil
        }
    }

    // MARK: Keys and their values

    /// Returns the entries of a table, those of the outer one first.
    private mutating func entries(
        _ table: TOMLTable, over outer: Entries = [:], allowed: Set<String>, isHere place: String
    ) -> Entries {
        var entries = outer
        for entry in table.entries where entry.key != "source" || place != "the file" {
            guard allowed.contains(entry.key) else {
                let near = ServiceKeys.near(entry.key, among: allowed).map { "; did you mean '\($0)'?" }
                let name =
                    entry.key.count > ServiceKeys.longest
                    ? entry.key.prefix(ServiceKeys.longest) + "…" : entry.key[...]
                note(
                    entry.line,
                    "'\(name)' is not a key of \(place)\(near ?? ". docs/SERVICE.md lists the keys.")")
                continue
            }
            entries[entry.key] = entry
        }
        return entries
    }

    /// Returns the texts of a value, in the form that follows an option; nil if it has another type.
    private mutating func texts(_ entry: TOMLTable.Entry, _ kind: ServiceKeys.Kind) -> [String]? {
        switch (kind, entry.value.content) {
        case (.flag, .boolean(let isOn)): return isOn ? [""] : []
        case (.values, .array(let values)):
            let texts = values.compactMap { Self.text($0) }
            if texts.count == values.count { return withoutZeros(texts, entry) }
        case (.value, _), (.values, _):
            if let text = Self.text(entry.value) { return withoutZeros([text], entry) }
        default: break
        }
        note(entry.value.line, "'\(entry.key)' takes \(kind.sentence), not \(entry.value.kind).")
        return nil
    }

    /// Names and arguments end at a zero byte in C, so another text would be used than the one in the file.
    private mutating func withoutZeros(_ texts: [String], _ entry: TOMLTable.Entry) -> [String]? {
        guard texts.contains(where: { $0.utf8.contains(0) }) else { return texts }
        note(entry.value.line, "'\(entry.key)' contains a zero byte.")
        return nil
    }

    static func text(_ value: TOMLValue) -> String? {
        switch value.content {
        case .string(let text): text
        case .integer(let number): String(number)
        case .float(let number): String(number)
        default: nil
        }
    }

    private mutating func text(_ key: String, _ entries: Entries) -> String? {
        guard let entry = entries[key] else { return nil }
        guard let text = texts(entry, .value)?.first else { return nil }
        if text.isEmpty { note(entry.line, "'\(key)' is empty.") }
        return text
    }

    /// Converts entries to options of `live`; invalid ones are recorded and left out.
    private mutating func options(
        _ entries: Entries, _ keys: [(key: String, option: String, kind: ServiceKeys.Kind)]
    ) -> [String] {
        keys.sorted { $0.key < $1.key }.flatMap { key, option, kind -> [String] in
            guard let entry = entries[key], let texts = texts(entry, kind) else { return [] }
            texts.forEach { rememberSecrets(inArgument: $0) }
            guard kind == .flag || !texts.contains("") else {
                note(entry.value.line, "'\(key)' contains an empty text.")
                return []
            }
            return texts.map { kind == .flag ? "--\(option)" : "--\(option)=\($0)" }
        }
    }

    /// Parses options; each invalid one is recorded at the line of its key, errors of all together at the table's.
    private mutating func command(_ options: [String], _ entries: Entries, line: Int) -> LiveRequest? {
        var rest = options
        while true {
            do {
                let command = try Self.parse(rest)
                return rest.count == options.count ? command : nil
            } catch {
                let message = LiveRequest.message(for: error)
                let culprit = rest.firstIndex { Self.complaint(about: [$0]) == message }
                let key = culprit.map { String(rest[$0].dropFirst(2).prefix { $0 != "=" }) }
                note(key.flatMap { entries[$0]?.line } ?? line, redacted(message))
                guard let culprit else { return nil }
                rest.remove(at: culprit)
            }
        }
    }

    private static func complaint(about options: [String]) -> String? {
        do {
            _ = try parse(options)
            return nil
        } catch {
            return LiveRequest.message(for: error)
        }
    }

    private static func parse(_ options: [String]) throws -> LiveRequest {
        try LiveRequest.parse(options)
    }

    // MARK: The program and its sources

    /// Reads the settings of the whole program.
    mutating func program(_ table: TOMLTable) -> (options: [String], limits: LiveRequest) {
        let entries = table.entries.reduce(into: Entries()) { $0[$1.key] = $1 }
        let options = options(entries, ServiceKeys.program.map { ($0.key, $0.key, $0.value) })
        let command = command(options, entries, line: 1)
        // Errors in these are reported once, not for each source.
        if command != nil { programOptions = options }
        // Only options that were recorded as errors are left out.
        return (options, command ?? (try? Self.parse([])) ?? LiveRequest())
    }

    mutating func sources(_ table: TOMLTable) -> [SourcePlan] {
        let shared = Set(ServiceKeys.words.keys).union(ServiceKeys.others.keys)
        let common = entries(table, allowed: shared.union(ServiceKeys.program.keys), isHere: "the file")
        guard let list = table["source"] else {
            note(1, "There is no source; [[source]] begins one.")
            return []
        }
        guard case .array(let values) = list.content, !values.isEmpty else {
            note(list.line, "Each source is a table of its own, which [[source]] begins.")
            return []
        }
        guard values.count <= Self.mostSources else {
            note(list.line, "There are \(values.count) sources; a service takes \(Self.mostSources) at most.")
            return []
        }
        var plans: [SourcePlan] = []
        for value in values {
            guard case .table(let source) = value.content else {
                note(value.line, "Each source is a table of its own, which [[source]] begins.")
                continue
            }
            // Errors in keys of the program are not repeated for each source.
            let outer = common.filter { ServiceKeys.program[$0.key] == nil }
            let entries = entries(
                source, over: outer, allowed: shared.union(ServiceKeys.source.keys), isHere: "a source")
            guard let plan = self.source(entries, source.line) else { continue }
            noteTwins(plan, others: plans, entries: entries, line: source.line)
            places[plan.name] = (entries, source.line)
            plans.append(plan)
        }
        return plans
    }

    /// Reports sources with the same name, which could not be told apart.
    private mutating func noteTwins(_ plan: SourcePlan, others: [SourcePlan], entries: Entries, line: Int) {
        let topic = TopicName.plain(plan.name)
        if let twin = others.first(where: { TopicName.plain($0.name) == topic }) {
            let same = twin.name == plan.name ? "" : ", which is the same in topics"
            note(
                entries["name"]?.line ?? line,
                "Another source is already called '\(twin.name)'\(same); each needs a name of its own.")
        }
        let record = plan.commandOfNow(Date(timeIntervalSince1970: 0)).options.output.record
        if let record,
            others.contains(where: { $0.commandOfNow(Date(timeIntervalSince1970: 0)).options.output.record == record })
        {
            note(
                entries["record"]?.line ?? line,
                "Another source records into the same file; put \(SourcePlan.nameHole) into its name.")
        }
    }

    private mutating func source(_ entries: Entries, _ line: Int) -> SourcePlan? {
        guard let name = text("name", entries), !name.isEmpty else {
            if entries["name"] == nil { note(line, "The source has no name; give it one, such as name = \"door\".") }
            return nil
        }
        let count = problems.count
        let address = address(entries, line)
        let words = options(entries, ServiceKeys.words.map { ($0.key, $0.value.option, $0.value.kind) })
        let addressFile = entries["address-file"].flatMap { Self.text($0.value) }
        var others = options(entries, ServiceKeys.others.map { ($0.key, $0.key, $0.value) })
        if let device = text("device", entries) { others.append("--device=\(device)") }
        if entries["reconnect"] == nil { others.append("--reconnect=forever") }
        let repeats = entries["repeat"].flatMap { texts($0, .flag) } == [""]
        guard let command = command(words + others + programOptions + ["--headless"], entries, line: line),
            problems.count == count
        else { return nil }
        let plan = SourcePlan(
            name: name, addressFile: addressFile, address: address, repeats: repeats, words: words, others: others,
            command: command,
            // An invalid file is recorded by the check.
            login: (try? command.options.targets.broker.credentials()).map { "\($0.user):\($0.password ?? "")" })
        check(plan, entries, line)
        return plan
    }

    private mutating func address(_ entries: Entries, _ line: Int) -> String? {
        let keys = ["address", "address-file", "address-variable", "device"]
        let given = keys.filter { entries[$0] != nil }
        if given.count > 1, let entry = entries[given[1]] {
            note(entry.line, "'\(given[0])' and '\(given[1])' both say what the source is; give one of them.")
        }
        if let file = text("address-file", entries) { return address(inFile: file, entries) }
        if let variable = text("address-variable", entries) {
            let value = ProcessInfo.processInfo.environment[variable] ?? ""
            if value.isEmpty, let entry = entries["address-variable"] {
                note(entry.line, "The variable \(variable) of 'address-variable' is not set.")
            }
            rememberSecrets(inArgument: value)
            // It may contain a password, which commands of 'exec' do not need.
            Spawn.withhold(variable)
            return value
        }
        guard let address = text("address", entries), let entry = entries["address"] else { return nil }
        rememberSecrets(inArgument: address)
        if redacted(address) != address, BrokerOptions.isReadByAll(path) {
            note(
                entry.line,
                "'address' contains a password, and every user of this machine can read the file; forbid that (chmod o-r), or put the address into a file of its own ('address-file')."
            )
        }
        return address
    }

    private mutating func address(inFile file: String, _ entries: Entries) -> String? {
        let text = (try? TextFile.text(of: file, limit: 1 << 14))?.split(whereSeparator: \.isNewline).first
        guard let text = text.map(String.init) else {
            note(
                entries["address-file"]?.line ?? 1,
                "The file \(file) of 'address-file' cannot be read; it must have one line, the address.")
            return nil
        }
        rememberSecrets(inArgument: text)
        if redacted(text) != text { checkIsPrivate(file, "address-file", entries) }
        return text
    }

    /// Records a file with a password that all users can read.
    mutating func checkIsPrivate(_ file: String, _ key: String, _ entries: Entries) {
        guard let entry = entries[key], BrokerOptions.isReadByAll(file) else { return }
        note(
            entry.line,
            "The file \(file) of '\(key)' contains a password, and every user of this machine can read it; forbid that (chmod o-r)."
        )
    }
}
