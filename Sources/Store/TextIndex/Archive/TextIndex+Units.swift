import Errors
import Foundation
import GRDB
public import TextSpotting

/// Turns the results of units into recordings of an index.
extension TextIndex {
    /// The outcome of merging results of units.
    public struct UnitMerge: Sendable, Hashable {
        /// Recordings that are now complete in the index.
        public var taken = 0
        /// Recordings that the index already had, read as far or further.
        public var known = 0
        /// Recordings with missing units.
        public var missing: [Missing] = []

        /// A recording with missing results: its name, their number, and the time up to which the index has it.
        public struct Missing: Sendable, Hashable {
            public var name: String
            public var count: Int
            public var end: StreamTime
        }
    }

    private struct Recording {
        var pieces: [Int: UnitResult] = [:]

        var count: Int { pieces.first?.value.unit.pieces ?? 0 }

        /// The results without a gap from the beginning. Parts after a gap are ignored until it is filled, so that
        /// "read up to here" stays true.
        var leading: [UnitResult] { (0..<count).prefix { pieces[$0] != nil }.compactMap { pieces[$0] } }

        /// The recording according to these results; nil if its first one is missing.
        var source: IndexedSource? {
            let leading = leading
            guard let first = leading.first else { return nil }
            var source = first.unit.source(first.outcome)
            source.end = StreamTime(seconds: leading.reduce(0) { max($0, $1.outcome.end) })
            source.problem = leading.lazy.compactMap(\.outcome.problem).first
            source.state = leading.count == count ? .complete : .partial
            source.added = Date()
            source.stamp = TextIndex.stamp(ofFile: source.name, digest: source.digest)
            return source
        }
    }

    /// Merges the results of an archive's units.
    ///
    /// The index is the same in the end, whichever results are given, in whatever order and however often. If the
    /// program is killed, the next run takes over the recordings that it left.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexUnreadable`, `outputFailed`; `badArgument` if two plans are
    ///   mixed).
    public func merge(_ results: [UnitResult]) throws -> UnitMerge {
        upkeep.lock()
        defer { upkeep.unlock() }
        var merge = UnitMerge()
        let recordings = try Self.recordings(results)
        let own = try sources()
        var wanted: [(source: IndexedSource, results: [UnitResult])] = []
        for recording in recordings {
            let absent = recording.count - recording.pieces.count
            let name = recording.pieces.first?.value.unit.input ?? ""
            let source = recording.source
            if absent > 0 { merge.missing.append(.init(name: name, count: absent, end: source?.end ?? .zero)) }
            guard let source else { continue }
            let known = own.first { ExactName($0.name) == ExactName(source.name) && $0.manner == source.manner }
            if let known, !Self.isMore(source, than: known) {
                merge.known += 1
            } else {
                wanted.append((source, recording.leading))
                merge.taken += source.state == .complete ? 1 : 0
            }
        }
        try replace(wanted, own)
        return merge
    }

    /// Groups the results by recording, in the order of names.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    private static func recordings(_ results: [UnitResult]) throws -> [Recording] {
        struct Name: Hashable {
            let input: ExactName
            let manner: String
        }
        var recordings: [Name: Recording] = [:]
        for result in results {
            let unit = result.unit
            let name = Name(input: ExactName(unit.input), manner: unit.manner)
            if let other = recordings[name]?.pieces.first?.value.unit,
                other.recording != unit.recording || other.pieces != unit.pieces
            {
                throw FramegrepError(
                    .badArgument,
                    "\(unit.input) was read by two plans (another state of its file, other settings or another grid); merge the results of one, such as those in a folder of their own."
                )
            }
            recordings[name, default: Recording()].pieces[unit.piece] = result
        }
        return recordings.sorted { ($0.key.input.text, $0.key.manner) < ($1.key.input.text, $1.key.manner) }.map(
            \.value)
    }

    /// The approximate number of texts that are written at a time.
    private static let linesOfAWrite = 200_000

    private func replace(_ wanted: [(source: IndexedSource, results: [UnitResult])], _ own: [IndexedSource]) throws {
        guard !wanted.isEmpty else { return }
        let stale = own.filter { known in
            wanted.contains {
                $0.source.id == known.id
                    || (ExactName($0.source.name), $0.source.manner) == (ExactName(known.name), known.manner)
            }
        }
        try forget(Set(stale.map(\.id)))
        var contents = SegmentContents()
        var whole: [IndexedSource] = []
        func flush(_ begun: IndexedSource? = nil) throws {
            var sources = whole
            if var begun {
                // Until it is complete it counts as missing.
                begun.state = .failed
                begun.problem = "it was being taken over from an archive's units"
                sources.append(begun)
            }
            guard !sources.isEmpty else { return }
            try write(contents, inPlaceOf: []) { database in
                for source in sources { try Catalog.put(source, database) }
            }
            (contents, whole) = (SegmentContents(), [])
        }
        for (source, results) in wanted {
            for result in results {
                let segment = try result.segment()
                if try contents.lineCount + segment.lineCount() > SegmentContents.mostLines { try flush(source) }
                try segment.add(to: &contents) { $0.source == source.id }
            }
            whole.append(source)
            if contents.lineCount >= Self.linesOfAWrite { try flush() }
        }
        try flush()
        try mergeSmall()
    }
}

/// A digest for comparing two indexes.
extension TextIndex {
    /// A checksum of everything that was read: the recordings, how far they were read, the times of their frames, and
    /// every line with the times, places and evidence of its words.
    ///
    /// It leaves out everything that does not describe the recordings: the numbers that an index gives them, the
    /// division into segments, when they were read, and the dates of their files on this machine.
    public struct Digest: Sendable, Hashable {
        /// The digest of everything, in 64 hexadecimal digits.
        public var whole: String
        /// The digest of each recording, by name.
        public var recordings: [(name: String, digest: String)]

        public static func == (a: Digest, b: Digest) -> Bool { a.whole == b.whole }

        public func hash(into hasher: inout Hasher) { hasher.combine(whole) }
    }

    /// Reads the whole index. Recordings that could not be read, or are no longer kept, are left out.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    public func digest() throws -> Digest {
        try withPresentSegments { () -> Digest in
            let parts = Dictionary(grouping: try catalog.parts(), by: \.source)
            let sources = try self.sources().filter { $0.state == .complete || $0.state == .partial }
                .sorted { ($0.name, $0.manner) < ($1.name, $1.manner) }
            var whole = SHA256()
            var recordings: [(name: String, digest: String)] = []
            for source in sources {
                var sum = SHA256()
                Self.add(source, to: &sum)
                let own = (parts[source.id] ?? []).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
                for part in own { try segment(part.segment).add(part, to: &sum) }
                let digest = sum.finish()
                whole.add(digest)
                recordings.append((source.name, digest))
            }
            return Digest(whole: whole.finish(), recordings: recordings)
        }
    }

    private static func add(_ source: IndexedSource, to sum: inout SHA256) {
        for text in [source.name, source.manner, source.digest ?? "", source.state.rawValue] { sum.add(text) }
        sum.add(source.end.nanoseconds)
        sum.add(source.duration?.nanoseconds ?? -1)
        sum.add(Int64(source.isStill ? 1 : 0))
        sum.add(Int64(source.problem == nil ? 0 : 1))
        // To the microsecond, the precision of a rebuilt catalog.
        sum.add(source.wallStart.map { Int64(($0.timeIntervalSince1970 * 1e6).rounded()) } ?? -1)
    }
}

extension SegmentFile {
    private typealias DigestRows = (
        head: [[UInt8]], lines: [(first: Int64, last: Int64, text: String, data: [UInt8])]
    )

    /// Returns the stored form of everything in a part.
    private func rows(of part: Catalog.Part) throws -> DigestRows {
        try read { database in
            let heads = try Row.fetchCursor(
                database, sql: "SELECT id, frames, steps FROM part WHERE source = ? AND first = ? AND last = ?",
                arguments: [part.source.number, part.from.nanoseconds, part.to.nanoseconds])
            var ids: [Int] = []
            var head: [[UInt8]] = []
            while let row = try heads.next() {
                ids.append(try row.count(0))
                head += [try row.bytes(1), try row.bytes(2)]
            }
            var lines: [(first: Int64, last: Int64, text: String, data: [UInt8])] = []
            for id in ids {
                lines += try database.rows(
                    "SELECT first, last, text, data FROM seen JOIN line ON line.id = seen.line WHERE part = ?", [id]
                ) { (try $0.amount(0), try $0.amount(1), try $0.text(2), try $0.bytes(3)) }
            }
            return (head: head, lines: lines)
        }
    }

    /// Adds everything in a part to a sum, with the lines in an order that does not depend on how the segment was put
    /// together.
    fileprivate func add(_ part: Catalog.Part, to sum: inout SHA256) throws {
        let rows = try rows(of: part)
        sum.add(part.from.nanoseconds)
        sum.add(part.to.nanoseconds)
        for bytes in rows.head {
            sum.add(Int64(bytes.count))
            sum.add(bytes)
        }
        let lines = rows.lines.sorted { a, b in
            if (a.first, a.last, a.text) != (b.first, b.last, b.text) {
                return (a.first, a.last, a.text) < (b.first, b.last, b.text)
            }
            return a.data.lexicographicallyPrecedes(b.data)
        }
        sum.add(Int64(lines.count))
        for line in lines {
            sum.add(line.first)
            sum.add(line.last)
            sum.add(line.text)
            sum.add(Int64(line.data.count))
            sum.add(line.data)
        }
    }
}
