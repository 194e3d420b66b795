import Foundation
import GStreamerMedia
import Spotter
import TestSupport
import Testing
import TextSpotting

/// The checkout that the tests were built from.
enum Checkout {
    static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func text(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }

    /// Returns a single file, or all files of a folder and of those in it, by their paths in the checkout.
    static func files(in place: String) -> [String] {
        guard let names = FileManager.default.enumerator(atPath: path + "/" + place) else { return [] }
        let inside = names.compactMap { $0 as? String }.map { "\(place)/\($0)" }
        return inside.isEmpty ? [place] : inside.filter { !isFolder($0) }.sorted()
    }

    private static func isFolder(_ name: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder) && isFolder.boolValue
    }

    static var pipelines: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/pipelines")) ?? []).filter {
            $0.hasSuffix(".launch")
        }.sorted()
    }
}

@Suite(.serialized) struct PipelineFilesTests {
    @Test func thereAreSome() { #expect(Checkout.pipelines.count >= 6) }

    @Test(arguments: Checkout.pipelines)
    func eachParsesKeepsTheContractAndIsInTheReadme(name: String) throws {
        let template = PipelineTemplate(try Checkout.text("pipelines/" + name))
        let needed = ["path": "/tmp/a b!.mp4", "url": "rtsp://127.0.0.1/x", "output": "/tmp/out.mp4"]
        let description = try template.filled(with: needed.filter { template.holes.contains($0.key) })
        let pipeline = try Pipeline(parsing: description)
        _ = try pipeline.appSink(named: Pipeline.framesName)
        #expect(try Checkout.text("README.md").contains("(pipelines/\(name))"))
    }

    private func run(_ name: String, _ values: String..., find: String) async throws -> Framegrep.Outcome {
        try await Framegrep.run(
            ["run", Checkout.path + "/pipelines/" + name] + values + ["--find", find, "--engine", "tesseract"])
    }

    @Test func theTestPictureIsSearched() async throws {
        #expect(try await run("testsrc.launch", "text=GATE 12", find: "GATE 12").status == 0)
        #expect(try await run("testsrc.launch", find: "NOTHERE").status == 1)
    }

    @Test func aFileIsPlayed() async throws {
        let clip = try await ClipCache.shared.path("cuts.mp4", .cuts)
        let outcome = try await run("file.launch", "path=\(clip)", "window=fakesink sync=true", find: "EXIT 12")
        // A value is one word of the description, whatever it contains: this does not name an element.
        #expect(outcome.status == 2)
        #expect(try await run("file.launch", "path=\(clip)", "window=fakevideosink", find: "EXIT 12").status == 0)
    }

    @Test func aRecordingIsWritten() async throws {
        let clip = try await ClipCache.shared.path("cuts.mp4", .cuts)
        let folder = try TemporaryFolder()
        let seen = folder.file("seen.mp4")
        #expect(try await run("record.launch", "path=\(clip)", "output=\(seen)", find: "EXIT 12").status == 0)
        let info = try await MediaProbe.examine(uri: SourceURI(seen).text)
        #expect(abs((info.duration?.seconds ?? 0) - 3) < 0.2)
    }
}
