public import Errors
import Foundation
public import TextMatching

/// The vectors of the texts in an index: made when texts are added, or later for all texts without any.
extension TextIndex {
    /// The number of texts that can be found by their meaning.
    public struct VectorCoverage: Sendable, Hashable {
        public var texts = 0
        /// The number of texts without vectors.
        public var missing = 0
        /// The number of bytes on the disk.
        public var bytes: Int64 = 0
    }

    /// - Parameter source: vectors of another model count as missing; nil if search by meaning is not set up.
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if the catalog cannot be read.
    public func vectorCoverage(_ source: MeaningSource?) throws -> VectorCoverage {
        let model = try? source?.vectorName()
        var coverage = VectorCoverage()
        for segment in try catalog.segments() {
            coverage.texts += segment.lines
            guard let file = (try? VectorFile.of(segment: folder.segment(segment.name))) ?? nil,
                model.map({ $0 == file.model }) ?? true
            else {
                coverage.missing += segment.lines
                continue
            }
            coverage.missing += file.unknownCount
            coverage.bytes += folder.bytes(of: segment) - segment.bytes
        }
        return coverage
    }

    /// Makes the vectors of a part that is being added. If that fails, only the vectors are missing.
    func addVectors(to contents: inout SegmentContents, knownIn segment: String?) {
        guard let meaning, let model = try? meaning.vectorName() else { return }
        contents.vectors = TextVectors(model: model)
        if let segment, let file = try? SegmentFile(path: folder.segment(segment)) {
            file.copyVectorsOfSameTexts(to: &contents)
        }
        try? contents.makeVectors(with: meaning)
    }

    /// The outcome of making missing vectors.
    public struct MadeVectors: Sendable {
        public var texts = 0
        /// The errors for which segments were left as they are.
        public var problems: [FramegrepError] = []
    }

    /// Makes the vectors of all texts that have none, or have those of another model. No recording is read.
    ///
    /// The vectors of each segment are complete on the disk before the next segment begins. The index must be open for
    /// writing.
    ///
    /// - Parameters:
    ///   - isCancelled: called often; vectors made by then are kept.
    ///   - progress: called with the number of texts done, and of all texts.
    /// - Throws: ``FramegrepError`` (`engineUnavailable`, `outputFailed`, `indexDamaged` if the catalog is).
    public func makeVectors(
        with source: MeaningSource, isCancelled: @escaping @Sendable () -> Bool = { false },
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> MadeVectors {
        upkeep.lock()
        defer { upkeep.unlock() }
        let model = try source.vectorName()
        var made = MadeVectors()
        let segments = try catalog.segments()
        let total = segments.reduce(0) { $0 + $1.lines }
        var done = 0
        for segment in segments where !isCancelled() {
            do {
                made.texts += try makeVectors(of: segment.name, model: model, with: source, isCancelled: isCancelled) {
                    progress(done + $0, total)
                }
            } catch let error as FramegrepError where error.isAboutAFile {
                made.problems.append(error)
            }
            done += segment.lines
            progress(done, total)
        }
        // Programs that watch the catalog notice that the index has changed.
        try catalog.write { try Catalog.note(vectorsMadeAt: Date(), $0) }
        return made
    }

    /// The number of vectors made between two progress reports and checks for cancellation.
    private static let textsAtATime = 8_192

    /// - Returns: the number of vectors made.
    private func makeVectors(
        of name: String, model: String, with source: MeaningSource,
        isCancelled: @escaping @Sendable () -> Bool, progress: (Int) -> Void
    ) throws -> Int {
        let segment = try openSegment(name)
        var known: VectorFile?
        do { known = try segment.vectors() } catch let error as FramegrepError where error.code == .indexDamaged {}
        if let known, known.model == model, known.unknownCount == 0 { return 0 }
        let texts = try segment.texts()
        var vectors = TextVectors(model: model)
        var entries = known?.model == model ? Self.entries(known, &vectors) : []
        if entries.count != texts.count { entries = [TextVectors.Entry](repeating: .unknown, count: texts.count) }
        let unknown = entries.indices.filter { entries[$0] == .unknown }
        var made = 0
        for first in stride(from: 0, to: unknown.count, by: Self.textsAtATime) where !isCancelled() {
            let some = Array(unknown[first..<min(unknown.count, first + Self.textsAtATime)])
            let new = try vectors.make(
                of: some.map { texts[$0] }, with: source, isSideBySide: true, isCancelled: isCancelled)
            for (text, entry) in zip(some, new) { entries[text] = entry }
            made += new.count { $0 != .unknown }
            progress(texts.count - unknown.count + made)
        }
        try VectorFile.write(vectors, entries, ofSegment: folder.segment(name))
        return made
    }

    /// Returns the existing vectors; none if they cannot be read.
    private static func entries(_ file: VectorFile?, _ vectors: inout TextVectors) -> [TextVectors.Entry] {
        guard let file else { return [] }
        var reader = VectorFile.Reader(file)
        return
            (try? (0..<file.textCount).map { text in
                let entry = try reader.entry(of: text)
                return entry == .unknown ? entry : vectors.entry(of: try entry.numbers.map { try reader.row($0) })
            }) ?? []
    }

    // MARK: Upkeep

    /// Deletes vectors without a segment: a program of an older version deleted the segment, or a program was killed
    /// meanwhile.
    func deleteStrayVectors() {
        let files = Set(folder.segmentsOnDisk())
        for name in files where name.hasSuffix(VectorFile.suffix) {
            if !files.contains(name.dropLast(VectorFile.suffix.count) + ".fgi") { unlink(folder.segment(name)) }
        }
    }

    func checkVectors(of segment: Catalog.Segment) -> Finding? {
        do {
            try VectorFile.of(segment: folder.segment(segment.name))?.check(texts: segment.lines)
            return nil
        } catch let error as FramegrepError {
            return Finding(
                kind: error.code == .indexDamaged ? .vectors : .strangeVectors, message: error.message,
                segment: segment.name)
        } catch {
            return nil
        }
    }
}

extension IndexFolder {
    /// Returns the size of a segment with its vectors, in bytes.
    func bytes(of segment: Catalog.Segment) -> Int64 { segment.bytes + bytesOfVectors(segment.name) }

    /// Does the same for a segment that the catalog does not list.
    func bytes(ofSegment name: String) -> Int64 { Disk.length(ofFile: segment(name)) + bytesOfVectors(name) }

    private func bytesOfVectors(_ name: String) -> Int64 {
        VectorFile.path(ofSegment: segment(name)).map { Disk.length(ofFile: $0) } ?? 0
    }
}
