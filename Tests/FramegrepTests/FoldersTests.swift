import Foundation
import TestSupport
import Testing

/// Folders and lists of inputs, as used with grep and find.
@Suite(.serialized, .timeLimit(.minutes(3))) struct FoldersTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates two stills with GATE, one without, a text file and one with only the name of a picture.
    private func shots() async throws {
        let clip = KnownClip(
            frameCount: 1, words: [KnownWord(text: "GATE", x: 60, y: 70, size: 60, frames: 0..<1)],
            encoding: "pngenc")
        let other = KnownClip(
            frameCount: 1, words: [KnownWord(text: "OTHER", x: 60, y: 70, size: 60, frames: 0..<1)],
            encoding: "pngenc")
        for path in ["shots/b", "shots/a/deep", "shots/skipped"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(path), withIntermediateDirectories: true)
        }
        try await clip.render(to: folder.file("shots/z.png"))
        for name in ["shots/a/deep/gate.png", "shots/skipped/gate.png"] {
            try FileManager.default.copyItem(atPath: folder.file("shots/z.png"), toPath: folder.file(name))
        }
        try await other.render(to: folder.file("shots/b/other.png"))
        _ = try folder.write("GATE", to: "shots/notes.txt")
        _ = try folder.write("GATE, but no picture", to: "shots/b/broken.png")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("shots/b/round"), withDestinationPath: folder.file("shots"))
    }

    private func find(_ arguments: String..., input: FileHandle? = nil) async throws -> Framegrep.Outcome {
        let job = try Running(
            Framegrep.path, ["find", "--engine", "tesseract", "-l", "GATE"] + arguments, folder: folder.path,
            input: input)
        return await job.end(within: 60)
    }

    @Test func foldersAreSearchedInTheOrderOfNames() async throws {
        try await shots()
        let outcome = try await find("-r", "shots")
        #expect(outcome.lines == ["shots/a/deep/gate.png", "shots/skipped/gate.png", "shots/z.png"], "\(outcome)")
        // A file found in a folder need not be a picture.
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome)")
        let here = try await find("-r", "--exclude", "skipped", "--exclude", "z*")
        #expect(here.lines == ["shots/a/deep/gate.png"], "\(here)")
        let chosen = try await find("-r", "shots/", "--include", "z.*")
        #expect(chosen.lines == ["shots/z.png"], "\(chosen)")
        // A file named on the command line must be one.
        let named = try await find("shots/b/broken.png")
        #expect(named.status == 2 && named.stderr.contains("broken.png"), "\(named)")
    }

    @Test func anEmptyRecordingIsNamedAmongOthers() async throws {
        try await shots()
        _ = try folder.write("", to: "shots/b/notes.txt")
        _ = try folder.write("", to: "shots/b/lobby.mp4")
        let outcome = try await find("-r", "shots")
        #expect(outcome.lines == ["shots/a/deep/gate.png", "shots/skipped/gate.png", "shots/z.png"], "\(outcome)")
        #expect(outcome.status == 2 && outcome.stderr.contains("lobby.mp4"), "\(outcome)")
        #expect(!outcome.stderr.contains("notes.txt"), "\(outcome)")
    }

    @Test func withoutRecursionAFolderIsAnError() async throws {
        try await shots()
        let outcome = try await find("shots")
        #expect(outcome.status == 2 && outcome.stderr.contains("-r"), "\(outcome)")
        let live = try await Framegrep.run(["live", "GATE", "shots", "--headless"], in: folder.path)
        #expect(live.status == 2 && live.stderr.contains("find -r"), "\(live)")
        let nothing = try await find("-r", "nowhere")
        #expect(nothing.status == 2 && nothing.stderr.contains("nowhere"), "\(nothing)")
        let empty = try await find("-r", "shots/a", "--include", "*.mp4")
        #expect(empty.status == 1 && empty.stdout.isEmpty, "\(empty)")
    }

    /// The shell has created the results file before the folder is searched.
    @Test func whatTheResultsGoIntoIsNotSearched() async throws {
        try await shots()
        let bash = try #require(Tool("bash"))
        let script =
            "cd shots && \"$0\" find -r --engine tesseract -l GATE --include 'z*' > zfound; echo $?; cat zfound"
        let outcome = await (try Running(bash.path, ["-c", script, Framegrep.path], folder: folder.path)).end()
        #expect(outcome.lines == ["0", "z.png"] && outcome.stderr.isEmpty, "\(outcome)")
        // A named one is refused, because it is already empty.
        let named = "\"$0\" find --engine tesseract GATE shots/z.png > shots/z.png"
        let refused = await (try Running(bash.path, ["-c", named, Framegrep.path], folder: folder.path)).end()
        #expect(refused.status == 2 && refused.stderr.contains("goes into it"), "\(refused)")
    }

    @Test func namesComeFromALine() async throws {
        try await shots()
        let odd = folder.file("a\nb.png")
        try FileManager.default.moveItem(atPath: folder.file("shots/z.png"), toPath: odd)
        let lines = try folder.write("shots/a/deep/gate.png\r\n\nshots/b/other.png\n", to: "lines")
        let fromLines = try await find("--files-from", lines)
        #expect(fromLines.lines == ["shots/a/deep/gate.png"] && fromLines.status == 0, "\(fromLines)")
        let zeros = try folder.write("shots/a/deep/gate.png\0a\nb.png\0", to: "zeros")
        let fromZeros = try await find("-0", "--files-from", "-", input: FileHandle(forReadingAtPath: zeros))
        #expect(fromZeros.lines == ["shots/a/deep/gate.png", "a␊b.png"], "\(fromZeros)")
        let missing = try await find("--files-from", "nowhere")
        #expect(missing.status == 2 && missing.stderr.contains("The list nowhere cannot be read"), "\(missing)")
    }

    @Test func optionsThatMeanNothingAreAnswered() async throws {
        for options in [["--include", "*.mp4", "x.mp4"], ["-0", "x.mp4"]] {
            let outcome = try await Framegrep.run(["find", "GATE"] + options)
            #expect(outcome.status == 2 && outcome.stderr.contains("framegrep: "), "\(outcome)")
        }
    }
}
