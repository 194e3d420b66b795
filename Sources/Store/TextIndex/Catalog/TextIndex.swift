public import Errors
import Foundation
import GRDB
import Synchronization
public import TextMatching

/// The index: everything that was read, to be searched again without reading it.
///
/// Opened for writing by one program at a time, for searching by any number of them, also while one writes. Thread-safe.
public final class TextIndex: Sendable {
    public let folder: IndexFolder
    let catalog: Catalog
    let lock: IndexLock?
    /// Makes the vectors of texts that are added; nil where search by meaning is not set up.
    let meaning: MeaningSource?
    /// Held while the catalog changes and while segments are rewritten, so that copied contents are still valid at the end. Recordings that are
    /// read at the same time may each ask for that.
    let upkeep = NSRecursiveLock()
    /// Segments that are open, by name: they never change, and opening one takes longer than many a search.
    private let opened = Mutex<[String: SegmentFile]>([:])
    /// The name of the segment that is written next, if it is noted already (``announce()``).
    let announced = Mutex<String?>(nil)
    /// Segments that could not be read for merging (``mergeSmall()``).
    let unreadable = Mutex<Set<String>>([])

    private init(_ folder: IndexFolder, catalog: Catalog, lock: IndexLock?, meaning: MeaningSource? = nil) {
        self.meaning = meaning
        self.folder = folder
        self.catalog = catalog
        self.lock = lock
    }

    /// Opens an index to be searched; nil if there is none.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`) if there is one that cannot be used.
    public static func forSearching(_ folder: IndexFolder) throws -> TextIndex? {
        guard folder.exists else { return nil }
        return TextIndex(folder, catalog: try Catalog(folder, isWritten: false), lock: nil)
    }

    /// Opens an index to be written to, and makes it if there is none.
    ///
    /// Also completes the work of a program that was killed (``Leftover``). Where there are segments without a catalog, which was lost, or
    /// which were copied here, one is made that knows them.
    ///
    /// - Parameter meaning: makes the vectors by which texts are found for what they mean, of those that are added; nil for none, which
    ///   ``makeVectors(with:isCancelled:progress:)`` makes up for.
    /// - Throws: ``FramegrepError`` (`outputFailed`, `indexDamaged`, `indexNewer`) if it cannot be, or another program writes.
    public static func forWriting(_ folder: IndexFolder, meaning: MeaningSource? = nil) throws -> TextIndex {
        try Disk.makeFolder(folder.path)
        try folder.checkIsLocal()
        let lock = try IndexLock(folder)
        let index = TextIndex(folder, catalog: try Catalog(folder, isWritten: true), lock: lock, meaning: meaning)
        // Completes the work of killed programs.
        unlink(folder.catalog + ".new")
        for name in folder.segmentsOnDisk() where name.hasSuffix(".new") { unlink(folder.segment(name)) }
        try index.finishLeftovers()
        index.deleteStrayVectors()
        return index
    }

    // MARK: What there is

    /// All recordings, by name.
    public func sources() throws -> [IndexedSource] { try catalog.sources() }

    /// A recording as it was read with some options.
    public func source(named name: String, manner: String) throws -> IndexedSource? {
        try catalog.source(named: name, manner: manner)
    }

    /// How many segments there are, how many texts they hold, and how many bytes they take, their vectors included.
    public func size() throws -> (segments: Int, lines: Int, bytes: Int64) {
        let segments = try catalog.segments()
        return (segments.count, segments.reduce(0) { $0 + $1.lines }, segments.reduce(0) { $0 + folder.bytes(of: $1) })
    }

    /// Segments that are missing or have another size than when they were written; none is opened for this.
    public func strangeSegments() throws -> [String] {
        try catalog.segments().filter { segment in
            var status = stat()
            let isThere = stat(folder.segment(segment.name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            return !isThere || Int64(status.st_size) != segment.bytes
        }.map(\.name)
    }

    /// Whether a file is to be read, read on, or skipped, by what the index knows of it.
    public enum FileStatus: Sendable, Hashable {
        /// It was read and has not changed.
        case unchanged(IndexedSource)
        /// It was read under another name or with another date; the catalog has been updated.
        case renamed(IndexedSource, from: String)
        /// It was read up to here.
        case goesOn(IndexedSource)
        /// It is new, or has changed.
        case new
        /// It was read and is no longer kept (``TextIndex/expire(readBefore:budget:)``).
        case expired
    }

    /// The recording of a file that was read under this name and has not changed; nil for any other. Does not open the file.
    public func unchangedSource(ofFile path: String, manner: String) throws -> IndexedSource? {
        guard let source = try catalog.source(named: path, manner: manner), source.state == .complete,
            source.stamp != nil, Self.isAsItWas(source)
        else { return nil }
        return source
    }

    /// Checks whether a file was read already, and notes its new name if it was renamed.
    public func status(ofFile path: String, manner: String) throws -> FileStatus {
        guard let stamp = FileStamp(path: path) else { return .new }
        let known = try catalog.source(named: path, manner: manner)
        if let known, known.stamp?.isSameFile(as: stamp) ?? false { return Self.status(of: known) }
        // It was overwritten in place, and samples cannot show whether all of it is unchanged.
        if let old = known?.stamp, old.inode == stamp.inode, old.modified != stamp.modified { return .new }
        guard let digest = FileStamp.digest(ofFile: path) else { return .new }
        let alike = try catalog.sources(withDigest: digest, manner: manner)
        guard
            var source = alike.first(where: { $0.name == path })
                ?? alike.first(where: { FileStamp(path: $0.name) == nil })
        else { return .new }
        let before = source.name
        source.name = path
        source.stamp = stamp
        try put(source)
        guard before != path, source.state == .complete else { return Self.status(of: source) }
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

    /// Whether a file is unchanged since it was read; true if it is not a file.
    public static func isAsItWas(_ source: IndexedSource) -> Bool {
        guard let stamp = source.stamp else { return true }
        return FileStamp(path: source.name)?.isSameFile(as: stamp) ?? false
    }

    // MARK: Segments

    /// Opens a segment, or takes the one that is open.
    func segment(_ name: String) throws -> SegmentFile {
        if let segment = opened.withLock({ $0[name] }) { return segment }
        let segment = try openSegment(name)
        opened.withLock { $0[name] = segment }
        return segment
    }

    /// Opens a segment and checks that it is the one that the catalog knows by this name. Otherwise another intact segment would be searched
    /// silently, and the contents of the missing one would not be found.
    ///
    /// - Throws: what ``SegmentFile/init(path:)`` throws; ``FramegrepError`` (`indexDamaged`) for another one.
    func openSegment(_ name: String) throws -> SegmentFile {
        let segment = try SegmentFile(path: folder.segment(name))
        if let part = try catalog.somePart(in: name), try !segment.has(part.source, from: part.from, to: part.to) {
            throw SegmentFile.failure(segment.path, IndexFailure.HoldsOthers())
        }
        return segment
    }

    /// Closes the segments that the catalog knows no more.
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

    /// Writes a part of a recording, which from then on is found, whatever happens to the program.
    ///
    /// - Parameters:
    ///   - source: as it is with this part.
    ///   - segment: an earlier segment with the same part, which this one replaces.
    /// - Returns: the segment.
    public func add(_ part: RecordedPart, of source: IndexedSource, inPlaceOf segment: String?) throws -> String {
        var contents = SegmentContents()
        contents.add(part, of: source)
        addVectors(to: &contents, knownIn: segment)
        upkeep.lock()
        defer { upkeep.unlock() }
        return try write(contents, inPlaceOf: segment.map { [$0] } ?? []) { database in
            try Catalog.put(source, database)
            // The replaced part may lie in another segment by now, into which small ones were put together.
            if segment != nil { try Catalog.removeParts(of: source.id, from: part.from, to: part.to, database) }
        }
    }

    /// Writes a segment that replaces others in the catalog; those are deleted.
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
        /// Recordings that are there already, as far or further read.
        public var known = 0
        /// Damage found in the other index: recordings that it affects were not copied.
        public var problems: [FramegrepError] = []
    }

    /// Copies recordings from another index that are unknown here, or were read less far. The other index does not change.
    ///
    /// Reads all of the other index first: damaged parts of it are not copied.
    ///
    /// If the program is killed, the next run takes over the recordings that it left.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`, `outputFailed`).
    public func merge(_ other: TextIndex) throws -> Merge {
        upkeep.lock()
        defer { upkeep.unlock() }
        // If another program has changed the other index meanwhile, recordings copied before count like those that a killed run leaves.
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
        // Leftovers of a killed run, and recordings that were read less far here.
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

    /// Whether another index has more of a recording than this one.
    static func isMore(_ source: IndexedSource, than known: IndexedSource) -> Bool {
        switch (source.state, known.state) {
        case (_, .failed): true
        case (_, .expired): false
        case (.complete, .complete):
            // The file has changed between the two readings: the one of its current state counts.
            // Live recordings are never read again, so the longer one was copied later.
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
                    // Until it is complete, it counts as missing.
                    source.state = .failed
                    source.problem = "it was being taken over from another index"
                    try Catalog.put(source, database)
                }
            }
        }
    }
}
