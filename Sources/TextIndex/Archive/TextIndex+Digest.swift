import Foundation
import GRDB
import TextSpotting

/// By what two indexes are known to hold the same.
extension TextIndex {
    /// The sum of all that was read: recordings, how far, the times of their frames, and every line with its words' times, places and
    /// evidence.
    ///
    /// Left out is what says nothing of the recordings: the numbers that an index gives them, into which segments they are put
    /// together, when they were read, and what their files' dates are on this machine.
    public struct Digest: Sendable, Hashable {
        /// Of everything, in 64 hexadecimal digits.
        public var whole: String
        /// Of each recording, by name.
        public var recordings: [(name: String, digest: String)]

        public static func == (a: Digest, b: Digest) -> Bool { a.whole == b.whole }

        public func hash(into hasher: inout Hasher) { hasher.combine(whole) }
    }

    /// Reads all of the index. What could not be read, or is no longer kept, is left out.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    public func digest() throws -> Digest {
        let parts = Dictionary(grouping: try catalog.parts(), by: \.source)
        let sources = try sources().filter { $0.state == .complete || $0.state == .partial }
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

    private static func add(_ source: IndexedSource, to sum: inout SHA256) {
        for text in [source.name, source.manner, source.digest ?? "", source.state.rawValue] { sum.add(text) }
        sum.add(source.end.nanoseconds)
        sum.add(source.duration?.nanoseconds ?? -1)
        sum.add(Int64(source.isStill ? 1 : 0))
        sum.add(Int64(source.problem == nil ? 0 : 1))
        // To the microsecond, which is what a catalog made anew keeps of it.
        sum.add(source.wallStart.map { Int64(($0.timeIntervalSince1970 * 1e6).rounded()) } ?? -1)
    }
}

extension SegmentFile {
    /// Adds all of a part to a sum: its lines in an order that is the same however the segment was put together.
    fileprivate func add(_ part: Catalog.Part, to sum: inout SHA256) throws {
        let rows = try read { database in
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
                let seen = try Row.fetchCursor(
                    database,
                    sql: "SELECT first, last, text, data FROM seen JOIN line ON line.id = seen.line WHERE part = ?",
                    arguments: [id])
                while let row = try seen.next() {
                    lines.append((try row.amount(0), try row.amount(1), try row.text(2), try row.bytes(3)))
                }
            }
            return (head: head, lines: lines)
        }
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
