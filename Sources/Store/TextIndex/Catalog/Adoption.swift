import Errors
import Foundation
import GRDB
import TextSpotting

/// The recordings in segments that the catalog does not list, because it was lost or because they were copied here.
struct Adoption {
    private var sources: [SourceID: IndexedSource] = [:]
    private var segments: [(segment: Catalog.Segment, parts: [Catalog.Part])] = []

    /// - Parameter known: recordings of the catalog, which are left out.
    ///
    /// - Throws: ``FramegrepError`` (`indexUnreadable`) if a segment cannot be opened now: without it, its recordings
    ///   would count as unread. Damaged segments are left out.
    init(_ names: [String], in folder: IndexFolder, besides known: [IndexedSource] = []) throws {
        for name in names {
            let (parts, lines): ([Int: SegmentFile.Part], Int)
            do {
                let segment = try SegmentFile(path: folder.segment(name))
                (parts, lines) = (try segment.parts(), try segment.lineCount())
            } catch let error as FramegrepError where error.code == .indexUnreadable {
                throw error
            } catch {
                continue
            }
            for part in parts.values.sorted(by: { $0.from < $1.from }) { add(part) }
            let entries = parts.values.map {
                Catalog.Part(source: $0.source, segment: name, from: $0.from, to: $0.to)
            }
            let bytes = Disk.length(ofFile: folder.segment(name))
            segments.append((Catalog.Segment(name: name, lines: lines, bytes: bytes), entries))
        }
        leaveOut(known)
        keepOneOfEach()
    }

    private mutating func add(_ part: SegmentFile.Part) {
        let digest = part.digest.isEmpty ? nil : part.digest
        // The length of the recording is not stored here. If it was read to its end, continuing from there is quick.
        var source =
            sources[part.source]
            ?? IndexedSource(
                id: part.source, name: part.name, manner: part.manner,
                stamp: TextIndex.stamp(ofFile: part.name, digest: digest), digest: digest, state: .partial)
        // Only a recording has several parts, or ends later.
        source.isStill = source.end == .zero && part.frames.areOfStill && part.to == FrameTime.stillDuration
        source.end = max(source.end, part.to)
        if source.isSkimmed { source.interval = max(source.interval ?? .zero, part.frames.longest) }
        if let clock = part.clock { source.note(clock) }
        if LiveName.isManner(part.manner), let name = LiveName(part.name) {
            // A live source cannot continue an old recording.
            (source.state, source.isLive, source.wallStart) = (.complete, true, name.start)
        }
        sources[part.source] = source
    }

    private mutating func leaveOut(_ known: [IndexedSource]) {
        let (ids, recordings) = (Set(known.map(\.id)), Set(known.map(Catalog.Recording.init)))
        sources = sources.filter { !ids.contains($0.key) && !recordings.contains(Catalog.Recording($0.value)) }
    }

    /// Keeps one reading for each recording and ``IndexedSource/manner``: that of the file in its current state, or
    /// else the newest one.
    private mutating func keepOneOfEach() {
        // Segment names sort by the time at which they were written.
        var newest: [SourceID: String] = [:]
        for part in segments.flatMap(\.parts) {
            newest[part.source] = max(newest[part.source] ?? part.segment, part.segment)
        }
        func rank(_ source: IndexedSource) -> (Int, String, SourceID) {
            (TextIndex.isAsItWas(source) ? 1 : 0, newest[source.id] ?? "", source.id)
        }
        var best: [Catalog.Recording: IndexedSource] = [:]
        for source in sources.values {
            if let other = best[Catalog.Recording(source)], rank(other) > rank(source) { continue }
            best[Catalog.Recording(source)] = source
        }
        sources = Dictionary(best.values.map { ($0.id, $0) }) { first, _ in first }
    }

    private func isKept(_ part: Catalog.Part) -> Bool { sources[part.source] != nil }

    /// Segments with contents to be added to the catalog.
    var usedSegments: Set<String> { Set(segments.filter { $0.parts.contains(where: isKept) }.map(\.segment.name)) }

    /// Segments that also have parts that are not to be added.
    var mixedSegments: Set<String> {
        usedSegments.intersection(segments.filter { !$0.parts.allSatisfy(isKept) }.map(\.segment.name))
    }

    /// Adds the recordings to a catalog.
    ///
    /// - Parameter names: the segments to add.
    func put(_ names: Set<String>? = nil, in database: Database) throws {
        for source in sources.values { try Catalog.put(source, database) }
        for (segment, parts) in segments where names?.contains(segment.name) ?? true {
            try Catalog.put(segment, parts.filter(isKept), inPlaceOf: [], database)
        }
    }
}

extension TextIndex {
    /// Returns the stamp of a file that was read, or a stamp that no file has if it has changed since; nil if it is not
    /// a file.
    static func stamp(ofFile name: String, digest: String?) -> FileStamp? {
        guard let digest else { return nil }
        guard FileStamp.digest(ofFile: name) == digest, let stamp = FileStamp(path: name) else {
            return FileStamp(size: -1, modified: 0, inode: 0, device: 0)
        }
        return stamp
    }
}
