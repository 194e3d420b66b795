import Errors
import Foundation
import Synchronization
public import TextIndex

/// The index as it is now: opened again when somebody has put another one in its place, its recordings listed anew when it has
/// changed. Thread-safe.
public final class IndexView: Sendable {
    /// The contents of an index at one moment.
    public struct Snapshot: Sendable {
        /// Nil where there is no index yet.
        public let index: TextIndex?
        /// All that is kept, one for each recording: of one that was read in several manners, the best.
        public let sources: [IndexedSource]
        /// Those that could not be read at all.
        public let failed: [IndexedSource]
        /// By which it is known whether the catalog has changed since.
        public let stamp: FileStamp?

        private let byID: [SourceID: IndexedSource]

        init(index: TextIndex?, all: [IndexedSource], stamp: FileStamp?) {
            self.index = index
            self.stamp = stamp
            failed = all.filter { $0.state == .failed }
            sources = IndexedSource.best(of: all)
            byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        }

        func source(_ id: SourceID) -> IndexedSource? { byID[id] }
    }

    public let folder: IndexFolder
    private let last = Mutex<Snapshot?>(nil)

    /// - Parameter folder: where the index is, or will be.
    public init(_ folder: IndexFolder) { self.folder = folder }

    /// Discards the snapshot, which is out of date.
    func refresh() { last.withLock { $0 = nil } }

    /// The index as it is now. Costs a look at one file, and a reading of the catalog where that has changed.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`) where there is one that cannot be used.
    public func snapshot() throws -> Snapshot {
        let stamp = FileStamp(path: folder.path + "/catalog.db")
        let known = last.withLock { $0 }
        if let known, known.stamp == stamp { return known }
        // The same file may go on to be read by the connection that is open.
        let isSameFile = known?.stamp?.inode == stamp?.inode && known?.stamp?.device == stamp?.device
        let index = try (isSameFile ? known?.index : nil) ?? TextIndex.forSearching(folder)
        let snapshot = Snapshot(index: index, all: try index?.sources() ?? [], stamp: stamp)
        last.withLock { $0 = snapshot }
        return snapshot
    }
}
