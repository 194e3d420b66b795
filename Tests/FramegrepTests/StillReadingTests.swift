import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// Still pictures are first read quickly, and then as thoroughly as possible.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StillReadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func isInstalled() async -> Bool {
        guard let report = try? await Framegrep.run("doctor") else { return false }
        return ["OpenVINO", "accurate"].allSatisfy { word in
            report.lines.contains { $0.hasPrefix("ok") && $0.contains(word) }
        }
    }

    /// Draws a large sign, small print, and words upside down and sideways next to upright ones.
    private func scene() throws -> String {
        let canvas = try Canvas(width: 1600, height: 1000, color: OverlayColor(hex: 0x8C9098))
        func draw(_ text: String, _ size: Double, at x: Double, _ y: Double, turnedBy degrees: Double = 0) {
            _ = canvas.draw(
                CanvasText(text, font: .sansBold, size: size), at: .place(Point(x, y), degrees: degrees))
        }
        draw("Platform closed", 90, at: 80, 60)
        draw("lower deck passengers only", 11, at: 1100, 700)
        draw("HARBOUR", 40, at: 700, 500, turnedBy: 180)
        draw("MUSEUM", 40, at: 1400, 300, turnedBy: 90)
        try PNGWriter.write(canvas, to: folder.file("scene.png"))
        return folder.file("scene.png")
    }

    @Test func whatIsSmallOrTurnedIsFoundOnce() async throws {
        guard await Self.isInstalled() else { return }
        let path = try scene()
        let words = ["Platform", "passengers", "HARBOUR", "MUSEUM", "elevator"]
        let search = ["find", "--no-index", "--format", "jsonl"] + words.flatMap { ["-e", $0] } + [path]
        let close = try await Framegrep.run(search)
        let found = close.objects.compactMap { $0["pattern"] as? String }
        #expect(found.sorted() == ["HARBOUR", "MUSEUM", "Platform", "passengers"], "each once: \(close)")
        #expect(close.objects.compactMap { $0["id"] as? Int } == [1, 2, 3, 4], "\(close)")
        // An upside-down word begins at its own top left, which is at the bottom right.
        let peak = try #require(
            close.objects.first { $0["pattern"] as? String == "HARBOUR" }?["peak"] as? [String: Any])
        let quad = try #require(peak["quad"] as? [[Double]])
        #expect(quad[0][0] > quad[1][0] && quad[0][1] > quad[3][1], "\(quad)")
        // The requested result is printed.
        let fast = try await Framegrep.run(search + ["--level", "fast"])
        #expect(fast.status == 0 && !fast.stdout.contains("HARBOUR"), "\(fast)")
        #expect(try await Framegrep.run(search + ["--threads", "1"]).stdout == close.stdout)
    }

    /// A second reading takes seconds; the results of the first are shown before it.
    @Test func theFirstResultsDoNotWaitForTheSecondReading() async throws {
        guard await Self.isInstalled() else { return }
        let search = try Running(Framegrep.path, ["find", "--no-index", "-e", "Platform", try scene()])
        #expect(await search.wait { search.stdout.contains("Platform closed\n") }, "\(search.stderr)")
        search.send(SIGINT)
        #expect(await search.end().status == 130)
    }

    @Test func allTextHasEachLineOnce() async throws {
        guard await Self.isInstalled() else { return }
        let outcome = try await Framegrep.run(["find", "--all-text", try scene()])
        let lines = outcome.lines.map { $0.drop { $0 != ":" }.dropFirst(2) }
        #expect(
            lines.sorted() == ["HARBOUR", "MUSEUM", "Platform closed", "lower deck passengers only"], "\(outcome)")
    }

    @Test func enoughIsEnough() async throws {
        guard await Self.isInstalled() else { return }
        let path = try scene()
        let one = try await Framegrep.run(["find", "--no-index", "-m", "1", "-e", "Platform", "-e", "HARBOUR", path])
        #expect(one.lines.count == 1 && one.stdout.contains("Platform"), "\(one)")
        // A match of the second reading alone ends the search just as well.
        #expect(try await Framegrep.run(["find", "--no-index", "-q", "HARBOUR", path]).status == 0)
        #expect(try await Framegrep.run(["find", "--no-index", "-c", "HARBOUR", path]).stdout == "1\n")
        #expect(try await Framegrep.run(["find", "--no-index", "-L", "HARBOUR", path]).stdout == "")
    }

    /// A still that was read like a frame does not answer a search that reads it thoroughly, or vice versa.
    @Test func theIndexKnowsHowCloselyAStillWasRead() async throws {
        guard await Self.isInstalled() else { return }
        let (path, index) = (try scene(), ["--index", folder.file("index")])
        let fast = try await Framegrep.run(["index", path, "--level", "fast"] + index)
        #expect(fast.status == 0, "\(fast)")
        let search = ["find", "HARBOUR", path, "-v"] + index
        let read = try await Framegrep.run(search)
        #expect(read.status == 0 && !read.stderr.contains("from the index"), "\(read)")
        #expect(try await Framegrep.run(["index", path] + index).status == 0)
        let known = try await Framegrep.run(search)
        #expect(known.status == 0 && known.stderr.contains("from the index, 1 sightings"), "\(known)")
        let again = try await Framegrep.run(["index", path, "-v"] + index)
        #expect(again.status == 0 && !again.stderr.contains("pipeline"), "nothing is read: \(again)")
        // Without inputs the better reading is used.
        #expect(try await Framegrep.run(["find", "HARBOUR"] + index).lines.count == 1)
        let asked = try await Framegrep.run(search + ["--level", "fast"])
        #expect(asked.status == 1 && asked.stderr.contains("from the index, 0 sightings"), "\(asked)")
    }

    @Test func whatIsFoundCloselyIsHidden() async throws {
        guard await Self.isInstalled() else { return }
        let copy = folder.file("copy.png")
        let redacted = try await Framegrep.run(["redact", "HARBOUR", try scene(), "-o", copy])
        #expect(redacted.status == 0, "\(redacted)")
        #expect(try await Framegrep.run(["find", "--no-index", "HARBOUR", copy]).status == 1)
        #expect(try await Framegrep.run(["find", "--no-index", "Platform", copy]).status == 0)
    }

    /// Separators and the break between its lines are free.
    @Test func aTwoLinedPlateIsOne() async throws {
        guard await Self.isInstalled() else { return }
        let canvas = try Canvas(width: 640, height: 400, color: OverlayColor(hex: 0xB0B4B8))
        for (row, text) in ["WX 69", "JK 3092"].enumerated() {
            _ = canvas.draw(
                CanvasText(text, font: .sansBold, size: 36),
                at: .move(to: Point(200 + 10 * Double(row), 120 + 50 * Double(row))))
        }
        try PNGWriter.write(canvas, to: folder.file("plate.png"))
        for plate in ["WX 69 JK 3092", "WX-69-JK-3092", "WX69JK3092"] {
            let outcome = try await Framegrep.run(["find", "--no-index", plate, folder.file("plate.png")])
            #expect(outcome.lines.count == 1, "\(outcome)")
        }
        #expect(try await Framegrep.run(["find", "--no-index", "WX 69 JK 3095", folder.file("plate.png")]).status == 1)
    }
}
