import Foundation
import Testing
import TextSpotting

@testable import TextIndex

/// Segments that the catalog does not know: recordings that only they have are not lost, and removed ones do not come
/// back.
@Suite struct AdoptionTests {
    private let folder = IndexTestFolder()

    /// Writes a segment that no catalog knows.
    ///
    /// - Parameter number: segments with a higher number in their names were written later.
    /// - Returns: its path.
    @discardableResult
    private func write(_ lines: [String], of source: IndexedSource, number: Int) throws -> String {
        let folder = try folder.folder()
        let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(number))
        let path = folder.segment(IndexFolder.newSegmentName(at: time))
        try Disk.makeFolder((path as NSString).deletingLastPathComponent)
        var contents = SegmentContents()
        contents.add(Lines.part(lines.map { Lines.line($0) }), of: source)
        try SegmentFile.write(contents, to: path)
        return path
    }

    /// This is the state that a program leaves if it is killed while it rebuilds a lost catalog.
    @Test func anEmptyCatalogCostsNoSegment() throws {
        do {
            let index = try TextIndex.forWriting(try folder.folder())
            for name in ["a", "b"] {
                _ = try index.add(Lines.part([Lines.line("EXIT \(name)")]), of: Lines.source(name), inPlaceOf: nil)
            }
        }
        let other = IndexTestFolder()
        _ = try TextIndex.forWriting(try other.folder())
        let empty = try Data(contentsOf: URL(fileURLWithPath: other.path + "/catalog.db"))
        try empty.write(to: URL(fileURLWithPath: folder.path + "/catalog.db"))
        #expect(try TextIndex.forSearching(try folder.folder())?.check().map(\.kind) == [.unknown, .unknown])
        #expect(try TextIndex.repair(try folder.folder()).map(\.kind) == [.unknown, .unknown])
        let index = try #require(try TextIndex.forSearching(try folder.folder()))
        #expect(try index.found("exit").keys.sorted() == ["a", "b"])
        #expect(try index.check().isEmpty)
    }

    /// A segment does not say what it is of: only a still picture has one frame of a second.
    @Test func aRebuiltCatalogKnowsStills() throws {
        do {
            let index = try TextIndex.forWriting(try folder.folder())
            func add(_ name: String, _ runs: [FrameTimes.Run], from: Double = 0) throws {
                var source = try index.source(named: name, manner: "made up") ?? Lines.source(name)
                source.end = StreamTime(nanoseconds: (runs.last?.start ?? 0) + (runs.last?.span ?? 0))
                let part = RecordedPart(
                    from: StreamTime(seconds: from), to: source.end, frames: FrameTimes(runs: runs), steps: [0])
                _ = try index.add(part, of: source, inPlaceOf: nil)
            }
            let second: Int64 = 1_000_000_000
            try add("still", [.init(start: 0, count: 1, span: second)])
            try add("short", [.init(start: 0, count: 1, span: second / 25)])
            try add("second", [.init(start: 0, count: 25, span: second)])
            try add("slow", [.init(start: 0, count: 1, span: second)])
            try add("slow", [.init(start: second, count: 1, span: second)], from: 1)
            try add("empty", [])
        }
        unlink(folder.path + "/catalog.db")
        _ = try TextIndex.repair(try folder.folder())
        let sources = try #require(try TextIndex.forSearching(try folder.folder())).sources()
        #expect(sources.count == 5 && sources.filter(\.isStill).map(\.name) == ["still"], "\(sources)")
    }

    /// To a file system, a letter in one piece and in two are two names.
    @Test func namesThatLookAlikeStayTwo() throws {
        let names = ["caf\u{E9}.mp4", "cafe\u{301}.mp4"]
        for (number, name) in names.enumerated() {
            try write(["EXIT \(number)"], of: Lines.source(name), number: number)
        }
        let index = try TextIndex.forWriting(try folder.folder())
        #expect(try index.sources().map { Array($0.name.utf8).count }.sorted() == names.map(\.utf8.count).sorted())
    }

    /// An expired recording is known by its name, a read one by more, and a damaged file by nothing.
    @Test func repairTakesOverOnlyWhatNothingElseHas() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        _ = try index.add(Lines.part([Lines.line("EXIT 1")]), of: Lines.source("expired"), inPlaceOf: nil)
        _ = try index.expire(readBefore: .distantFuture, budget: nil)
        _ = try index.add(Lines.part([Lines.line("EXIT 2")]), of: Lines.source("known"), inPlaceOf: nil)
        for (number, name) in ["expired", "known", "new"].enumerated() {
            try write(["EXIT of \(name) once more"], of: Lines.source(name), number: number)
        }
        let damaged = try write(["EXIT of damaged"], of: Lines.source("damaged"), number: 3)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: damaged))
        bytes[bytes.count / 2] ^= 4
        try bytes.write(to: URL(fileURLWithPath: damaged))
        #expect(try index.repair().map(\.kind) == [.unknown, .unknown, .unknown, .unknown])
        #expect(try index.found("exit") == ["known": ["EXIT 2"], "new": ["EXIT of new once more"]])
        #expect(try index.check().isEmpty)
        #expect(try folder.folder().segmentFiles().count == 2)
    }

    /// Of two readings of one recording, the catalog knew the later one, or that of the current file: a rebuilt catalog
    /// does too, and not by chance.
    @Test(arguments: [true, false])
    func ofTwoReadingsTheRightOneIsTaken(firstFits: Bool) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        for round in 0..<12 {
            let path = folder.path + "/clip-\(round).bin"
            try Data("clip \(round)".utf8).write(to: URL(fileURLWithPath: path))
            for (number, text) in ["EXIT first", "EXIT second"].enumerated() {
                var source = Lines.source(path)
                let fits = number == 0 && firstFits
                source.digest = fits ? FileStamp.digest(ofFile: path) : "another file's"
                try write([text], of: source, number: number)
            }
        }
        let index = try TextIndex.forWriting(try folder.folder())
        let found = try index.found("exit")
        #expect(found.count == 12)
        #expect(Set(found.values) == [[firstFits ? "EXIT first" : "EXIT second"]])
        #expect(try index.check().isEmpty)
    }
}
