import Foundation
import GRDB
import Testing

@testable import TextIndex

/// Work that a killed program leaves is done by the next one.
@Suite struct LeftoverTests {
    private let folder = IndexTestFolder()

    private func isOnDisk(_ text: String) throws -> Bool {
        try folder.folder().segmentsOnDisk().contains {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try folder.folder().segment($0)))
            return bytes.range(of: Data(text.utf8)) != nil
        }
    }

    private func filled() throws -> TextIndex {
        let index = try TextIndex.forWriting(try folder.folder())
        for name in ["a", "b"] {
            _ = try index.add(
                Lines.part([Lines.line("SECRET\(name) EXIT")]), of: Lines.source(name), inPlaceOf: nil)
        }
        // They are in one file, so that the remaining ones must be rewritten.
        try index.rewrite(try index.catalog.segments().map(\.name))
        return index
    }

    /// The program is killed between the transaction and the writing.
    @Test func whatWasToBeForgottenGoesAtTheNextStart() throws {
        do {
            let index = try filled()
            let source = try #require(try index.sources().first { $0.name == "a" })
            let segment = try #require(try index.catalog.segments().first?.name)
            try index.catalog.write { database in
                try Catalog.remove([source.id], database)
                try Catalog.note([segment], .rewrite, database)
            }
        }
        #expect(try isOnDisk("SECRETa"))
        #expect(try TextIndex.forSearching(try folder.folder())?.check().map(\.kind) == [.unfinished])
        let index = try TextIndex.forWriting(try folder.folder())
        #expect(try !isOnDisk("SECRETa") && isOnDisk("SECRETb"))
        #expect(try index.check().isEmpty && index.catalog.leftovers().allSatisfy { $0.work == .delete })
        #expect(try index.found("exit").keys.sorted() == ["b"])
    }

    /// The program is killed when a segment has its name but the catalog does not know it.
    @Test func aSegmentThatNobodyKnowsGoesAtTheNextStart() throws {
        do {
            let index = try filled()
            var contents = SegmentContents()
            contents.add(Lines.part([Lines.line("SECRETc")]), of: Lines.source("c"))
            let name = try index.announce()
            try SegmentFile.write(contents, to: try folder.folder().segment(name))
        }
        #expect(try isOnDisk("SECRETc"))
        #expect(try TextIndex.forSearching(try folder.folder())?.check().map(\.kind) == [.unfinished])
        let index = try TextIndex.forWriting(try folder.folder())
        #expect(try !isOnDisk("SECRETc") && isOnDisk("SECRETb"))
        #expect(try index.check().isEmpty)
    }

    /// The program is killed when the catalog knows the new segment, before the old file is deleted.
    @Test func aSegmentThatWasReplacedGoesAtTheNextStart() throws {
        let old: (path: String, bytes: Data)
        do {
            let index = try filled()
            let path = try folder.segment()
            old = (path, try Data(contentsOf: URL(fileURLWithPath: path)))
            try index.forget(Set(index.sources().filter { $0.name == "a" }.map(\.id)))
        }
        try old.bytes.write(to: URL(fileURLWithPath: old.path))
        #expect(try isOnDisk("SECRETa"))
        _ = try TextIndex.forWriting(try folder.folder())
        #expect(try !isOnDisk("SECRETa") && isOnDisk("SECRETb"))
    }

    /// A program was killed without noting its file: forgetting the recording, or everything, also removes the file,
    /// and a budget counts it.
    @Test(arguments: ["forget it", "forget all", "expire"])
    func filesOfWhichNobodyKnowsGoToo(way: String) throws {
        let index = try filled()
        var contents = SegmentContents()
        contents.add(Lines.part([Lines.line("SECRETc")]), of: Lines.source(way == "forget it" ? "a" : "c"))
        try SegmentFile.write(contents, to: try folder.folder().segment(IndexFolder.newSegmentName()))
        #expect(try index.check().map(\.kind) == [.unknown])
        let sources = try index.sources()
        switch way {
        case "forget it": try index.forget(Set(sources.filter { $0.name == "a" }.map(\.id)))
        case "forget all": try index.forget(Set(sources.map(\.id)))
        default:
            let size = try index.size().bytes
            let expiry = try index.expire(readBefore: nil, budget: size)
            #expect(expiry.bytes.before > size && expiry.bytes.after == size && expiry.recordings.isEmpty)
        }
        #expect(try !isOnDisk("SECRETc"))
        #expect(try index.check().isEmpty)
    }

    /// A recording that was read again stays in its old segment until that is rewritten; forgetting the recording removes it there too.
    @Test func whatWasReadAnewIsForgottenWithItsOldText() throws {
        let index = try filled()
        _ = try index.add(Lines.part([Lines.line("another EXIT")]), of: Lines.source("a"), inPlaceOf: nil)
        #expect(try index.found("exit")["a"] == ["another EXIT"] && isOnDisk("SECRETa"))
        try index.forget(Set(index.sources().filter { $0.name == "a" }.map(\.id)))
        #expect(try !isOnDisk("SECRETa") && isOnDisk("SECRETb"))
    }

    /// Segments are merged while a recording is still being read: the merged data replaces what was written of it,
    /// once.
    @Test func aStretchIsKeptOnce() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        let source = Lines.source("a")
        let first = try index.add(Lines.part([Lines.line("EXIT")]), of: source, inPlaceOf: nil)
        for number in 0..<10 {
            _ = try index.add(Lines.part([Lines.line("GATE")]), of: Lines.source("r\(number)"), inPlaceOf: nil)
        }
        try index.mergeSmall()
        #expect(try !index.catalog.segments().map(\.name).contains(first))
        _ = try index.add(
            Lines.part([Lines.line("EXIT"), Lines.line("EXIT 2", y: 300)]), of: source, inPlaceOf: first)
        #expect(try index.found("exit")["a"] == ["EXIT", "EXIT 2"])
        #expect(try index.check().isEmpty)
    }

    /// A committed transaction survives a power failure (scripts/soak kills).
    @Test func theCatalogWaitsForTheDisk() throws {
        let index = try filled()
        let level = try index.catalog.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        // EXTRA: https://www.sqlite.org/pragma.html#pragma_synchronous
        #expect(level == 3)
    }

    /// Each segment is noted before its file exists, even if a repair has cleared the notes in between.
    @Test func whatIsWrittenNextIsNoted() throws {
        let index = try filled()
        for isRepaired in [false, true, false] {
            if isRepaired { #expect(try index.repair().isEmpty) }
            let name = try index.announce()
            #expect(try index.catalog.leftovers().contains(Leftover(name: name, work: .delete)))
        }
    }
}
