import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting

/// What the index knows of the inputs of a search, and what it found in them.
struct IndexedInputs: Sendable {
    /// One input that is in the index.
    struct Entry: Sendable {
        var source: IndexedSource
        var sightings: [Sighting]
    }

    /// By the inputs' names.
    private(set) var entries: [String: Entry] = [:]
    /// Of a search without inputs: what is not in the index as it should be, and why.
    private(set) var missing: [(source: IndexedSource, reason: String)] = []
    /// No input was named: all that is in the index is searched.
    private(set) var isEverything = false
    /// Where the index is.
    private(set) var folder = ""

    static let none = IndexedInputs()

    subscript(name: String) -> Entry? { entries[name] }

    /// Of all that are known, in order.
    var names: [String] { entries.keys.sorted() }

    /// All of the inputs are in the index, so that nothing has to be read.
    func cover(_ inputs: [SearchInput]) -> Bool { inputs.allSatisfy { entries[$0.name] != nil } }

    /// How much of the recordings was searched, in seconds.
    var seconds: Double {
        entries.values.reduce(0) { $0 + ($1.source.isStill ? 0 : $1.source.end.seconds) }
    }
}

extension IndexedInputs {
    /// How a search asks the index.
    struct Query {
        var index: TextIndex
        var matcher: Matcher
        var minimumScore: Double
        var keepsBoxes: Bool
    }

    /// Everything that is in the index.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    static func everything(_ query: Query) throws -> IndexedInputs {
        var result = IndexedInputs()
        result.isEverything = true
        result.folder = query.index.folder.path
        let all = try query.index.sources()
        // What a person had taken out is not told each time.
        result.missing = all.filter { $0.state == .failed }.map { ($0, $0.problem ?? "it could not be read") }
        let best = IndexedSource.best(of: all)
        let answer = try result.ask(query, Set(best.map(\.id)))
        for source in best {
            result.entries[source.name] = Entry(source: source, sightings: answer.sightings[source.id] ?? [])
            if let reason = Self.reason(source, answer) { result.missing.append((source, reason)) }
        }
        return result
    }

    private static func reason(_ source: IndexedSource, _ answer: TextIndex.Answer) -> String? {
        answer.incomplete.contains(source.id) ? "a part of the index is damaged" : source.lack
    }

    /// Those of the inputs that the index has whole, read as this search would read them.
    static func covering(_ inputs: [SearchInput], manner: ReadingManner, _ query: Query) throws -> IndexedInputs {
        var found: [(name: String, source: IndexedSource)] = []
        for input in inputs {
            guard let name = try sourceName(of: input.name),
                let source = try query.index.source(named: name, manner: manner.text),
                source.state == .complete, source.problem == nil, TextIndex.isAsItWas(source)
            else { continue }
            found.append((input.name, source))
        }
        var result = IndexedInputs()
        guard !found.isEmpty else { return result }
        let answer = try result.ask(query, Set(found.map(\.source.id)))
        for (name, source) in found where !answer.incomplete.contains(source.id) {
            result.entries[name] = Entry(source: source, sightings: answer.sightings[source.id] ?? [])
        }
        return result
    }

    private func ask(_ query: Query, _ sources: Set<SourceID>) throws -> TextIndex.Answer {
        let answer = try query.index.search(
            for: query.matcher, in: sources, minimumScore: query.minimumScore, keepsBoxes: query.keepsBoxes)
        for problem in answer.problems { StandardError.line("framegrep: \(problem.message)") }
        return answer
    }

    /// What the catalog calls an input: its file's path without links; nil for what is no file.
    static func sourceName(of input: String) throws -> String? {
        guard let path = try SourceURI(input).path, FileStamp(path: path) != nil else { return nil }
        return FileName.withCName(path) { name in
            guard let real = realpath(name, nil) else { return nil }
            defer { free(real) }
            return FileName.text(ofCName: real)
        }
    }
}
