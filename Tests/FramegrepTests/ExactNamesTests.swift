import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextIndex
import TextSpotting

@testable import framegrep

/// Two files whose names look alike, with é in one piece and in two, are two files. A name may also begin with a mark
/// that a text would put on the slash before it.
@Suite struct ExactNamesTests {
    private let folder: TemporaryFolder
    private let names = ["caf\u{E9}.mp4", "cafe\u{301}.mp4", "\u{301}.mp4"]

    init() throws { folder = try TemporaryFolder() }

    private func files() throws -> [String] {
        let path = try #require(FileName.real(folder.path))
        return try names.enumerated().map { number, name in
            _ = try folder.write("file \(number)", to: name)
            return path + "/" + name
        }
    }

    private func bytes(_ paths: some Sequence<String>) -> [[UInt8]] {
        paths.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test func eachFileOfAWatchedFolderIsReported() throws {
        var quiet = QuietFiles()
        let begin = ContinuousClock.now
        let files = try files()
        for file in files { quiet.change(file, FileStamp(path: file), at: begin) }
        let due = quiet.due(at: begin + QuietFiles.quiet) { FileStamp(path: $0) }
        #expect(bytes(due.map(\.path)) == bytes(files))
        let walk = FolderWalk(included: ["*.mp4"], excluded: [])
        #expect(files.allSatisfy { walk.takes($0, in: (FileName.real(folder.path) ?? "")) })
    }

    @Test func eachFileOfAListIsFollowed() throws {
        let files = try files()
        let list = try folder.write("#EXTM3U\n" + names.map { "#EXTINF:4,\n\($0)\n" }.joined(), to: "list.m3u8")
        #expect(bytes(Set(ListedFiles.files(listedBy: list).map(ExactName.init)).map(\.text)) == bytes(files))
    }

    @Test func eachFileIsListedForAnAssistant() throws {
        let files = try files()
        let path = try #require(FileName.real(folder.path))
        #expect(
            bytes(MCPTools.media(below: [path]).paths)
                == bytes(files))
    }

    /// What is allowed is allowed by its bytes: the folder, and the recording of the index.
    @Test func whatLooksLikeAnAllowedFileIsNotAllowed() throws {
        let files = try files()
        for (allowed, other) in [(0, 1), (1, 0)] {
            let access = try MCPAccess(allowing: [files[allowed]])
            #expect(try access.place(files[allowed], among: []) == .file(files[allowed]))
            #expect(throws: FramegrepError.self) { try access.place(files[other], among: []) }
            #expect(!FileBounds.contain(files[other], [files[allowed]]))
            let source = IndexedSource(
                id: .drawn(), name: files[allowed], manner: "", stamp: FileStamp(path: files[allowed]), digest: nil)
            let nothing = try MCPAccess(allowing: [])
            #expect(try nothing.place(files[allowed], among: [source]).name == files[allowed])
            #expect(throws: FramegrepError.self) { try nothing.place(files[other], among: [source]) }
        }
        #expect(FileBounds.contain(files[2], [try #require(FileName.real(folder.path))]))
    }
}
