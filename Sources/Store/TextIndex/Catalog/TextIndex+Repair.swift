import Errors
import Foundation
import GRDB

/// Finds and repairs damage in an index.
extension TextIndex {
    /// A problem found in an index.
    public struct Finding: Sendable, Hashable {
        public enum Kind: Sendable {
            /// The catalog was damaged or missing, and has been rebuilt.
            case catalog
            /// Bytes behind the catalog that do not belong to it. They change nothing.
            case foreignBytes
            /// A segment that cannot be read, or contradicts the catalog.
            case damaged
            /// A file among the segments that the catalog does not list.
            case unknown
            /// Work that a killed program left unfinished.
            case unfinished
            /// A segment that exists but cannot be opened: its contents are unknown, and it is left alone.
            case unreadable
            /// A segment of a newer program, which is left alone.
            case newer
            /// The vectors of a segment, which can be made anew without reading a recording.
            case vectors
            /// Vectors that a newer program made, or that cannot be opened; they are left alone.
            case strangeVectors
        }

        public var kind: Kind
        public var message: String
        public var segment: String
        /// Recordings that are to be read again.
        public var sources: [String] = []
        /// The new paths of the files that were moved aside because of it.
        public var aside: [String] = []

        /// Whether it is left as it is.
        public var isLeftAlone: Bool { kind == .newer || kind == .unreadable || kind == .strangeVectors }

        /// Whether it affects search by meaning only, and no recording.
        var isAboutVectors: Bool { kind == .vectors || kind == .strangeVectors }
    }

    /// Checks that the catalog and every segment exist, can be read, and are complete. Another program may be writing.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if the catalog is damaged.
    public func check() throws -> [Finding] {
        try catalog.check()
        var findings = try foreignBytes()
        var checked = Set<String>()
        while true {
            // Some segments may have been replaced meanwhile.
            let segments = try catalog.segments().filter { !checked.contains($0.name) }
            guard !segments.isEmpty else { break }
            let parts = Dictionary(grouping: try catalog.parts(), by: \.segment)
            for segment in segments {
                guard let finding = try problem(of: segment, parts[segment.name] ?? []),
                    try catalog.segments().contains(where: { $0.name == segment.name })
                else { continue }
                findings.append(finding)
            }
            checked.formUnion(segments.map(\.name))
        }
        return try findings + remains(besides: Set(findings.filter { !$0.isAboutVectors }.map(\.segment)))
    }

    private func foreignBytes() throws -> [Finding] {
        let count = try catalog.foreignBytes()
        guard count > 0 else { return [] }
        return [
            Finding(
                kind: .foreignBytes,
                message:
                    "The catalog \(folder.catalog) is followed by \(count) bytes that do not belong to it; 'framegrep index repair' removes them, and keeps a copy.",
                segment: "")
        ]
    }

    private func problem(of segment: Catalog.Segment, _ parts: [Catalog.Part]) throws -> Finding? {
        do {
            try check(segment, parts)
            return checkVectors(of: segment)
        } catch let error as FramegrepError {
            let ids = Set(parts.map(\.source))
            let sources = Set(try catalog.sources().filter { ids.contains($0.id) }.map(\.name))
            let kind: Finding.Kind =
                error.code == .indexNewer ? .newer : error.code == .indexUnreadable ? .unreadable : .damaged
            return Finding(kind: kind, message: error.message, segment: segment.name, sources: sources.sorted())
        }
    }

    /// Returns unfinished work of killed programs, and unknown files. Empty while another program writes, which has
    /// both all the time.
    ///
    /// - Parameter damaged: segments that are reported anyway.
    private func remains(besides damaged: Set<String>) throws -> [Finding] {
        let (files, leftovers) = (Set(folder.segmentFiles()), Set(try catalog.leftovers()))
        guard lock != nil || !Self.isBusy(folder) else { return [] }
        // Segments may have been added or removed meanwhile by a program that has just ended.
        let listed = Set(try catalog.segments().map(\.name))
        let left = leftovers.intersection(try catalog.leftovers())
        let works = Dictionary(left.map { ($0.name, $0.work) }) { first, _ in first }
        let stray = files.intersection(folder.segmentFiles()).subtracting(listed)
        let unfinished = listed.subtracting(damaged).filter { works[$0] == .rewrite }
        return unfinished.sorted().map { self.unfinished($0) } + stray.sorted().map { unknown($0, works[$0]) }
    }

    private func check(_ segment: Catalog.Segment, _ parts: [Catalog.Part]) throws {
        let path = folder.segment(segment.name)
        let file = try SegmentFile(path: path)
        try file.check()
        let own = Set(
            try file.parts().values.map {
                Catalog.Part(source: $0.source, segment: segment.name, from: $0.from, to: $0.to)
            })
        guard own.isSuperset(of: parts) else { throw SegmentFile.failure(path, IndexFailure.HoldsOthers()) }
        guard Disk.length(ofFile: path) == segment.bytes, try file.lineCount() == segment.lines else {
            throw SegmentFile.failure(path, ByteReader.Damage())
        }
    }

    private func unfinished(_ name: String) -> Finding {
        Finding(
            kind: .unfinished,
            message:
                "Text that was to be removed is still in the file \(folder.segment(name)), because a program was killed; the next command that writes to the index, such as 'framegrep index repair', removes it.",
            segment: name)
    }

    private func unknown(_ name: String, _ work: Leftover.Work?) -> Finding {
        if work != nil { return unfinished(name) }
        do { _ = try SegmentFile(path: folder.segment(name)) } catch let error as FramegrepError
            where error.code == .indexNewer || error.code == .indexUnreadable
        {
            let kind: Finding.Kind = error.code == .indexNewer ? .newer : .unreadable
            return Finding(kind: kind, message: error.message, segment: name)
        } catch {}
        return Finding(
            kind: .unknown,
            message:
                "The file \(folder.segment(name)) is not known to the catalog; 'framegrep index repair' takes over the recordings that nothing else has, and moves the file to \(folder.damaged) where it has none.",
            segment: name)
    }

    /// Moves damaged parts aside (``IndexFolder/damaged``), so that the next indexing reads those recordings again, and
    /// adds intact segments that were unknown. Segments of a newer program stay as they are. Nothing is deleted.
    ///
    /// - Returns: the problems that were found.
    /// - Throws: ``FramegrepError`` (`outputFailed`) if a file cannot be moved.
    public func repair() throws -> [Finding] {
        upkeep.lock()
        defer { upkeep.unlock() }
        var findings = try check()
        let kept = Set(findings.filter { $0.isLeftAlone && !$0.isAboutVectors }.map(\.segment))
        for index in findings.indices where findings[index].kind == .damaged {
            findings[index].aside = try takeOut(findings[index].segment, keeping: kept)
        }
        let adopted = try adopt(findings.filter { $0.kind == .unknown }.map(\.segment))
        for index in findings.indices where findings[index].kind == .unknown {
            let name = findings[index].segment
            if !adopted.contains(name) { findings[index].aside = try takeOut(name, keeping: kept) }
        }
        for index in findings.indices where findings[index].kind == .vectors {
            findings[index].aside = try setAsideVectors(of: findings[index].segment)
        }
        for index in findings.indices where findings[index].kind == .foreignBytes {
            findings[index].aside = try cutForeignBytes()
        }
        try finishLeftovers()
        return findings
    }

    /// - Returns: the path of a copy of the whole file.
    private func cutForeignBytes() throws -> [String] {
        let copy = folder.catalog + ".longer"
        unlink(copy)
        try FileManager.default.copyItem(atPath: folder.catalog, toPath: copy)
        let aside = try folder.setAside(copy)
        try catalog.cutForeignBytes()
        return aside.map { [$0] } ?? []
    }

    private func setAsideVectors(of segment: String) throws -> [String] {
        try VectorFile.path(ofSegment: folder.segment(segment)).flatMap { try folder.setAside($0) }.map { [$0] } ?? []
    }

    /// Adds recordings to the catalog that only unknown segments contain.
    ///
    /// Removed recordings do not come back: forgotten ones are removed from these files too, and the names of expired
    /// ones are known.
    ///
    /// - Returns: the segments that were added.
    private func adopt(_ names: [String]) throws -> Set<String> {
        let whole = try names.filter { name in
            do { try SegmentFile(path: folder.segment(name)).check() } catch let error as FramegrepError
                where error.code == .indexDamaged
            { return false }
            return true
        }
        let adoption = try Adoption(whole, in: folder, besides: catalog.sources())
        let adopted = adoption.usedSegments
        try catalog.write { database in
            try adoption.put(adopted, in: database)
            try Catalog.note(adoption.mixedSegments, .rewrite, database)
        }
        return adopted
    }

    /// - Parameter kept: segments that must not be rewritten.
    ///
    /// - Returns: the new paths of its files.
    private func takeOut(_ segment: String, keeping kept: Set<String>) throws -> [String] {
        // Do this first, because files that the catalog has dropped are deleted.
        let aside = try [folder.setAside(folder.segment(segment))].compactMap(\.self) + setAsideVectors(of: segment)
        let parts = try catalog.parts()
        let lost = Set(parts.filter { $0.segment == segment }.map(\.source))
        let others = Set(parts.filter { lost.contains($0.source) }.map(\.segment))
        try catalog.write { database in
            try Catalog.remove(Array(lost), database)
            try Catalog.note(others.subtracting(kept), .rewrite, database)
            try Catalog.drop(segment, database)
        }
        return aside
    }
}

extension TextIndex {
    /// Repairs an index: rebuilds an unusable catalog from the segments, and removes segments that cannot be read.
    public static func repair(_ folder: IndexFolder) throws -> [Finding] {
        var (problem, aside) = ("missing", [String]())
        if folder.exists {
            do {
                return try forWriting(folder).repair()
            } catch let error as FramegrepError where error.code == .indexDamaged {
                try Disk.makeFolder(folder.path)
                let lock = try IndexLock(folder)
                problem = "damaged"
                // The journal belongs to it.
                aside = try ["", "-journal"].compactMap { try folder.setAside(folder.catalog + $0) }
                guard !aside.isEmpty else { throw error }
                withExtendedLifetime(lock) {}
            }
        }
        let index = try forWriting(folder)
        let found = try index.repair()
        let unread = try index.sources().filter { $0.state == .partial }.map(\.name)
        let message =
            "The catalog was \(problem) and was rebuilt from the segments, which do not say how far a recording was read."
        return [Finding(kind: .catalog, message: message, segment: "", sources: Set(unread).sorted(), aside: aside)]
            + found
    }
}
