import Foundation
import TestSupport
import Testing
import TextSpotting

/// Output files get exactly the bytes of their names, whatever those are.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OutputNamesTests {
    private func shell(_ script: String, in folder: TemporaryFolder) async throws -> Framegrep.Outcome {
        let bash = try #require(Tool("bash"))
        let clip = try await cutsClip()
        return await (try Running(bash.path, ["-c", script, Framegrep.path, clip], folder: folder.path)).end()
    }

    /// Returns the names in a folder as bytes: Foundation would replace those that are not UTF-8.
    private func names(in path: String) -> Set<[UInt8]> {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: Set<[UInt8]> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { found.insert(name) }
        }
        return found
    }

    private func name(_ text: String) -> [UInt8] { [0x63, 0xE9] + Array(text.utf8) }

    @Test(arguments: [false, true]) func namesOfOutputsThatAreNoUTF8(areThere: Bool) async throws {
        let folder = try TemporaryFolder()
        let before = areThere ? "for e in txt boxes mp4; do echo old > $'c\\xe9.'$e; done; mkdir $'c\\xe9'; " : ""
        let outcome = try await shell(
            before
                + "\"$0\" find --engine tesseract --language eng BUBBLES \"$1\" -o $'c\\xe9.txt' --boxes $'c\\xe9.boxes' "
                + "--save-video $'c\\xe9.mp4' --save-frames $'c\\xe9'; echo $?; cat c*.txt; head -c 9 c*.boxes; "
                + "\"$0\" find --engine tesseract --language eng BUBBLES c*.mp4; ls $'c\\xe9' | wc -l", in: folder)
        #expect(names(in: folder.path) == [name(".txt"), name(".boxes"), name(".mp4"), name("")], "\(outcome)")
        #expect(outcome.lines.first == "0" && outcome.stderr == "", "\(outcome)")
        #expect(outcome.stdout.contains("{\"type\":") && outcome.stdout.contains("c\\xE9.mp4:"), "\(outcome)")
        #expect(outcome.lines.last == "1", "\(outcome)")
    }

    @Test func nothingUnfinishedIsLeftBeside() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await shell(
            "echo old > $'c\\xe9.mp4'; ln -s $'c\\xe9.mp4' link.mp4; "
                + "\"$0\" live --headless --engine tesseract GATE \"$1\" --record $'c\\xe9.mp4'; echo $?; "
                + "\"$0\" find --engine tesseract GATE \"$1\" --save-video link.mp4; echo $?; "
                + "printf 'GATE\\n' > $'p\\xe9'; \"$0\" find --engine tesseract -f $'p\\xe9' \"$1\" -c", in: folder)
        #expect(names(in: folder.path) == [name(".mp4"), Array("link.mp4".utf8), [0x70, 0xE9]], "\(outcome)")
        #expect(outcome.lines.filter { $0 == "0" }.count == 2 && outcome.lines.last == "1", "\(outcome)")
    }
}
