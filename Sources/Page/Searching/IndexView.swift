import Errors
import Foundation
import Synchronization
import TextIndex

/// The current index: opened again when it was replaced, its recordings listed anew when it has changed. Thread-safe.
final class IndexView: Sendable {
    /// The contents of an index at one moment.
    struct Snapshot: Sendable {
        /// Nil if there is no index yet.
        let index: TextIndex?
        /// All that is kept, one for each recording: of one that was read in several manners, the best.
        let sources: [IndexedSource]
        /// Those that could not be read at all.
        let failed: [IndexedSource]
        /// By which it is known whether the catalog has changed since.
        let stamp: FileStamp?

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

    let folder: IndexFolder
    private let last = Mutex<Snapshot?>(nil)

    init(_ folder: IndexFolder) { self.folder = folder }

    /// Discards the snapshot, which is out of date.
    func refresh() { last.withLock { $0 = nil } }

    /// - Throws: ``FramegrepError`` (`indexDamaged`) if there is one that cannot be used.
    func snapshot() throws -> Snapshot {
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
