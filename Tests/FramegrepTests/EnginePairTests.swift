import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// Letters that the networks do not know: the neural detector finds the line, Tesseract reads it.
@Suite(.serialized) struct EnginePairTests {
    /// Returns whether `framegrep doctor` reports these parts as installed.
    private static func isInstalled(_ words: String...) async -> Bool {
        guard let report = try? await Framegrep.run("doctor") else { return false }
        return words.allSatisfy { word in report.lines.contains { $0.hasPrefix("ok") && $0.contains(word) } }
    }

    /// Tesseract's places of letters are too inexact for a single stroke.
    @Test func aSignInFrontMakesAnotherNumber() async throws {
        guard await Self.isInstalled("OpenVINO") else { return }
        let clip = try await ClipCache.shared.path(
            "signs.mp4",
            KnownClip(words: [
                KnownWord(text: "5 km", x: 320, y: 150, frames: 0..<25),
                KnownWord(text: "-5 km", x: 304, y: 150, frames: 25..<50),
                KnownWord(text: "5 km", x: 320, y: 150, frames: 50..<75),
            ]))
        let outcome = try await Framegrep.run(["find", "--engine", "neural", "--format", "jsonl", ":number", clip])
        #expect(outcome.objects.compactMap { $0["text"] as? String } == ["5", "-5", "5"], "\(outcome)")
    }

    private func picture(of text: String, in folder: TemporaryFolder) throws -> String {
        let canvas = try Canvas(width: 640, height: 200, color: OverlayColor(hex: 0xE8E4D8))
        _ = canvas.draw(CanvasText(text, font: .sansBold, size: 44), at: .move(to: Point(60, 60)))
        try PNGWriter.write(canvas, to: folder.file("text.png"))
        return folder.file("text.png")
    }

    @Test func hangulIsReadByTesseractOnTheLinesTheNetworkFinds() async throws {
        guard await Self.isInstalled("OpenVINO"), await Self.isInstalled("kor") else { return }
        let folder = try TemporaryFolder()
        let path = try picture(of: "안녕하세요 세계", in: folder)
        let found = try await Framegrep.run("find", "세계", path, "--engine", "neural", "-v")
        #expect(found.status == 0, "\(found)")
        #expect(found.stderr.contains("PP-OCRv6 finding lines, Tesseract"))
        #expect(try await Framegrep.run("find", "학교", path, "--engine", "neural").status == 1)
    }

    @Test func aSecondLookNeverFindsWhatIsNotThere() async throws {
        guard await Self.isInstalled("OpenVINO", "accurate") else { return }
        let folder = try TemporaryFolder()
        let path = try picture(of: "Vice President", in: folder)
        #expect(try await Framegrep.run("find", "Vice President", path, "--engine", "neural").status == 0)
        #expect(try await Framegrep.run("find", "Vine President", path, "--engine", "neural").status == 1)
    }

    @Test func withoutTheNeuralEngineTesseractReadsAndSaysSo() async throws {
        let folder = try TemporaryFolder()
        let path = try picture(of: "GATE 12", in: folder)
        let nothing = ["FRAMEGREP_HOME": folder.path]
        let auto = try await Framegrep.run(["find", "GATE 12", path, "-v"], environment: nothing)
        #expect(auto.status == 0 && auto.stderr.contains("Tesseract"), "\(auto)")
        let neural = try await Framegrep.run(["find", "GATE 12", path, "--engine", "neural"], environment: nothing)
        #expect(neural.status == 2 && neural.stderr.contains("framegrep setup"), "\(neural)")
    }
}
