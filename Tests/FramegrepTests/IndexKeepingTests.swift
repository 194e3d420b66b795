import Foundation
import TestSupport
import Testing
import TextIndex

/// Text that was read stays in the index until it is removed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct IndexKeepingTests {
    private let index: TemporaryFolder
    private let clips: TemporaryFolder

    init() throws {
        (index, clips) = (try TemporaryFolder(), try TemporaryFolder())
    }

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(arguments, environment: ["FRAMEGREP_INDEX": index.file("index")])
    }

    private func clip(_ name: String) async throws -> String {
        let path = clips.file(name)
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: path)
        return path
    }

    private func folder() throws -> IndexFolder { try IndexFolder(index.file("index")) }

    private func sources() throws -> [IndexedSource] { try TextIndex.forSearching(folder())?.sources() ?? [] }

    /// A server that is down does not invalidate text that was read earlier.
    @Test func anAddressThatDoesNotAnswerStays() async throws {
        var clip = KnownClip.cuts
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast key-int-max=25 ! mpegtsmux"
        let piece = try Data(contentsOf: URL(fileURLWithPath: try await ClipCache.shared.path("piece.ts", clip)))
        let server = try PageServer()
        server.put(.data(piece, type: "video/mp2t"), at: "/piece.ts")
        let address = server.address("/piece.ts")
        let first = try await framegrep("index", "--engine", "tesseract", address)
        #expect(first.status == 0, "\(first)")
        #expect(try await framegrep("find", "BUBBLES").status == 0)
        server.remove("/piece.ts")
        let second = try await framegrep("index", "--engine", "tesseract", address)
        #expect(second.status == 2, "\(second)")
        #expect(try await framegrep("find", "BUBBLES").status == 0)
        // A server that never answered is remembered as such.
        let other = server.address("/other.ts")
        #expect(try await framegrep("index", "--engine", "tesseract", other).status == 2)
        #expect(try sources().map(\.state) == [.failed, .complete])
    }

    /// A search does not start over with recordings that 'index' continues or that were only moved.
    @Test func aSearchThatRemembersReplacesNothing() async throws {
        let path = try await clip("cuts.mp4")
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        let known = try #require(try sources().first)
        var partial = known
        partial.state = .partial
        try TextIndex.forWriting(folder()).put(partial)
        let first = try await framegrep("find", "--engine", "tesseract", "--remember", "elevator", path)
        #expect(
            first.status == 1 && first.stderr.contains("'framegrep index' with its name reads the rest"), "\(first)")
        #expect(try sources().map(\.id) == [known.id] && sources().map(\.state) == [.partial])
        try TextIndex.forWriting(folder()).put(known)
        let moved = clips.file("moved.mp4")
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        let second = try await framegrep("find", "--engine", "tesseract", "--remember", "elevator", moved)
        #expect(second.status == 1 && !second.stderr.contains("reads on"), "\(second)")
        #expect(try sources().map(\.id) == [known.id])
    }

    /// An empty name is what a shell leaves of an unset variable: not the current folder, nor all folders.
    @Test func anEmptyNameForgetsNothing() async throws {
        let path = try clips.write("a recording", to: "a.mp4")
        try TextIndex.forWriting(folder()).put(
            IndexedSource(
                id: .drawn(), name: path, manner: "m", stamp: FileStamp(path: path), digest: nil, state: .complete))
        for names in [[""], [path, ""]] {
            let outcome = try await Framegrep.run(
                ["index", "forget"] + names, environment: ["FRAMEGREP_INDEX": index.file("index")], in: clips.path)
            #expect(outcome.status == 2 && outcome.stderr.contains("is empty"), "\(outcome)")
        }
        #expect(try sources().map(\.name) == [path])
    }

    /// `..` behind a link is above the link's target, for the recording and for the index.
    @Test func whatIsAboveALinkIsAboveItsTarget() async throws {
        try FileManager.default.createDirectory(atPath: clips.file("a/b"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: clips.file("link"), withDestinationPath: "a/b")
        let names = ["a.mp4", "a/a.mp4"]
        for name in names { _ = try clips.write("a recording", to: name) }
        let folder = try IndexFolder(clips.file("link/../index"))
        for path in names.map(clips.file) {
            try TextIndex.forWriting(folder).put(
                IndexedSource(
                    id: .drawn(), name: path, manner: "m", stamp: FileStamp(path: path), digest: nil, state: .complete))
        }
        #expect(FileManager.default.fileExists(atPath: clips.file("a/index/catalog.db")))
        let outcome = try await framegrep("index", "forget", "--index", folder.path, clips.file("link/../a.mp4"))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try TextIndex.forSearching(folder)?.sources().map(\.name) == [clips.file("a.mp4")])
    }

    /// é in one scalar and in two are equal as texts, and name two files.
    @Test func namesAreComparedByTheirBytes() async throws {
        let names = ["\u{E9}.mp4", "e\u{301}.mp4"]
        for (name, word) in zip(names, ["GATE", "PLATFORM"]) {
            let clip = KnownClip(
                width: 320, height: 180, frameCount: 25, words: [KnownWord(text: word, x: 40, y: 50, frames: 0..<25)])
            try FileManager.default.copyItem(
                atPath: try await ClipCache.shared.path("\(word)-only.mp4", clip), toPath: clips.file(name))
        }
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", clips.path).status == 0)
        let paths = names.map(clips.file)
        for (path, word) in zip(paths, ["GATE", "PLATFORM"]) {
            let found = try await framegrep("find", "--engine", "tesseract", word, paths[0], paths[1])
            #expect(found.lines.count == 1 && found.stdout.utf8.starts(with: path.utf8), "\(found)")
            #expect(try await framegrep("find", word).lines.count == 1)
        }
        #expect(try await framegrep("index", "forget", paths[0]).stderr.contains("1 recording removed from the index"))
        #expect(try sources().map { Array($0.name.utf8) } == [Array(paths[1].utf8)])
        #expect(try await framegrep("find", "PLATFORM").status == 0)
    }

    /// A name may begin with a mark that joins the slash before it into one character.
    @Test func aFolderIsForgottenWithAllItsNames() async throws {
        let path = try clips.write("a recording", to: "\u{301}.mp4")
        try TextIndex.forWriting(folder()).put(
            IndexedSource(
                id: .drawn(), name: path, manner: "m", stamp: FileStamp(path: path), digest: nil, state: .complete))
        #expect(try await framegrep("index", "forget", clips.path).status == 0)
        #expect(try sources().isEmpty)
    }

    /// A file is gone if its folder exists and it does not; an unplugged disk may come back. A circular link stands for
    /// missing permissions, which tests run as root cannot have.
    @Test func whatCannotBeReachedIsNotGone() async throws {
        let places = ["gone.mp4", "away/far.mp4", "circle.mp4", "there.mp4"]
        try FileManager.default.createDirectory(atPath: clips.file("away"), withIntermediateDirectories: false)
        do {
            let store = try TextIndex.forWriting(folder())
            for place in places {
                let path = try clips.write("a recording", to: place)
                try store.put(
                    IndexedSource(
                        id: .drawn(), name: path, manner: "m", stamp: FileStamp(path: path), digest: nil,
                        state: .complete))
            }
        }
        try FileManager.default.removeItem(atPath: clips.file("gone.mp4"))
        try FileManager.default.moveItem(atPath: clips.file("away"), toPath: clips.file("elsewhere"))
        try FileManager.default.removeItem(atPath: clips.file("circle.mp4"))
        try FileManager.default.createSymbolicLink(
            atPath: clips.file("circle.mp4"), withDestinationPath: clips.file("circle.mp4"))
        let known = try sources()
        let lacks: [IndexedSource.Lack?] = places.map { place in
            known.first(where: { $0.name == clips.file(place) })?.lack
        }
        #expect(lacks == [.gone, .unreachable, .unreachable, nil])
        let forgotten = try await framegrep("index", "forget", "--gone")
        #expect(
            forgotten.status == 0 && forgotten.stderr.contains("1 recording removed from the index"), "\(forgotten)")
        for place in ["away/far.mp4", "circle.mp4"] { #expect(forgotten.stderr.contains(place), "\(forgotten)") }
        #expect(!forgotten.stderr.contains("there.mp4"))
        #expect(try sources().count == 3)
        #expect(try await framegrep("index", "status").stdout.contains("far.mp4: its file cannot be reached"))
    }
}
