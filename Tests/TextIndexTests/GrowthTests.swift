import Errors
import Foundation
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// Removing recordings that are old or too many, and copying those of other indexes.
@Suite struct GrowthTests {
    private let folder = IndexTestFolder()
    private let now = Date(timeIntervalSince1970: 2_000_000_000)

    /// Creates recordings with this many lines, each read a day after the one before it, the last today.
    private func filled(_ folder: IndexTestFolder, _ names: [String], lines: Int = 1) throws -> TextIndex {
        let index = try TextIndex.forWriting(try folder.folder())
        for (number, name) in names.enumerated() {
            var source = Lines.source(name)
            source.added = now - Double(names.count - 1 - number) * 86_400
            let texts = (0..<lines).map { Lines.line("\(name) number \($0 * 7919 % 10_007) EXIT") }
            _ = try index.add(Lines.part(texts), of: source, inPlaceOf: nil)
        }
        return index
    }

    private func names(_ index: TextIndex) throws -> [String] { try index.found("exit").keys.sorted() }

    @Test func whatIsTooOldGoes() throws {
        let index = try filled(folder, ["a", "b", "c"])
        // They are in one segment, so that the remaining ones must be rewritten.
        try index.rewrite(try index.catalog.segments().map(\.name))
        let expiry = try index.expire(readBefore: now - 1.5 * 86_400, budget: nil)
        #expect(expiry.recordings.map(\.name) == ["a"])
        #expect(try names(index) == ["b", "c"])
        #expect(try index.sources().map(\.state) == [.expired, .complete, .complete])
        #expect(try index.check().isEmpty)
        #expect(try index.expire(readBefore: now - 1.5 * 86_400, budget: nil).recordings.isEmpty)
        for name in try folder.folder().segmentsOnDisk() {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try folder.folder().segment(name)))
            #expect(bytes.range(of: Data("a number".utf8)) == nil)
        }
    }

    /// The recordings read first are removed first, and no more than one beyond the limit.
    @Test func theBudgetIsHeld() throws {
        let index = try filled(folder, (0..<8).map { "r\($0)" }, lines: 120)
        let all = try index.size().bytes
        let budget = all * 6 / 10
        let expiry = try index.expire(readBefore: nil, budget: budget)
        #expect(expiry.bytes.before == all && expiry.bytes.after <= budget && expiry.bytes.after > budget * 7 / 10)
        #expect(expiry.recordings.map(\.name) == (0..<expiry.recordings.count).map { "r\($0)" })
        #expect(try names(index) == (expiry.recordings.count..<8).map { "r\($0)" })
        #expect(try index.expire(readBefore: nil, budget: 0).recordings.count == 8 - expiry.recordings.count)
        #expect(try index.size().bytes == 0)
    }

    /// Otherwise it would come back with the next run over its folder.
    @Test func whatHasExpiredIsNotReadAgain() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        let path = folder.path + "/clip.bin"
        try Data(repeating: 7, count: 1_000).write(to: URL(fileURLWithPath: path))
        let source = IndexedSource(
            id: .drawn(), name: path, manner: "m", stamp: FileStamp(path: path), digest: FileStamp.digest(ofFile: path),
            state: .complete, end: StreamTime(seconds: 2), added: now)
        _ = try index.add(Lines.part([Lines.line("EXIT")]), of: source, inPlaceOf: nil)
        _ = try index.expire(readBefore: now + 1, budget: nil)
        #expect(try index.status(ofFile: path, manner: "m") == .expired)
        try Data(repeating: 8, count: 1_000).write(to: URL(fileURLWithPath: path))
        #expect(try index.status(ofFile: path, manner: "m") == .new)
    }

    /// An unreadable segment is kept and reported once; the others are merged, and more is read.
    @Test func aDamagedSegmentKeepsNothingElse() throws {
        let index = try filled(folder, (0..<20).map { "r\($0)" })
        let damaged = try folder.folder().segment(try #require(try index.catalog.segments().dropFirst(3).first?.name))
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: damaged))
        #expect(try index.mergeSmall().map(\.code) == [.indexDamaged])
        #expect(try index.size().segments < 10)
        #expect(try names(index).count == 19)
        _ = try index.add(Lines.part([Lines.line("EXIT")]), of: Lines.source("another"), inPlaceOf: nil)
        #expect(try index.mergeSmall().isEmpty)
        #expect(try names(index).count == 20)
        #expect(try index.repair().map(\.kind) == [.damaged])
        #expect(try index.check().isEmpty)
    }

    @Test func indexesBecomeOne() throws {
        let other = IndexTestFolder()
        let index = try filled(folder, ["a", "b"])
        var lines = try filled(other, ["b", "c", "d"])
        try lines.rewrite(try lines.catalog.segments().map(\.name))
        lines = try #require(try TextIndex.forSearching(try other.folder()))
        #expect(try index.merge(lines) == TextIndex.Merge(taken: 2, known: 1))
        #expect(try names(index) == ["a", "b", "c", "d"])
        #expect(try index.sources().allSatisfy { $0.state == .complete })
        #expect(try index.merge(lines) == TextIndex.Merge(taken: 0, known: 3))
        #expect(try index.check().isEmpty)
    }

    /// A completely read recording replaces an incomplete one, and never the other way round.
    @Test func whatWasReadFurtherIsTaken() throws {
        let other = IndexTestFolder()
        let (index, whole) = (try filled(folder, ["a"]), try filled(other, ["a"], lines: 3))
        var partial = try #require(try index.sources().first)
        partial.state = .partial
        try index.put(partial)
        #expect(try index.merge(whole).taken == 1)
        #expect(try index.found("exit")["a"]?.count == 3)
        #expect(try whole.merge(index).taken == 0)
    }

    /// Recordings that a killed run had copied are copied again, once.
    @Test func aMergeThatWasKilledIsDoneAgain() throws {
        let other = IndexTestFolder()
        let (index, shard) = (try filled(folder, []), try filled(other, ["a"]))
        _ = try index.merge(shard)
        var source = try #require(try index.sources().first)
        source.state = .failed
        try index.put(source)
        #expect(try index.merge(shard).taken == 1)
        #expect(try index.found("exit")["a"]?.count == 1)
        #expect(try index.sources().map(\.state) == [.complete])
    }

    @Test func aMomentHasWhatStoodThere() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        let source = Lines.source("a")
        _ = try index.add(
            Lines.part([Lines.line("EXIT"), Lines.line("GATE 12")]), of: source, inPlaceOf: nil)
        func lines(at seconds: Double) throws -> [String]? {
            try index.moment(of: source.id, at: StreamTime(seconds: seconds))?.lines.map(\.text)
        }
        #expect(try lines(at: 0.5) == ["EXIT"])
        #expect(try lines(at: 1.5) == [])
        #expect(try lines(at: 2) == ["GATE 12"])
        #expect(try lines(at: 9) == nil)
    }
}
