public import Errors
import Foundation
import GRDB
import Synchronization
public import TextMatching
import TextSpotting

/// The index: everything that was read, to be searched again without reading it.
///
/// One program at a time opens it for writing, any number for searching, even while one writes. Thread-safe.
public final class TextIndex: Sendable {
    public let folder: IndexFolder
    let catalog: Catalog
    let lock: IndexLock?
    /// Makes the vectors of texts that are added; nil if search by meaning is not set up.
    let meaning: MeaningSource?
    /// Held while the catalog changes and while segments are rewritten, so that copied contents are still valid at the
    /// end. Recordings that are read concurrently may each request that.
    let upkeep = NSRecursiveLock()
    /// The open segments, by name: they never change, and opening one takes longer than many a search.
    private let opened = Mutex<[String: SegmentFile]>([:])
    /// The name of the segment that is written next, if it is already recorded (``announce()``).
    let announced = Mutex<String?>(nil)
    /// Segments that could not be read for merging (``mergeSmall()``).
    let unreadable = Mutex<Set<String>>([])

    private init(_ folder: IndexFolder, catalog: Catalog, lock: IndexLock?, meaning: MeaningSource? = nil) {
        self.meaning = meaning
        self.folder = folder
        self.catalog = catalog
        self.lock = lock
    }

    /// Opens an index for searching; nil if there is none.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`) if there is one that cannot be used.
    public static func forSearching(_ folder: IndexFolder) throws -> TextIndex? {
        guard folder.exists else { return nil }
        return TextIndex(folder, catalog: try Catalog(folder, isWritten: false), lock: nil)
    }

    /// Opens an index for writing, and creates it if there is none.
    ///
    /// Also completes the work of a program that was killed (``Leftover``). If there are segments but no catalog,
    /// because it was lost or the segments were copied here, creates a catalog that lists them.
    ///
    /// - Parameter meaning: makes the vectors of texts that are added, by which they are found for their meaning; nil
    ///   for none, which can be made later by ``makeVectors(with:isCancelled:progress:)``.
    /// - Throws: ``FramegrepError`` (`outputFailed`, `indexDamaged`, `indexNewer`) if that is not possible, or another
    ///   program is writing.
    public static func forWriting(_ folder: IndexFolder, meaning: MeaningSource? = nil) throws -> TextIndex {
        try Disk.makeFolder(folder.path)
        try folder.checkIsLocal()
        let lock = try IndexLock(folder)
        let index = TextIndex(folder, catalog: try Catalog(folder, isWritten: true), lock: lock, meaning: meaning)
        // Delete the unfinished files of killed programs.
        unlink(folder.catalog + ".new")
        for name in folder.segmentsOnDisk() where name.hasSuffix(".new") { unlink(folder.segment(name)) }
        try index.finishLeftovers()
        index.deleteStrayVectors()
        return index
    }

    // MARK: What there is

    /// Returns all recordings, by name.
    public func sources() throws -> [IndexedSource] { try catalog.sources() }

    /// Returns a recording as it was read with some options.
    public func source(named name: String, manner: String) throws -> IndexedSource? {
        try catalog.source(named: name, manner: manner)
    }

    /// Returns the number of segments, the number of texts in them, and their size in bytes, including vectors.
    public func size() throws -> (segments: Int, lines: Int, bytes: Int64) {
        let segments = try catalog.segments()
        return (segments.count, segments.reduce(0) { $0 + $1.lines }, segments.reduce(0) { $0 + folder.bytes(of: $1) })
    }

    /// Returns the segments that are missing or have another size than when they were written; opens none of them.
    public func strangeSegments() throws -> [String] {
        try catalog.segments().filter { segment in
            var status = stat()
            let isThere = stat(folder.segment(segment.name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            return !isThere || Int64(status.st_size) != segment.bytes
        }.map(\.name)
    }

    /// Whether a file is to be read, read further, or skipped, according to the index.
    public enum FileStatus: Sendable, Hashable {
        /// It was read and has not changed.
        case unchanged(IndexedSource)
        /// It was read under another name or with another date; the catalog has been updated.
        case renamed(IndexedSource, from: String)
        /// It was read up to here, and can be read further.
        case goesOn(IndexedSource)
        /// It is new, or has changed.
        case new
        /// It was read and is no longer kept (``TextIndex/expire(readBefore:budget:)``).
        case expired
    }

    /// Returns the recording of a file that was read under this name and has not changed; nil for any other. Does not
    /// open the file.
    public func unchangedSource(ofFile path: String, manner: String) throws -> IndexedSource? {
        guard let source = try catalog.source(named: path, manner: manner), source.state == .complete,
            source.stamp != nil, Self.isAsItWas(source)
        else { return nil }
        return source
    }

    /// Determines whether a file was already read, and records its new name if it was renamed.
    public func status(ofFile path: String, manner: String) throws -> FileStatus {
        guard let stamp = FileStamp(path: path) else { return .new }
        let known = try catalog.source(named: path, manner: manner)
        if let known, known.stamp?.isSameFile(as: stamp) ?? false { return Self.status(of: known) }
        // It was overwritten in place, and samples cannot show whether all of it is unchanged.
        if let old = known?.stamp, old.inode == stamp.inode, old.modified != stamp.modified { return .new }
        guard let digest = FileStamp.digest(ofFile: path) else { return .new }
        let alike = try catalog.sources(withDigest: digest, manner: manner)
        guard
            var source = alike.first(where: { ExactName($0.name) == ExactName(path) })
                ?? alike.first(where: { FileStamp(path: $0.name) == nil })
        else { return .new }
        let before = source.name
        source.name = path
        source.stamp = stamp
        try put(source)
        guard ExactName(before) != ExactName(path), source.state == .complete else { return Self.status(of: source) }
        return .renamed(source, from: before)
    }

    private static func status(of source: IndexedSource) -> FileStatus {
        switch source.state {
        case .complete: .unchanged(source)
        case .partial: .goesOn(source)
        case .failed: .new
        case .expired: .expired
        }
    }

    /// Returns whether a file is unchanged since it was read; true if it is not a file.
    public static func isAsItWas(_ source: IndexedSource) -> Bool {
        guard let stamp = source.stamp else { return true }
        return FileStamp(path: source.name)?.isSameFile(as: stamp) ?? false
    }

    // MARK: Segments

    /// Returns a segment, which is opened unless it already is.
    func segment(_ name: String) throws -> SegmentFile {
        if let segment = opened.withLock({ $0[name] }) { return segment }
        let segment = try openSegment(name)
        opened.withLock { $0[name] = segment }
        return segment
    }

    /// Opens a segment and checks that it is the one that the catalog lists under this name. Otherwise another intact
    /// segment would be searched silently, and the contents of the missing one would not be found.
    ///
    /// - Throws: the errors of ``SegmentFile/init(path:)``; ``FramegrepError`` (`indexDamaged`) for another segment.
    func openSegment(_ name: String) throws -> SegmentFile {
        let segment = try SegmentFile(path: folder.segment(name))
        if let part = try catalog.somePart(in: name), try !segment.has(part.source, from: part.from, to: part.to) {
            throw SegmentFile.failure(segment.path, IndexFailure.HoldsOthers())
        }
        return segment
    }

    /// Closes the segments that the catalog no longer lists.
    func closeSegments(except names: Set<String>) {
        opened.withLock { opened in opened = opened.filter { names.contains($0.key) } }
    }

    // MARK: Adding

    /// Stores the state of a recording.
    public func put(_ source: IndexedSource) throws {
        upkeep.lock()
        defer { upkeep.unlock() }
        try catalog.write { try Catalog.put(source, $0) }
    }

    /// Writes a part of a recording, which can be found from then on, whatever happens to the program.
    ///
    /// - Parameters:
    ///   - source: the state of the recording with this part.
    ///   - segment: an earlier segment with the same part, which this one replaces.
    /// - Returns: the name of the segment.
    public func add(_ part: RecordedPart, of source: IndexedSource, inPlaceOf segment: String?) throws -> String {
        var contents = SegmentContents()
        contents.add(part, of: source)
        addVectors(to: &contents, knownIn: segment)
        upkeep.lock()
        defer { upkeep.unlock() }
        return try write(contents, inPlaceOf: segment.map { [$0] } ?? []) { database in
            try Catalog.put(source, database)
            // The replaced part may by now be in another segment, into which small ones were merged.
            if segment != nil { try Catalog.removeParts(of: source.id, from: part.from, to: part.to, database) }
        }
    }

    /// Writes a segment that replaces others in the catalog, and deletes those.
    @discardableResult
    func write(
        _ contents: SegmentContents, inPlaceOf others: [String], with change: (Database) throws -> Void = { _ in }
    ) throws -> String {
        let name = try announce()
        let path = folder.segment(name)
        do {
            try Disk.makeFolder((path as NSString).deletingLastPathComponent)
            try SegmentFile.write(contents, to: path)
            let segment = Catalog.Segment(name: name, lines: contents.lineCount, bytes: Disk.length(ofFile: path))
            let parts = contents.parts.map {
                Catalog.Part(source: $0.source, segment: name, from: $0.from, to: $0.to)
            }
            try announceNext { database in
                try change(database)
                try Catalog.put(segment, parts, inPlaceOf: others, database)
            }
        } catch {
            deleteFiles([name])
            throw error
        }
        deleteFiles(others)
        return name
    }
}

/// Merges indexes that were made separately.
extension TextIndex {
    /// The outcome of copying from another index.
    public struct Merge: Sendable, Hashable {
        public var taken = 0
        /// Recordings that the index already had, read as far or further.
        public var known = 0
        /// Damage found in the other index: the recordings that it affects were not copied.
        public var problems: [FramegrepError] = []
    }

    /// Copies recordings from another index that are unknown here, or were read less far. The other index does not
    /// change.
    ///
    /// All of the other index is read first: its damaged parts are not copied. If the program is killed, the next run
    /// takes over the recordings that it left.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`, `outputFailed`).
    public func merge(_ other: TextIndex) throws -> Merge {
        upkeep.lock()
        defer { upkeep.unlock() }
        // If another program has changed the other index meanwhile, recordings copied before count like those left by a
        // killed run.
        let merge = try other.withPresentSegments { try takeOver(from: other) }
        try mergeSmall()
        return merge
    }

    private func takeOver(from other: TextIndex) throws -> Merge {
        var merge = Merge()
        let findings = try other.check().filter { $0.kind == .damaged || $0.isLeftAlone && !$0.isAboutVectors }
        merge.problems = findings.map {
            FramegrepError(
                $0.kind == .newer ? .indexNewer : $0.kind == .unreadable ? .indexUnreadable : .indexDamaged, $0.message)
        }
        let damaged = Set(findings.map(\.segment))
        let lost = Set(try other.catalog.parts().filter { damaged.contains($0.segment) }.map(\.source))
        let own = Dictionary(
            try sources().map { (Catalog.Recording($0), $0) }, uniquingKeysWith: { first, _ in first })
        var wanted: [SourceID: IndexedSource] = [:]
        for source in try other.sources() {
            guard source.state != .failed, source.state != .expired, !lost.contains(source.id) else { continue }
            if let known = own[Catalog.Recording(source)], !Self.isMore(source, than: known) {
                merge.known += 1
            } else {
                wanted[source.id] = source
            }
        }
        guard !wanted.isEmpty else { return merge }
        // Leftovers of a killed run, and recordings that this index has read less far.
        let stale = own.values.filter { known in
            wanted[known.id] != nil || wanted.values.contains { Catalog.Recording($0) == Catalog.Recording(known) }
        }
        try forget(Set(stale.map(\.id)))
        try takeSegments(of: other, wanted)
        try catalog.write { database in
            for source in wanted.values { try Catalog.put(source, database) }
        }
        merge.taken = wanted.count
        return merge
    }

    /// Returns whether another index has more of a recording than this one.
    static func isMore(_ source: IndexedSource, than known: IndexedSource) -> Bool {
        switch (source.state, known.state) {
        case (_, .failed): true
        case (_, .expired): false
        case (.complete, .complete):
            // The file has changed between the two readings: the reading of its current state counts. Live recordings
            // are never read again, so the longer one was copied later.
            source.isLive
                ? source.end > known.end
                : source.stamp != known.stamp && isAsItWas(source) && !isAsItWas(known)
        case (.complete, .partial): true
        default: source.state == known.state && source.end > known.end
        }
    }

    private func takeSegments(of other: TextIndex, _ wanted: [SourceID: IndexedSource]) throws {
        let parts = Set(try other.catalog.parts())
        let segments = Set(parts.filter { wanted[$0.source] != nil }.map(\.segment))
        for segment in try other.catalog.segments() where segments.contains(segment.name) {
            var contents = SegmentContents()
            try other.openSegment(segment.name).add(to: &contents) { part in
                let entry = Catalog.Part(source: part.source, segment: segment.name, from: part.from, to: part.to)
                return wanted[part.source] != nil && parts.contains(entry)
            }
            guard !contents.parts.isEmpty else { continue }
            let sources = Set(contents.parts.map(\.source)).compactMap { wanted[$0] }
            try write(contents, inPlaceOf: []) { database in
                for var source in sources {
                    // Until it is complete it counts as missing.
                    source.state = .failed
                    source.problem = "it was being taken over from another index"
                    try Catalog.put(source, database)
                }
            }
        }
    }
}
