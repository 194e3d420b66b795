import Errors
import Foundation
import GRDB
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// An index is filled, searched, limited and repaired.
@Suite struct TextIndexTests {
    private let folder = IndexTestFolder()

    private func filled(_ texts: [String: [TextLine]]) throws -> TextIndex {
        let index = try TextIndex.forWriting(try folder.folder())
        for (name, lines) in texts.sorted(by: { $0.key < $1.key }) {
            _ = try index.add(Lines.part(lines), of: Lines.source(name), inPlaceOf: nil)
        }
        return index
    }

    @Test func whatWasReadIsFound() throws {
        let index = try filled([
            "a": [Lines.line("GATE 12 EXIT"), Lines.line("nothing here")], "b": [Lines.line("the exit is left")],
        ])
        #expect(try index.found("exit") == ["a": ["GATE 12 EXIT"], "b": ["the exit is left"]])
        #expect(try index.found("GATE 12") == ["a": ["GATE 12 EXIT"]])
        #expect(try index.found("elevator") == [:])
        #expect(try index.found("ex") == ["a": ["GATE 12 EXIT"], "b": ["the exit is left"]])
        #expect(try index.found(":number") == ["a": ["GATE 12 EXIT"]])
        #expect(try index.found("GATE [0-9]+", kind: .expression) == ["a": ["GATE 12 EXIT"]])
    }

    /// A wrong letter of the best reading is found through its alternatives, and a text that no reading considered is
    /// not.
    @Test func aMisreadWordIsFoundByItsEvidence() throws {
        let misread = Lines.line("BUBBIES and GALE", others: [4: ("L", 0.3), 12: ("T", 0.3)])
        let index = try filled(["a": [misread, Lines.line("BUBBIES and GALE")]])
        #expect(try index.found("BUBBLES")["a"]?.count == 1)
        #expect(try index.found("GATE")["a"]?.count == 1)
        #expect(try index.found("GAME") == [:])
    }

    /// A long word may lack one letter that was not considered, and a code several; a short word none.
    @Test(arguments: [("deetplaltraill", "deetplaltrail", true), ("K84J6", "K8426", true), ("GATE", "GALE", false)])
    func longWordsAndCodesNeedNotHaveAllGrams(word: String, read: String, isLookedAt: Bool) throws {
        guard case .grams(let grams, let least, _) = try Pattern(text: word).candidates else {
            Issue.record("\(word) is not looked up by grams")
            return
        }
        let known = LineGrams.grams(of: RecognizedText(read))
        #expect((grams.count(where: known.contains) >= least) == isLookedAt)
        #expect(!grams.allSatisfy(known.contains))
    }

    @Test(arguments: ["서울", "東京", "ひと"])
    func wordsOfTwoLettersAreFound(word: String) throws {
        let index = try filled(["a": [Lines.line("\(word)駅 3"), Lines.line("EXIT")]])
        #expect(try index.found(word)["a"]?.count == 1)
    }

    /// A reader without evidence is tolerated as much as when reading.
    @Test func withoutEvidenceAsMuchIsForgivenAsByReading() throws {
        var line = Lines.line("Departmemt store", withEvidence: false)
        for index in line.words[0].characters.indices { line.words[0].characters[index].confidence = 0.6 }
        let matcher = Matcher(patterns: [try Pattern(text: "department")])
        let read = matcher.matches(in: line).filter { $0.score >= 0.05 }
        try #require(read.count == 1)
        let index = try filled(["a": [line]])
        #expect(try index.found("department", minimumScore: 0.05)["a"]?.count == 1)
    }

    @Test func aPhraseRunsOverLines() throws {
        var part = Lines.part([Lines.line("please GATE", y: 40), Lines.line("TWELVE now", y: 64)])
        part.steps = [0]
        for index in part.lines.indices {
            part.lines[index].steps = 0..<1
            for word in part.lines[index].words.indices {
                part.lines[index].words[word] = .init(id: index * 2 + word, start: .zero, end: StreamTime(seconds: 2))
            }
        }
        let index = try TextIndex.forWriting(try folder.folder())
        _ = try index.add(part, of: Lines.source("a"), inPlaceOf: nil)
        #expect(try index.found("gate twelve") == ["a": ["please GATE TWELVE now"]])
        #expect(try index.found("gate eleven") == [:])
    }

    /// Two parts of a recording: text that is visible across the cut is one sighting.
    @Test func aSightingGoesOnInTheNextPart() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        let source = Lines.source("a")
        for (start, end) in [(0.0, 3.0), (3.0, 5.0), (9.0, 10.0)] {
            var part = Lines.part([Lines.line("EXIT")], from: start)
            part.lines[0].words = [.init(id: 1, start: StreamTime(seconds: start), end: StreamTime(seconds: end))]
            part.to = StreamTime(seconds: end)
            _ = try index.add(part, of: source, inPlaceOf: nil)
        }
        let answer = try index.search(for: Matcher(patterns: [try Pattern(text: "EXIT")]), minimumScore: 0.3)
        let times = (answer.sightings[source.id] ?? []).map { [$0.start.seconds, $0.end.seconds] }
        #expect(times == [[0, 5], [9, 10]])
    }

    /// A line is read again while it is typed, with a first word whose edges differ in every reading: the word at its
    /// end was once counted twice.
    @Test func aWordFarDownALineThatChangesIsSeenOnce() throws {
        func state(_ text: String, _ steps: Range<Int>, _ base: LinePath.Knot) -> RecordedLine {
            let line = Lines.line(text)
            let presence = RecordedLine.Presence(id: 1, start: .zero, end: StreamTime(seconds: 4))
            let path = LinePath(
                base: base,
                following: [
                    .init(frame: 0, x: 80, y: 160, width: 200, height: 142),
                    .init(frame: 3, x: 78, y: 166, width: 210, height: 99),
                ])
            return RecordedLine(line: line, steps: steps, words: line.words.map { _ in presence }, path: path)
        }
        let long = "gum choose bubbles gum skate glow lipgloss wish gum choose bubbles gum skate elevator"
        let part = RecordedPart(
            from: .zero, to: StreamTime(seconds: 4),
            frames: FrameTimes(runs: [.init(start: 0, count: 4, span: 4_000_000_000)]), steps: [0, 1, 2, 3],
            lines: [
                state(long, 0..<1, .init(frame: 0, x: 50, y: 160, width: 290, height: 108)),
                state(long + " gl", 1..<2, .init(frame: 1, x: 90, y: 160, width: 170, height: 90)),
                state(long + " glow", 2..<4, .init(frame: 2, x: 60, y: 160, width: 250, height: 100)),
            ])
        let index = try TextIndex.forWriting(try folder.folder())
        _ = try index.add(part, of: Lines.source("a"), inPlaceOf: nil)
        #expect(try index.found("elevator")["a"]?.count == 1)
    }

    @Test func whatIsForgottenIsInNoFile() throws {
        let index = try filled(["a": [Lines.line("SECRETWORD")], "b": [Lines.line("EXIT")]])
        try index.mergeSmall()
        let ids = try index.sources().filter { $0.name == "a" }.map(\.id)
        #expect(try index.forget(Set(ids)) == 1)
        #expect(try index.found("secretword") == [:])
        #expect(try index.found("exit") == ["b": ["EXIT"]])
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for file in files where file.hasSuffix(".fgi") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + file))
            #expect(bytes.range(of: Data("SECRETWORD".utf8)) == nil)
        }
    }

    @Test func manySmallSegmentsBecomeOneAndSayTheSame() throws {
        let index = try filled(
            Dictionary(
                uniqueKeysWithValues: (0..<20).map { ("r\($0)", [Lines.line("EXIT \($0)", others: [1: ("K", 0.2)])]) }))
        let before = try index.found("exit")
        #expect(try index.size().segments == 20)
        try index.mergeSmall()
        #expect(try index.size().segments < 8)
        #expect(try index.found("exit") == before)
        #expect(try index.found("ekit").count == 20)
        #expect(try index.check().isEmpty)
        #expect(try folder.folder().segmentsOnDisk().count == (try index.size().segments))
    }

    // MARK: Faults

    @Test func twoWritersAreTold() throws {
        let first = try TextIndex.forWriting(try folder.folder())
        let error = #expect(throws: FramegrepError.self) { try TextIndex.forWriting(try folder.folder()) }
        #expect(error?.message.contains("Another framegrep") == true)
        withExtendedLifetime(first) {}
        #expect(try TextIndex.forSearching(try folder.folder()) != nil)
    }

    @Test func aNewerIndexIsLeftAlone() throws {
        _ = try filled(["a": [Lines.line("EXIT")]])
        let catalog = try IndexDatabase.open(folder.path + "/catalog.db", for: .writing)
        try catalog.write { try $0.execute(sql: "UPDATE meta SET value = '99' WHERE key = 'format'") }
        try catalog.close()
        for open in [
            { _ = try TextIndex.forSearching($0) }, { _ = try TextIndex.forWriting($0) },
            { _ = try TextIndex.repair($0) },
        ]
            as [(IndexFolder) throws -> Void]
        {
            let error = #expect(throws: FramegrepError.self) { try open(try folder.folder()) }
            #expect(error?.code == .indexNewer && error?.message.contains("newer framegrep") == true)
        }
    }

    @Test func aDamagedSegmentIsToldOfAndTakenOut() throws {
        var index: TextIndex? = try filled(["a": [Lines.line("EXIT")]])
        let damaged = try folder.segment()
        _ = try index?.add(Lines.part([Lines.line("EXIT 2")]), of: Lines.source("b"), inPlaceOf: nil)
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: damaged))
        let answer = try index?.search(for: Matcher(patterns: [try Pattern(text: "exit")]), minimumScore: 0.3)
        #expect(answer?.problems.count == 1 && answer?.incomplete.count == 1 && answer?.sightings.count == 1)
        #expect(try index?.check().map(\.sources) == [["a"]])
        index = nil
        #expect(try TextIndex.repair(try folder.folder()).count == 1)
        index = try TextIndex.forSearching(try folder.folder())
        #expect(try index?.check().isEmpty == true)
        #expect(try index?.found("exit") == ["b": ["EXIT 2"]])
    }

    @Test func aLostCatalogIsMadeAnew() throws {
        _ = try filled(["a": [Lines.line("EXIT")], "b": [Lines.line("GATE")]])
        try Data("no database".utf8).write(to: URL(fileURLWithPath: folder.path + "/catalog.db"))
        #expect(throws: FramegrepError.self) { try TextIndex.forSearching(try folder.folder()) }
        #expect(try TextIndex.repair(try folder.folder()).isEmpty == false)
        #expect(try TextIndex.forSearching(try folder.folder())?.found("exit") == ["a": ["EXIT"]])
    }

    @Test(
        arguments: [
            ("/home/u/x", nil), ("/net/share/index", "nfs4"), ("/net/share2/index", nil), ("/net/local/index", nil),
            ("/mnt/my disk/i", "cifs"),
        ] as [(String, String?)])
    func networkFileSystemsAreKnown(path: String, kind: String?) {
        let mounts = """
            /dev/sda1 / ext4 rw 0 0
            host:/x /net/share nfs4 rw 0 0
            /dev/sdb1 /net/local ext4 rw 0 0
            //host/y /mnt/my\\040disk cifs rw 0 0
            """
        #expect(IndexFolder.networkKind(of: path, mounts: mounts) == kind)
    }

    /// A link on a local disk may lead elsewhere.
    @Test func aLinkToANetworkFileSystemIsOne() throws {
        let (share, link) = (folder.path + "/share", folder.path + "/link")
        try FileManager.default.createDirectory(atPath: share + "/index", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: share)
        let real = try #require(realpath(share, nil).map { String(cString: $0) })
        let mounts = "/dev/sda1 / ext4 rw 0 0\nhost:/x \(real) ceph rw 0 0\n"
        #expect(try IndexFolder(link + "/index").networkKind(mounts: mounts) == "ceph")
        #expect(try IndexFolder(folder.path).networkKind(mounts: mounts) == nil)
    }

    @Test func theFolderIsItsUsersAlone() throws {
        _ = try filled(["a": [Lines.line("EXIT")]])
        for (path, mode) in [(folder.path, 0o700), (folder.path + "/catalog.db", 0o600), (try folder.segment(), 0o600)]
        {
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(found == mode, "\(path)")
        }
    }

    /// Of several readings of one file, the best comes first: the more thorough one, unless it is only a part or a
    /// skim.
    @Test func theClosestWholeReadingIsChosen() {
        let manners = [
            "neural accurate closely", "neural fast closely", "neural accurate", "neural fast",
            "tesseract language=accurate",
            SkimProfile.text("neural accurate"), SkimProfile.text("tesseract"),
        ]
        var sources = manners.map { manner in
            var source = Lines.source("/a.mp4")
            source.manner = manner
            return source
        }
        for state in [IndexedSource.State.partial, .failed, .expired] {
            var source = sources[0]
            source.state = state
            sources.append(source)
        }
        for (place, best) in sources.enumerated() where best.state != .failed && best.state != .expired {
            for other in sources[(place + 1)...] {
                for all in [[best, other], [other, best]] {
                    #expect(IndexedSource.best(of: all) == [best], "\(best.manner), \(other.manner) \(other.state)")
                }
            }
        }
        #expect(IndexedSource.best(of: sources.suffix(2)).isEmpty)
    }

    @Test func aFileIsKnownAgain() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        let path = folder.path + "/clip.bin"
        try Data((0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }).write(to: URL(fileURLWithPath: path))
        #expect(try index.status(ofFile: path, manner: "m") == .new)
        var source = IndexedSource(
            id: .drawn(), name: path, manner: "m", stamp: FileStamp(path: path), digest: FileStamp.digest(ofFile: path),
            state: .complete)
        try index.put(source)
        #expect(try index.status(ofFile: path, manner: "m") == .unchanged(source))
        #expect(try index.status(ofFile: path, manner: "other") == .new)
        // Disks get other device numbers when the machine is restarted.
        source.stamp?.device += 1
        try index.put(source)
        #expect(TextIndex.isAsItWas(source) && source.lack == nil)
        #expect(try index.status(ofFile: path, manner: "m") == .unchanged(source))
        let moved = folder.path + "/moved.bin"
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        source.name = moved
        guard case .renamed(let known, let before) = try index.status(ofFile: moved, manner: "m") else {
            Issue.record("not known again")
            return
        }
        #expect(known.id == source.id && before == path)
        // A copy next to it is another file.
        try FileManager.default.copyItem(atPath: moved, toPath: path)
        #expect(try index.status(ofFile: path, manner: "m") == .new)
        // One byte is appended.
        let handle = try #require(FileHandle(forWritingAtPath: moved))
        try handle.seek(toOffset: 899_999)
        try handle.write(contentsOf: Data([1, 2]))
        try handle.close()
        #expect(try index.status(ofFile: moved, manner: "m") == .new)
        // The file is overwritten in place, between the samples.
        (source.stamp, source.digest) = (FileStamp(path: moved), FileStamp.digest(ofFile: moved))
        try index.put(source)
        #expect(try index.status(ofFile: moved, manner: "m") == .unchanged(source))
        let other = try #require(FileHandle(forWritingAtPath: moved))
        try other.seek(toOffset: 100_000)
        try other.write(contentsOf: Data([1, 2]))
        try other.close()
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: 5)], ofItemAtPath: moved)
        #expect(FileStamp.digest(ofFile: moved) == source.digest)
        #expect(try index.status(ofFile: moved, manner: "m") == .new)
    }
}
