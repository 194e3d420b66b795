import Foundation
import GStreamerMedia
import Synchronization
import TextIndex
import TextMatching
import TextSpotting

/// The entries of the index for the inputs of a search, and the results found in them.
struct IndexedInputs: Sendable {
    /// One input that is in the index.
    struct Entry: Sendable {
        var source: IndexedSource
        /// The known results.
        var sightings: [Sighting] = []
        /// The results still being searched for.
        var findings: IndexedFindings? = nil

        /// The searched part; nil for all of it.
        var times: (from: StreamTime?, to: StreamTime?)? = nil

        /// The length of the searched part.
        var seconds: Double {
            guard !source.isStill else { return 0 }
            let (from, to) = (times?.from ?? .zero, times?.to ?? source.end)
            return max(0, (min(to, source.end) - from).seconds)
        }
    }

    /// The entries, keyed by the names of the inputs.
    private(set) var entries: [ExactName: Entry] = [:]
    /// For a search without inputs: the results so far, and the recordings that were not read or whose time is unknown.
    private var findings: IndexedFindings?
    private var failed: [IndexedSource] = []
    private var undated: [IndexedSource] = []
    /// Whether no input was named, so that everything in the index is searched.
    private(set) var isEverything = false
    private(set) var folder = ""

    static let none = IndexedInputs()

    subscript(name: String) -> Entry? { entries[ExactName(name)] }

    /// Whether a finished search without inputs met a part of the index that cannot be read, which was reported.
    var isDamaged: Bool { findings.map { !$0.answer.problems.isEmpty } ?? false }

    /// The recordings that the index does not fully cover, and the reasons, for a finished search without inputs.
    var missing: [(source: IndexedSource, reason: IndexedSource.Lack)] {
        guard let answer = findings?.answer else { return [] }
        // Recordings that the user removed are not reported each time.
        return failed.map { ($0, .unread($0.problem)) }
            + answer.lacks(of: names.compactMap { self[$0]?.source })
            + undated.map { ($0, .undated) }
    }

    /// The names of all known inputs, in order.
    var names: [String] { entries.keys.map(\.text).sorted() }

    /// Returns whether all inputs are in the index, so that nothing has to be read.
    func cover(_ inputs: [SearchInput]) -> Bool { inputs.allSatisfy { self[$0.name] != nil } }

    /// The total length of the searched recordings and live sources, in seconds.
    var seconds: Double { entries.values.reduce(0) { $0 + $1.seconds } }

    /// The skimmed recordings, of which only some pictures were read.
    var skimmed: [Entry] { entries.values.filter { $0.source.isSkimmed && !$0.source.isStill } }

    /// The entries that were read live, keyed by the names of the cameras and streams.
    var live: [String: [Entry]] {
        Dictionary(grouping: entries.values.filter(\.source.isLive)) {
            LiveName($0.source.name)?.source ?? $0.source.name
        }
    }
}

extension OpenedSource {
    /// The beginning of the recording, as stated in it.
    var wallStart: Date? { info.creationTime.map(Date.init(timeIntervalSince1970:)) }

    /// The wall clock; nil if unknown.
    var clock: WallClock? { isStill ? nil : wallStart.map { WallClock(start: $0) } }
}

extension IndexedSource {
    /// The length as far as known; zero for a still.
    var searchedLength: StreamTime? {
        isStill ? StreamTime(nanoseconds: 1) : isLive || isReadToEnd ? end : max(duration ?? end, end)
    }

    /// Whether its last frame was read, so that its stated length does not matter.
    var isReadToEnd: Bool { state == .complete && interval == nil }

    /// The wall clock; nil if unknown.
    var clock: WallClock? { isStill ? nil : wallStart.map { WallClock(start: $0, isLive: isLive) } }
}

extension IndexedInputs {
    /// The way in which a search queries the index.
    struct Query {
        var index: TextIndex
        var matcher: Matcher
        var minimumScore: Double
        var extent: SearchExtent
        var keepsBoxes: Bool
    }

    /// Returns everything in the index; it is searched when the results are requested (``IndexedFindings``).
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    static func everything(_ query: Query) throws -> IndexedInputs {
        var result = IndexedInputs()
        result.isEverything = true
        result.folder = query.index.folder.path
        let all = try query.index.sources()
        result.failed = all.filter { $0.state == .failed }
        let best = IndexedSource.best(of: all)
        let findings = IndexedFindings(query, order: best.sorted { $0.name < $1.name }.map(\.id))
        result.findings = findings
        for source in best { result.entries[ExactName(source.name)] = Entry(source: source, findings: findings) }
        return result
    }

    /// Returns the inputs that the index contains completely, read as this search would read them.
    ///
    /// - Parameter skims: whether skimmed recordings count too, if they were not read completely.
    static func covering(
        _ inputs: [SearchInput], manner: ReadingProfile, skims: Bool, _ query: Query
    ) throws -> IndexedInputs {
        let manners = manner.texts(skims: skims)
        var found: [(name: String, source: IndexedSource)] = []
        for input in inputs {
            guard let name = try sourceName(of: input.name) else { continue }
            let whole = try manners.compactMap { try query.index.source(named: name, manner: $0) }.filter {
                manner.fits($0) && $0.state == .complete && $0.problem == nil && TextIndex.isAsItWas($0)
            }
            if let source = IndexedSource.best(of: whole).first { found.append((input.name, source)) }
        }
        var result = IndexedInputs()
        guard !found.isEmpty else { return result }
        let answer = try query.index.search(
            for: query.matcher, in: Set(found.map(\.source.id)), minimumScore: query.minimumScore,
            extent: query.extent, keepsBoxes: query.keepsBoxes)
        answer.tellProblems()
        for (name, source) in found
        where !answer.incomplete.contains(source.id) && !answer.withoutVectors.contains(source.id) {
            result.entries[ExactName(name)] = Entry(source: source, sightings: answer.sightings[source.id] ?? [])
        }
        return result
    }

    /// Keeps the part in a range of wall-clock time: a search of everything drops the others, a search of named inputs
    /// keeps them.
    func narrowed(to range: WallRange, _ dates: FileDates) -> IndexedInputs {
        guard range.isAsked, isEverything else { return self }
        func times(of source: IndexedSource) -> (from: StreamTime?, to: StreamTime?)?? {
            let (stamp, length, name) = (source.stamp, source.searchedLength, redacted(source.name))
            guard let start = source.wallStart ?? dates.start(of: nil, stamp, length: length, named: name) else {
                return nil
            }
            return .some(range.part(from: start, length: length, of: (nil, nil)))
        }
        var result = self
        for (name, var entry) in entries.sorted(by: { $0.key.text < $1.key.text }) {
            switch times(of: entry.source) {
            case .none:
                result.entries[name] = nil
                result.undated.append(entry.source)
            case .some(.none): result.entries[name] = nil
            case .some(let part):
                entry.times = part
                result.entries[name] = entry
            }
        }
        // The others are not searched.
        let findings = findings?.narrowed(to: Set(result.entries.values.map(\.source.id)))
        result.findings = findings
        for name in result.entries.keys { result.entries[name]?.findings = findings }
        return result
    }

    /// Returns the catalog's name for an input: its file's path without links; nil if it is not a file.
    static func sourceName(of input: String) throws -> String? {
        guard let path = try SourceURI(input).path, FileStamp(path: path) != nil else { return nil }
        return FileBounds.realPath(path)
    }
}

/// Estimates when recordings were made that do not state it: the date of the file is taken for their end. Remembers for
/// which recordings that was done, so that it can be reported. Thread-safe.
final class FileDates: Sendable {
    private static let mostNamed = 3
    private let names = Mutex<[ExactName]>([])

    /// Estimates the wall-clock time of a recording's beginning from its file's date; nil if it is not a file.
    func start(of path: String?, _ stamp: FileStamp? = nil, length: StreamTime?, named name: String) -> Date? {
        guard let stamp = stamp ?? path.flatMap(FileStamp.init(path:)) else { return nil }
        names.withLock { if !$0.contains(ExactName(name)) { $0.append(ExactName(name)) } }
        return Date(timeIntervalSince1970: Double(stamp.modified) / 1e9 - (length?.seconds ?? 0))
    }

    /// A sentence naming the recordings with estimated times; nil for none.
    var sentence: String? {
        let names = names.withLock { $0.map(\.text) }.sorted()
        guard !names.isEmpty else { return nil }
        let named = names.prefix(Self.mostNamed).joined(separator: ", ")
        let more = names.count > Self.mostNamed ? " and \(names.count - Self.mostNamed) more" : ""
        let verb = names.count == 1 ? "does not say when it was" : "do not say when they were"
        return
            "\(named)\(more) \(verb) recorded: the \(names.count == 1 ? "file's date" : "files' dates") counted as the end, which a copy may have changed."
    }
}

/// The sightings of one input as a search of it would have reported them.
struct IndexedAnswer {
    let sightings: [Sighting]
    /// The beginning of the searched time.
    let from: StreamTime?
    let to: StreamTime?
    /// The largest number of sightings wanted.
    let maximum: Int?

    /// The sightings in the order in which they end.
    var reported: [Sighting] {
        var found = sightings.compactMap(cut)
        if from != nil || to != nil {
            let order = found.sorted { ($0.start, $0.id) < ($1.start, $1.id) }.map(\.id)
            for index in found.indices { found[index].id = (order.firstIndex(of: found[index].id) ?? 0) + 1 }
        }
        return found.filter { sighting in maximum.map { sighting.id <= $0 } ?? true }
    }

    /// Cuts a sighting to the searched time.
    private func cut(_ sighting: Sighting) -> Sighting? {
        var part = sighting
        if let from { part.start = max(part.start, from) }
        if let to { part.end = min(part.end, to) }
        guard part.start < part.end else { return nil }
        part.boxes = sighting.boxes.filter { $0.time.end > part.start && $0.time.start < part.end }
        if part.peak.time.start < part.start || part.peak.time.start >= part.end {
            part.peak.time.start = part.start
        }
        return part
    }
}
