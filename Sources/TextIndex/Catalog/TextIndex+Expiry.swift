import Errors
public import Foundation
import GRDB

/// Removes recordings that are old, or that exceed a budget.
extension TextIndex {
    /// The recordings that an expiry removed.
    public struct Expiry: Sendable {
        /// The recordings, the oldest first.
        public var recordings: [IndexedSource] = []
        /// The size of all segments before and after, in bytes.
        public var bytes: (before: Int64, after: Int64) = (0, 0)
    }

    /// Once there is too much, so much is taken out that this share of the budget is left, because each time segments
    /// are written anew.
    private static let shareLeft = 0.95

    /// Takes out recordings that were read too long ago, and the oldest of the others until the segments take no more than
    /// the budget. Their names stay known, so that they are not read again.
    ///
    /// - Parameters:
    ///   - limit: recordings that were read before go; nil for none.
    ///   - budget: in bytes; nil for no bound.
    public func expire(readBefore limit: Date?, budget: Int64?) throws -> Expiry {
        upkeep.lock()
        defer { upkeep.unlock() }
        var expiry = Expiry()
        let unknown = try unknownFiles()
        let extra = unknown.reduce(0) { $0 + folder.bytes(ofSegment: $1) }
        expiry.bytes.before = try size().bytes + extra
        let old = try byAge().filter { entry in limit.map { entry.added < $0 } ?? false }
        try expire(old.map(\.source), &expiry)
        if let budget {
            // Files that no search uses go first.
            if expiry.bytes.before > budget { try takeOutFiles(unknown) }
            try expire(downTo: budget, &expiry)
        }
        expiry.bytes.after =
            try size().bytes + unknownFiles().reduce(0) { $0 + folder.bytes(ofSegment: $1) }
        return expiry
    }

    /// Segments of which the catalog does not know: left by killed programs of older versions, or copied here. Those of newer programs
    /// are not counted.
    private func unknownFiles() throws -> [String] {
        let listed = Set(try catalog.segments().map(\.name))
        return segmentFiles().filter { name in
            guard !listed.contains(name) else { return false }
            do { _ = try SegmentFile(path: folder.segment(name)) } catch let error as FramegrepError {
                return error.code != .indexNewer
            } catch { return true }
            return true
        }
    }

    private func takeOutFiles(_ names: [String]) throws {
        guard !names.isEmpty else { return }
        try catalog.write { try Catalog.note(names, .delete, $0) }
        deleteFiles(names)
    }

    private func expire(downTo budget: Int64, _ expiry: inout Expiry) throws {
        var goal = Double(budget)
        // What a recording takes is known only once it is gone, so it may need another round.
        while try size().bytes > budget {
            let shares = try bytesOfSources()
            var left = Double(try size().bytes)
            goal *= Self.shareLeft
            var chosen: [IndexedSource] = []
            for (source, _) in try byAge() where left > goal {
                chosen.append(source)
                left -= shares[source.id] ?? 0
            }
            guard !chosen.isEmpty else { return }
            try expire(chosen, &expiry)
        }
    }

    private func expire(_ sources: [IndexedSource], _ expiry: inout Expiry) throws {
        guard !sources.isEmpty else { return }
        let ids = Set(sources.map(\.id))
        // First hide them from searches, then delete them.
        try takeOut(ids, named: Set(sources.map(\.name)), leavesNothing: false) { database in
            for var source in sources {
                source.state = .expired
                source.problem = nil
                try Catalog.put(source, database)
                try Catalog.removeParts(of: source.id, database)
            }
        }
        expiry.recordings += sources
    }

    /// The recordings of which something is kept, those that were read first before the others.
    private func byAge() throws -> [(source: IndexedSource, added: Date)] {
        var segments: [SourceID: String] = [:]
        for part in try catalog.parts() {
            // The names of segments rise with the time at which they were written.
            segments[part.source] = min(segments[part.source] ?? part.segment, part.segment)
        }
        return try catalog.sources().compactMap { source in
            guard let segment = segments[source.id] else { return nil }
            return (source, source.added ?? IndexFolder.time(ofSegment: segment) ?? .distantPast)
        }.sorted { ($0.added, $0.source.name) < ($1.added, $1.source.name) }
    }

    /// Estimates the share of each recording in the segments' size.
    private func bytesOfSources() throws -> [SourceID: Double] {
        var result: [SourceID: Double] = [:]
        for segment in try catalog.segments() {
            let file = try SegmentFile(path: folder.segment(segment.name))
            let shares = try file.bytesOfParts()
            let sources = try file.sourcesOfParts()
            let all = max(1, shares.values.reduce(0, +))
            for (part, bytes) in shares {
                guard let source = sources[part] else { continue }
                result[source, default: 0] += Double(folder.bytes(of: segment)) * Double(bytes) / Double(all)
            }
        }
        return result
    }
}

extension SegmentFile {
    /// How many bytes the lines of each part take, without what helps to find them.
    fileprivate func bytesOfParts() throws -> [Int: Int] {
        try read { database in
            var result: [Int: Int] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT part.id, length(frames) + length(steps) + 100 + coalesce((SELECT sum(length(data) + 60)
                        FROM seen WHERE seen.part = part.id), 0) FROM part
                    """)
            while let row = try rows.next() { result[try row.count(0)] = try row.count(1) }
            return result
        }
    }
}

extension IndexFolder {
    /// When a segment was written, as its name (ULID) tells.
    static func time(ofSegment name: String) -> Date? {
        let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        guard let file = name.split(separator: "/").last, file.count >= 10 else { return nil }
        var milliseconds: UInt64 = 0
        for letter in file.prefix(10) {
            guard let value = letters.firstIndex(of: letter) else { return nil }
            milliseconds = milliseconds << 5 | UInt64(value)
        }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
