import Errors
import Foundation
import GRDB
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// Damaged files of the index: nothing crashes, nothing wrong is returned, and intact parts are found.
@Suite struct DamageTests {
    private let folder = IndexTestFolder()

    private func filled(_ names: [String]) throws {
        let index = try TextIndex.forWriting(try folder.folder())
        for name in names {
            var part = Lines.part([
                Lines.line("EXIT 12 \(name)", others: [1: ("K", 0.2)]), Lines.line("nothing", withEvidence: false),
            ])
            part.clock = ClockTrack(
                hasDate: true,
                pieces: [.init(start: .zero, end: StreamTime(seconds: 4), offset: 1000, lastOffset: 1000)],
                quad: Quad(Rect(x: 1, y: 2, width: 3, height: 4)))
            _ = try index.add(part, of: Lines.source(name), inPlaceOf: nil)
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Returns the answer of an index; nil if it reports damage.
    private func answer() throws -> (found: [String: [String]], isWhole: Bool)? {
        do {
            guard let index = try TextIndex.forSearching(try folder.folder()) else { return nil }
            let matcher = Matcher(patterns: [try Pattern(text: "exit"), try Pattern(text: "12 b")])
            let answer = try index.search(for: matcher, minimumScore: 0.3, keepsBoxes: true)
            let names = Dictionary(try index.sources().map { ($0.id, $0.name) }) { first, _ in first }
            let found = answer.sightings.map {
                (names[$0] ?? "?", $1.map { "\($0.line) \($0.start) \($0.boxes)" }.sorted())
            }
            return (Dictionary(found) { first, _ in first }, answer.problems.isEmpty)
        } catch let error as FramegrepError where error.isAboutAFile {
            return nil
        }
    }

    private func isSound() throws -> Bool {
        do { return try TextIndex.forSearching(try folder.folder())?.check().isEmpty ?? false } catch let error
            as FramegrepError where error.isAboutAFile
        { return false }
    }

    /// A check notices every flipped bit that matters; a search reports it, or finds the same as before.
    @Test(arguments: ["segment", "catalog"])
    func noTurnedBitPassesUnnoticed(kind: String) throws {
        try filled(["a", "b"])
        let whole = try #require(try answer())
        let digest = try TextIndex.forSearching(try folder.folder())?.digest()
        let path = kind == "segment" ? try folder.segment() : folder.path + "/catalog.db"
        let good = try bytes(path)
        var random = SeededGenerator(seed: 27)
        // These are the header, where each bit has a meaning, and random places.
        let places =
            stride(from: 0, to: 800, by: 7).map { $0 }
            + (0..<80).map { _ in Int.random(in: 0..<good.count * 8, using: &random) }
        for place in places {
            var bad = good
            bad[place / 8] ^= 1 << UInt8(place % 8)
            try write(bad, to: path)
            let isSound = try isSound()
            if let answer = try answer(), answer.isWhole { #expect(answer.found == whole.found, "bit \(place)") }
            if isSound {
                #expect(try TextIndex.forSearching(try folder.folder())?.digest() == digest, "bit \(place)")
            }
            #expect(!isSound, "bit \(place)")
        }
        try write(good, to: path)
        #expect(try isSound())
    }

    /// Repairing any such index leaves an intact one with the contents of the other segment.
    @Test(arguments: ["segment", "catalog"])
    func whatIsDamagedIsMended(kind: String) throws {
        try filled(["a", "b"])
        let path = kind == "segment" ? try folder.segment() : folder.path + "/catalog.db"
        let good = Dictionary(
            uniqueKeysWithValues: try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .map { folder.path + "/" + $0 }.filter { !IndexTestFolder.isFolder($0) }.map { ($0, try bytes($0)) })
        var random = SeededGenerator(seed: 5)
        for _ in 0..<25 {
            for (path, bytes) in good { try write(bytes, to: path) }
            var bad = good[path] ?? []
            let place = Int.random(in: 0..<bad.count * 8, using: &random)
            bad[place / 8] ^= 1 << UInt8(place % 8)
            try write(bad, to: path)
            let findings = try TextIndex.repair(try folder.folder())
            #expect(!findings.isEmpty, "bit \(place)")
            // Nothing is deleted: the user decides.
            #expect(try findings.flatMap(\.aside).contains { try bytes($0) == bad }, "bit \(place)")
            #expect(try isSound(), "bit \(place)")
            #expect(try answer()?.found.isEmpty == false, "bit \(place)")
        }
    }

    /// Missing and truncated files are reported without opening anything.
    @Test func whatIsMissingShowsAtAGlance() throws {
        try filled(["a", "b"])
        func strange() throws -> [String] { try TextIndex.forSearching(try folder.folder())?.strangeSegments() ?? [] }
        #expect(try strange().isEmpty)
        let path = try folder.segment()
        let good = try bytes(path)
        try write(Array(good.dropLast(100)), to: path)
        #expect(try strange().count == 1)
        unlink(path)
        #expect(try strange().count == 1)
        try write(good, to: path)
        #expect(try strange().isEmpty)
    }

    /// A segment replaced by another is damage: its recordings neither count as searched nor are lost when segments are
    /// merged.
    @Test func anotherSegmentInAFilesPlaceIsDamage() throws {
        try filled(["a", "b"])
        let index = try folder.folder()
        let names = index.segmentsOnDisk().filter { $0.hasSuffix(".fgi") }
        try #require(names.count == 2)
        let good = try bytes(index.segment(names[1]))
        try write(bytes(index.segment(names[0])), to: index.segment(names[1]))
        #expect(try answer()?.isWhole == false)
        #expect(throws: FramegrepError.self) { try TextIndex.forWriting(index).rewrite([names[1]]) }
        try write(good, to: index.segment(names[1]))
        #expect(try answer()?.isWhole == true)
        #expect(try answer()?.found.count == 2)
    }

    /// A pipe instead of a file is damage like any other; nothing waits for a writer.
    @Test(.timeLimit(.minutes(1)), arguments: ["segment", "catalog"])
    func aPipeInAFilesPlaceIsMended(kind: String) throws {
        try filled(["a", "b"])
        let path = kind == "segment" ? try folder.segment() : folder.path + "/catalog.db"
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try !isSound())
        #expect(try !TextIndex.repair(try folder.folder()).isEmpty)
        #expect(try isSound() && answer()?.found.isEmpty == false)
    }

    /// A folder instead of a segment is damage too: the recordings are read again, and the folder's contents stay.
    @Test func aFolderInAFilesPlaceIsMended() throws {
        try filled(["a", "b"])
        let path = try folder.segment()
        unlink(path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try write([1], to: path + "/note")
        #expect(try !isSound() && answer()?.isWhole == false)
        #expect(try !TextIndex.repair(try folder.folder()).isEmpty)
        #expect(try isSound() && answer()?.isWhole == true && answer()?.found.count == 1)
        #expect(try bytes(path + "/note") == [1])
    }

    /// Files without checksums, as older programs wrote them, and bytes that no program wrote: damage is reported or
    /// the file is read as it is, and nothing crashes.
    @Test func nothingThatAnOldFileSaysCrashes() throws {
        try filled(["a", "b"])
        let path = try folder.segment()
        try OldFile.make(of: path, isCatalog: false)
        try OldFile.make(of: folder.path + "/catalog.db", isCatalog: true)
        let whole = try #require(try answer())
        #expect(try whole.isWhole && isSound() && !SegmentFile(path: path).isSummed)
        for file in [path, folder.path + "/catalog.db"] {
            let good = try bytes(file)
            var random = SeededGenerator(seed: 9)
            for _ in 0..<60 {
                var bad = good
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    bad[Int.random(in: 0..<bad.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                try write(bad, to: file)
                _ = try answer()
                _ = try isSound()
                if let index = try? TextIndex.forSearching(try folder.folder()) {
                    _ = try? index.digest()
                    let other = IndexTestFolder()
                    _ = try? TextIndex.forWriting(try other.folder()).merge(index)
                    if let source = try? index.sources().first {
                        _ = try? index.moment(of: source.id, at: StreamTime(seconds: 0.5))
                    }
                }
            }
            try write(good, to: file)
        }
    }

    /// An index of an older program is searched as it is, and gets its checksums from the next program that writes.
    @Test func anOlderIndexGetsItsSums() throws {
        try filled(["a"])
        try OldFile.make(of: folder.path + "/catalog.db", isCatalog: true)
        try OldFile.make(of: try folder.segment(), isCatalog: false)
        #expect(try TextIndex.forSearching(try folder.folder())?.found("exit").count == 1)
        try filled(["b"])
        let index = try #require(try TextIndex.forSearching(try folder.folder()))
        #expect(try index.found("exit").keys.sorted() == ["a", "b"])
        #expect(try index.catalog.read { IndexDatabase.isSummed($0) })
        #expect(try index.check().isEmpty)
    }

    /// Other programs read the files: they are plain SQLite.
    @Test func everySQLiteReadsThem() throws {
        try filled(["a"])
        for path in [try folder.segment(), folder.path + "/catalog.db"] {
            let verdict = try DatabaseQueue(path: path).read {
                try String.fetchOne($0, sql: "PRAGMA integrity_check")
            }
            #expect(verdict == "ok")
        }
    }

    /// A segment that cannot be renamed, as on a full disk, leaves nothing behind. A folder under its name simulates
    /// that.
    @Test func whatCannotBeWrittenIsNotLeftThere() throws {
        let path = folder.path + "/one.fgi"
        try FileManager.default.createDirectory(atPath: path + "/full", withIntermediateDirectories: true)
        var contents = SegmentContents()
        contents.add(Lines.part([Lines.line("EXIT")]), of: Lines.source("a"))
        let error = #expect(throws: FramegrepError.self) { try SegmentFile.write(contents, to: path) }
        #expect(error?.code == .outputFailed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["one.fgi"])
    }

    /// A large segment is written in many steps, some of which SQLite writes before the file's first page.
    @Test func aLargeSegmentIsWhole() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        let lines = (0..<24_000).map { Lines.line("line \($0 * 7919) of many \($0)") }
        _ = try index.add(Lines.part(lines), of: Lines.source("a"), inPlaceOf: nil)
        #expect(Disk.length(ofFile: try folder.segment()) > 2 << 20)
        #expect(try index.check().isEmpty)
        #expect(try SegmentFile(path: try folder.segment()).isSummed)
    }

    // MARK: Repairing

    /// Files of a newer program are kept and reported; the rest is repaired.
    @Test func segmentsOfANewerProgramAreLeftAlone() throws {
        try filled(["a", "b"])
        let (newer, whole) = (try folder.segment(), try answer())
        let queue = try IndexDatabase.open(newer, for: .writing)
        try queue.write { try $0.execute(sql: "UPDATE meta SET value = '9' WHERE key = 'format'") }
        try queue.close()
        let before = try bytes(newer)
        for _ in 0..<2 {
            let findings = try TextIndex.repair(try folder.folder())
            #expect(findings.map(\.kind) == [.newer])
            #expect(findings.first?.message.contains("newer framegrep") == true)
            #expect(try bytes(newer) == before)
        }
        // This is so even if the catalog is rebuilt and something is forgotten.
        try write([UInt8](repeating: 7, count: 5_000), to: folder.path + "/catalog.db")
        #expect(try TextIndex.repair(try folder.folder()).map(\.kind) == [.catalog, .newer])
        let index = try TextIndex.forWriting(try folder.folder())
        try index.forget(Set(index.sources().map(\.id)))
        #expect(try bytes(newer) == before)
        #expect(whole?.found.count == 2)
    }

    /// A file that cannot be opened is not damaged: a circular link stands for missing permissions and for too many
    /// open files, which tests run as root cannot have.
    @Test func segmentsThatCannotBeOpenedAreLeftAlone() throws {
        try filled(["a", "b"])
        let (closed, whole) = (try folder.segment(), try answer())
        let before = try bytes(closed)
        #expect(rename(closed, closed + ".kept") == 0 && symlink(closed, closed) == 0)
        for _ in 0..<2 {
            let findings = try TextIndex.repair(try folder.folder())
            #expect(findings.map(\.kind) == [.unreadable], "\(findings)")
            #expect(findings.first?.message.contains("left as it is") == true)
        }
        // It is not lost either if the catalog must be rebuilt at that time.
        try write([UInt8](repeating: 7, count: 5_000), to: folder.path + "/catalog.db")
        for _ in 0..<2 {
            let error = #expect(throws: FramegrepError.self) { try TextIndex.repair(try folder.folder()) }
            #expect(error?.code == .indexUnreadable)
        }
        #expect(unlink(closed) == 0 && rename(closed + ".kept", closed) == 0)
        // The damaged catalog was moved away, so there is none now.
        #expect(try TextIndex.repair(try folder.folder()).map(\.kind) == [.catalog])
        #expect(try bytes(closed) == before && isSound())
        #expect(try answer()?.found.count == whole?.found.count)
    }

    /// A catalog that cannot be opened at the moment is not lost either.
    @Test func aCatalogBehindALinkInACircleIsNotMadeAnew() throws {
        try filled(["a", "b"])
        let catalog = folder.path + "/catalog.db"
        #expect(rename(catalog, catalog + ".kept") == 0 && symlink(catalog, catalog) == 0)
        #expect(throws: FramegrepError.self) { try TextIndex.forWriting(try folder.folder()) }
        #expect(throws: FramegrepError.self) { try TextIndex.forSearching(try folder.folder()) }
        #expect(unlink(catalog) == 0 && rename(catalog + ".kept", catalog) == 0)
        #expect(try answer()?.found.count == 2)
    }

    /// A catalog cut to nothing is not a new index: its segments exist.
    @Test(arguments: [0, 100, 4096])
    func aCatalogThatWasCutOffIsMadeAnew(length: Int) throws {
        try filled(["a", "b"])
        let path = folder.path + "/catalog.db"
        try write(Array(try bytes(path).prefix(length)), to: path)
        #expect(throws: FramegrepError.self) { try TextIndex.forWriting(try folder.folder()) }
        #expect(try !isSound())
        #expect(try TextIndex.repair(try folder.folder()).map(\.kind) == [.catalog])
        #expect(try isSound())
        #expect(try TextIndex.forSearching(try folder.folder())?.found("exit").count == 2)
    }

    /// A missing catalog is not intact: data that only it had is read again.
    @Test func aCatalogThatIsGoneIsToldOf() throws {
        try filled(["a", "b"])
        unlink(folder.path + "/catalog.db")
        let findings = try TextIndex.repair(try folder.folder())
        #expect(findings.map(\.kind) == [.catalog] && findings.first?.sources == ["a", "b"], "\(findings)")
        #expect(findings.first?.message.contains("missing") == true && findings.first?.aside == [])
        #expect(try isSound() && answer()?.found.count == 2)
        #expect(try TextIndex.repair(try folder.folder()).isEmpty)
    }

    /// Damaged parts of another index are not copied; the rest is.
    @Test func aMergeLeavesOutWhatIsDamaged() throws {
        try filled(["a", "b"])
        let path = try folder.segment()
        var bad = try bytes(path)
        bad[bad.count / 2] ^= 4
        try write(bad, to: path)
        let other = IndexTestFolder()
        let index = try TextIndex.forWriting(try other.folder())
        let merge = try index.merge(try #require(try TextIndex.forSearching(try folder.folder())))
        #expect(merge.taken == 1 && merge.problems.count == 1)
        #expect(try index.found("exit").count == 1)
        #expect(try index.check().isEmpty)
    }

    /// A server that searches for months caches only a limited part of a segment.
    @Test func whatIsKeptOfASegmentIsBounded() throws {
        var contents = SegmentContents()
        for number in 0..<40 {
            var part = Lines.part([Lines.line("EXIT")], from: Double(number) * 10)
            part.frames = FrameTimes(runs: [.init(start: 0, count: 20_000, span: 600_000_000_000)])
            part.steps = Array(0..<10_000)
            contents.add(part, of: Lines.source("a"))
        }
        let path = folder.path + "/one.fgi"
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try SegmentFile.write(contents, to: path)
        let segment = try SegmentFile(path: path)
        for number in 0..<40 { #expect(try segment.parts([number]).count == 1) }
        #expect((1..<20).contains(segment.keptParts))
        #expect(try segment.parts(Set(0..<40)).count == 40)
        #expect((1..<20).contains(segment.keptParts))
    }
}
