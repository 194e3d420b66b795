import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// The index gives the same results as reading, and keeps the text that was read.
@Suite(.serialized, .timeLimit(.minutes(5))) struct IndexTests {
    private let index: TemporaryFolder
    private let clips: TemporaryFolder

    init() throws {
        (index, clips) = (try TemporaryFolder(), try TemporaryFolder())
    }

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome { try await framegrep(arguments) }

    private func framegrep(_ arguments: [String]) async throws -> Framegrep.Outcome {
        try await Framegrep.run(arguments, environment: ["FRAMEGREP_INDEX": index.file("index")])
    }

    /// A copy of the clip of cuts, which the test may rename and change.
    private func clip(_ name: String = "cuts.mp4") async throws -> String {
        let path = clips.file(name)
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: path)
        return path
    }

    private static let present = ["GATE", "BUBBLES", "EXIT", "12", "EXIT 12", "kitchen", ":number", "bubb", "E"]
    private static let absent = ["elevator", "BUBBLED", "GAME", "EXIST", "34", "EXIT 13", "xq", ":url"]

    /// If the engine is chosen automatically, text that the networks have read is not read again with a weaker engine
    /// when they are gone.
    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"))
    func whatTheNetworksReadAnswersWithoutThem() async throws {
        let path = try await clip()
        #expect(try await framegrep("index", "-q", path).status == 0)
        let gone = ["FRAMEGREP_INDEX": index.file("index"), "FRAMEGREP_HOME": "/nonexistent"]
        let known = try await Framegrep.run(["find", "GATE", path, "-v"], environment: gone)
        #expect(known.status == 0 && known.stderr.contains("from the index"), "\(known)")
        let asked = try await Framegrep.run(["find", "GATE", path, "-v", "--engine", "tesseract"], environment: gone)
        #expect(asked.status == 0 && !asked.stderr.contains("from the index"), "\(asked)")
    }

    /// If Tesseract has read a recording too, the networks' reading is searched, whichever came first.
    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"), arguments: [true, false])
    func theCloserReadingIsSearched(isTesseractFirst: Bool) async throws {
        let path = try await clip()
        let engines = [["--engine", "tesseract"], ["--engine", "neural"]]
        for engine in isTesseractFirst ? engines : engines.reversed() {
            let indexed = try await framegrep(["index", "-q", path] + engine)
            #expect(indexed.status == 0, "\(indexed)")
        }
        let read = try await framegrep(["find", "--no-index", "--engine", "neural", "GATE", path, "--format", "jsonl"])
        let all = try await framegrep(["find", "GATE", "--format", "jsonl"])
        let found = all.objects.filter { $0["type"] as? String == "sighting" }
        #expect(!found.isEmpty && read.objects.count == found.count, "\(all)")
        for (a, b) in zip(read.objects, found) { expectSame(a, b) }
        // Without the networks the choice is the same.
        let gone = ["FRAMEGREP_INDEX": index.file("index"), "FRAMEGREP_HOME": "/nonexistent"]
        let named = try await Framegrep.run(["find", "GATE", path, "-v", "--format", "jsonl"], environment: gone)
        #expect(named.stderr.contains("from the index") && named.objects.count == found.count, "\(named)")
        for (a, b) in zip(read.objects, named.objects) { expectSame(a, b) }
    }

    /// A plate of two lines is found in the index as in the picture, typed without a gap or as a kind of content, as
    /// one complete result.
    @Test(
        .enabled(if: Scripts.areRead, "the networks are not installed"),
        arguments: [
            (["JL", "447 DP"], [("JL447DP", true), ("JL 447 DP", true), ("JL448DP", false), ("LP447DP", false)]),
            // Its second line is a plate by itself.
            (["WX 69", "JK 3092"], [("WX69JK3092", true), ("WX-69-JK-3092", true), ("WX69JK3093", false)]),
        ])
    func aPlateOfTwoLinesIsFound(lines: [String], searches: [(String, Bool)]) async throws {
        let canvas = try Canvas(width: 640, height: 360, color: OverlayColor(hex: 0x506050))
        for (row, text) in lines.enumerated() {
            _ = canvas.draw(
                CanvasText(text, font: .sansBold, size: 48), at: .move(to: Point(220, 120 + 58 * Double(row))))
        }
        let path = clips.file("plate.png")
        try canvas.writePNG(to: path)
        #expect(try await framegrep("index", "-q", path).status == 0)
        for (plate, isThere) in searches + [(":plate", true)] {
            for options in [[], ["-w"], ["-c"]] {
                let read = try await framegrep(["find", "--no-index", "-e", plate, path] + options)
                let known = try await framegrep(["find", "-e", plate, path, "-v"] + options)
                #expect(known.stderr.contains("from the index"), "\(known)")
                #expect(
                    read.stdout == known.stdout && read.status == known.status, "\(plate) \(options): \(read) \(known)")
                #expect((read.status == 0) == isThere, "\(plate) \(options): \(read)")
                if isThere { #expect(read.lines.count == 1, "\(read)") }
            }
        }
    }

    /// Compares sightings in each format, of text that is there and text that nearly is.
    @Test(arguments: ["jsonl", "text", "vtt", "srt"])
    func theAnswerIsThatOfReading(format: String) async throws {
        let path = try await clip()
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        let words = (Self.present + Self.absent).flatMap { ["-e", $0] }
        let find = ["find", "--engine", "tesseract", "--format", format] + words + [path]
        let environment = ["FRAMEGREP_INDEX": index.file("index")]
        let read = try await Framegrep.run(find + ["--no-index"], environment: environment)
        let known = try await Framegrep.run(find + ["-v"], environment: environment)
        #expect(known.stderr.contains("from the index"))
        #expect(read.status == 0 && known.status == 0)
        if format == "jsonl" {
            #expect(read.objects.count == known.objects.count && read.objects.count > 8)
            for (a, b) in zip(read.objects, known.objects) { expectSame(a, b) }
        } else {
            #expect(read.stdout == known.stdout)
        }
    }

    private func expectSame(_ a: [String: Any], _ b: [String: Any]) {
        for key in ["pattern", "text", "line", "source"] {
            #expect(a[key] as? String == b[key] as? String, "\(key)")
        }
        #expect(a["id"] as? Int == b["id"] as? Int)
        for (key, tolerance) in [("start", 0.000_002), ("end", 0.000_002), ("score", 0.02)] {
            let (one, other) = (a[key] as? Double ?? -1, b[key] as? Double ?? -2)
            #expect(abs(one - other) <= tolerance, "\(a["pattern"] ?? "") \(key): \(one) \(other)")
        }
        let (peak, other) = (a["peak"] as? [String: Any], b["peak"] as? [String: Any])
        #expect(abs((peak?["t"] as? Double ?? -1) - (other?["t"] as? Double ?? -2)) < 0.000_002)
        let quads = [peak, other].map { ($0?["quad"] as? [[Double]] ?? []).flatMap(\.self) }
        #expect(quads[0].count == 8 && quads[1].count == 8 && zip(quads[0], quads[1]).allSatisfy { abs($0 - $1) <= 1 })
    }

    /// Boxes of moving text are at the same places as when reading.
    @Test func boxesFollowMovingText() async throws {
        let pan = KnownClip(words: [KnownWord(text: "MOVING", x: 20, y: 150, frames: 0..<75, speed: 4)])
        let path = try await ClipCache.shared.path("pan.mp4", pan)
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        var boxes: [[[String: Any]]] = []
        for option in [["--no-index"], []] {
            let file = index.file("boxes\(option.count)")
            let arguments = ["find", "--engine", "tesseract", "--boxes", file, "MOVING", path] + option
            let outcome = try await Framegrep.run(arguments, environment: ["FRAMEGREP_INDEX": index.file("index")])
            #expect(outcome.lines.count == 1)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            boxes.append(
                text.split(separator: "\n").compactMap {
                    try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                })
        }
        #expect(boxes[0].count == boxes[1].count && boxes[0].count > 70)
        for (a, b) in zip(boxes[0], boxes[1]) {
            #expect(abs((a["t"] as? Double ?? -1) - (b["t"] as? Double ?? -2)) < 0.000_002)
            let quads = [a, b].map { ($0["quad"] as? [[Double]] ?? []).flatMap(\.self) }
            #expect(zip(quads[0], quads[1]).allSatisfy { abs($0 - $1) <= 3 }, "\(quads)")
        }
    }

    @Test func withoutInputsEverythingIsSearched() async throws {
        let first = try await clip("first.mp4")
        let empty = try await framegrep("find", "GATE")
        #expect(empty.status == 2 && empty.stderr.contains("nothing to search in"))
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", clips.path).status == 0)
        let found = try await framegrep("find", "GATE")
        #expect(found.status == 0)
        #expect(found.lines.count == 1 && found.stdout.hasPrefix("\(first):00:00:00.000-00:00:03.000: GATE"))
        #expect(found.stderr.contains("1 recording (3 s) searched in the index."))
        let missing = try await framegrep("GATE", "--format", "jsonl", "-e", "elevator")
        #expect(missing.status == 2)
        let none = try await framegrep("elevator", "--format", "jsonl")
        #expect(none.status == 1)
        #expect(none.objects.count == 1 && none.objects.first?["type"] as? String == "coverage")
        #expect(none.objects.first?["sources"] as? Int == 1)
        #expect(try await framegrep("find", "--no-index", "GATE").status == 2)
    }

    @Test func whatIsThereIsNotReadAgain() async throws {
        let path = try await clip()
        let first = try await framegrep("index", "--engine", "tesseract", path)
        #expect(first.stderr.contains("1 read (3 s)."))
        let second = try await framegrep("index", "--engine", "tesseract", path)
        #expect(second.stderr.contains("0 read (0 s), 1 unchanged."))
        let moved = clips.file("other name.mp4")
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        let gone = try await framegrep("find", "GATE")
        #expect(gone.status == 0 && gone.stderr.contains("its file is gone"))
        let third = try await framegrep("index", "--engine", "tesseract", moved)
        #expect(third.stderr.contains("0 read (0 s), 1 renamed."))
        let found = try await framegrep("find", "GATE")
        #expect(found.stdout.hasPrefix(moved) && !found.stderr.contains("gone"))
        // A reading with other options does not answer the search.
        #expect(
            try await framegrep("find", "-v", "--engine", "tesseract", "GATE", moved).stderr.contains("from the index"))
        let region = try await framegrep(
            "find", "-v", "--engine", "tesseract", "--region", "0,0,50%,50%", "GATE", moved)
        #expect(!region.stderr.contains("from the index"))
    }

    @Test func oneFaultDoesNotEndTheRest() async throws {
        _ = try await clip("b.mp4")
        _ = try clips.write("no video", to: "a.mp4")
        let outcome = try await framegrep("index", "--engine", "tesseract", clips.file("a.mp4"), clips.file("b.mp4"))
        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("a.mp4") && outcome.stderr.contains("1 read"))
        #expect(try await framegrep("find", "GATE").status == 0)
    }

    @Test func whatIsForgottenIsNotFound() async throws {
        let path = try await clip()
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        #expect(try await framegrep("index", "sources").stdout.contains(path))
        #expect(try await framegrep("index", "check").status == 0)
        #expect(try await framegrep("index", "forget", path).stderr.contains("1 recording removed from the index"))
        #expect(try await framegrep("find", "GATE").status == 1)
        #expect(try await framegrep("index", "forget", path).status == 2)
    }

    @Test func aReadOnlyIndexIsSearched() async throws {
        let path = try await clip()
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        let before = try FileManager.default.subpathsOfDirectory(atPath: index.path)
        #expect(try await framegrep("find", "GATE").status == 0)
        // A search leaves no file behind, so it needs no write permission.
        #expect(try FileManager.default.subpathsOfDirectory(atPath: index.path) == before)
    }

    @Test func whatAFindReadsMayBeRemembered() async throws {
        let path = try await clip()
        let first = try await framegrep("find", "--engine", "tesseract", "--remember", "elevator", path)
        #expect(first.status == 1)
        let second = try await framegrep("find", "-v", "--engine", "tesseract", "GATE", path)
        #expect(second.status == 0 && second.stderr.contains("from the index"))
    }

    @Test func partOfTheTimeIsSearched() async throws {
        let path = try await clip()
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        let find = [
            "find", "--engine", "tesseract", "--format", "jsonl", "--from", "1", "--to", "1.8", "-e", "GATE", "-e",
            "EXIT", path,
        ]
        let environment = ["FRAMEGREP_INDEX": index.file("index")]
        let known = try await Framegrep.run(find, environment: environment)
        let times = known.objects.map { [$0["start"] as? Double ?? 0, $0["end"] as? Double ?? 0] }
        #expect(times.sorted { $0[0] < $1[0] } == [[1, 1.8], [1.4, 1.8]])
    }

    /// After a kill at any moment the written data is intact, and the next run continues.
    @Test func aKilledRunLosesNothing() async throws {
        let path = try await clip()
        let environment = ["FRAMEGREP_INDEX": index.file("index")]
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        let other = try await clip("other.mp4")
        for round in 0..<6 {
            let running = try Running(
                Framegrep.path, ["index", "--engine", "tesseract", "-q", other], environment: environment)
            try await Task.sleep(for: .milliseconds(60 + 110 * round))
            running.send(SIGKILL)
            _ = await running.end()
            #expect(try await framegrep("find", "GATE").stdout.contains(path))
        }
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", other).status == 0)
        #expect(try await framegrep("find", "GATE").lines.count == 2)
        #expect(try await framegrep("index", "repair").status == 0)
        #expect(try await framegrep("index", "check").status == 0)
        #expect(try await framegrep("find", "GATE").lines.count == 2)
    }

    /// A deleted file still has its date, and the advice given works.
    @Test func aFileThatIsGoneIsSearchedByItsDate() async throws {
        let path = try await clip()
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        try FileManager.default.removeItem(atPath: path)
        let found = try await framegrep("find", "GATE", "--since", "1h ago")
        #expect(found.status == 0 && found.lines.count == 1, "\(found.stderr)")
        #expect(found.stderr.contains("its file is gone") && found.stderr.contains("index forget --gone"))
        #expect(!found.stderr.contains("with their names"))
        #expect(try await framegrep("find", "GATE", "--since", "2001-01-01", "--until", "2001-01-02").status == 1)
    }

    /// As in grep, unreadable input is an error, whatever was found in the rest.
    @Test func aDamagedPartIsAnError() async throws {
        let paths = [try await clip("a.mp4"), try await clip("b.mp4")]
        for path in paths { #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0) }
        let folder = index.file("index")
        let segments = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".fgi") }
        #expect(segments.count == 2)
        let segment = folder + "/" + (segments.sorted().first ?? "")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: segment))
        for place in stride(from: 5_000, to: bytes.count, by: 4_096) { bytes[place] ^= 1 }
        try bytes.write(to: URL(fileURLWithPath: segment))
        let found = try await framegrep("find", "GATE")
        #expect(
            found.status == 2 && found.lines.count == 1 && found.stderr.contains("cannot be read"), "\(found.stderr)")
        #expect(found.stderr.contains("'framegrep index repair'"))
        #expect(try await framegrep("find", "elevator").status == 2)
        #expect(try await framegrep("find", "-q", "GATE").status == 0)
        #expect(try await framegrep("index", "check").status == 2)
        #expect(try await framegrep("index", "repair").stdout.contains("to be read again: \(paths[0])"))
        #expect(try await framegrep("index", "check").status == 0)
        #expect(try await framegrep("find", "GATE").status == 0)
    }

    @Test(
        arguments: [
            (["find", "GATE", "--index", "nowhere"], "There is no index in"),
            (["find", "GATE", "--index", ""], "is empty"),
            (["index", "--index", "", "a.mp4"], "is empty"), (["index", "merge", "", "x"], "is empty"),
            (["index", "status", "--index", ""], "is empty"),
        ])
    func aWrongFolderIsSaid(arguments: [String], part: String) async throws {
        let outcome = try await Framegrep.run(arguments, environment: [:], in: clips.path)
        #expect(outcome.status == 2 && outcome.stderr.contains(part), "\(outcome.stderr)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: clips.path).isEmpty)
    }

    /// Several inputs that are remembered in parallel give the same index as one after the other.
    @Test func severalAreRememberedAtATime() async throws {
        for number in 0..<10 { _ = try await clip("\(number).mp4") }
        var digests: [String] = []
        for jobs in ["1", "4"] {
            let folder = index.file("index-\(jobs)")
            let outcome = try await Framegrep.run(
                [
                    "find", "--engine", "tesseract", "--remember", "--index", folder, "-j", jobs, "-r", "elevator",
                    clips.path,
                ],
                environment: [:])
            #expect(outcome.status == 1, "\(outcome.stderr)")
            digests.append(try await framegrep("index", "digest", "--index", folder).stdout)
            #expect(try await framegrep("index", "check", "--index", folder).status == 0)
        }
        #expect(digests[0] == digests[1])
    }

    /// Several inputs in parallel make the same index as one after the other; an input that is named twice, or by a
    /// link, is read once, and an unreadable one does not stop the others.
    @Test func severalAtATimeMakeTheSameIndex() async throws {
        var paths: [String] = []
        for name in ["a.mp4", "b.mp4", "c.mp4"] { paths.append(try await clip(name)) }
        try FileManager.default.createSymbolicLink(atPath: clips.file("d.mp4"), withDestinationPath: paths[0])
        try Data("no video".utf8).write(to: URL(fileURLWithPath: clips.file("e.mp4")))
        let inputs = [paths[0], clips.file("d.mp4"), paths[1], paths[0], clips.file("e.mp4"), paths[2]]
        var digests: [String] = []
        for jobs in ["1", "3"] {
            let folder = index.file("index-\(jobs)")
            let outcome = try await Framegrep.run(
                ["index", "--engine", "tesseract", "--index", folder, "-j", jobs] + inputs, environment: [:])
            #expect(outcome.status == 2 && outcome.stderr.contains("3 read"), "\(outcome.stderr)")
            #expect(outcome.stderr.contains("2 unchanged, 1 with an error"), "\(outcome.stderr)")
            digests.append(try await framegrep("index", "digest", "--index", folder).stdout)
        }
        #expect(digests[0] == digests[1] && digests[0].count == 65)
    }
}
