import Foundation
import GStreamerMedia
import TestSupport
import Testing

@testable import framegrep

extension ListedFiles {
    /// Returns all paths to which a list leads.
    static func files(listedBy path: String, bounds: MediaList.Bounds = MediaList.Bounds()) -> [String] {
        var (files, found) = (ListedFiles(bounds: bounds), [String]())
        try? files.follow(path) { found.append($0) }
        return found
    }
}

/// Lists may come from others, so they can make the program do little work, and open only files that they name.
@Suite(.timeLimit(.minutes(3))) struct HostileListsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for made in ["own/below/deep", "beside"] {
            try FileManager.default.createDirectory(atPath: folder.file(made), withIntermediateDirectories: true)
        }
        for name in ["own/1.ts", "own/below/2.ts", "own/below/deep/3.ts", "beside/4.ts", "5.ts"] {
            _ = try folder.write("x", to: name)
        }
        try FileManager.default.createSymbolicLink(atPath: folder.file("own/out"), withDestinationPath: folder.path)
        try FileManager.default.createSymbolicLink(atPath: folder.file("own/root"), withDestinationPath: "/")
    }

    /// Ends of names that match far too much if their placeholders stand for anything.
    private static let wide = [
        "/{a}/{b}/{c}", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}", "/$a$/$b$/$c$", "../{a}/{b}", "../$a$", "{a}/../../{b}",
        "./$a$/../../$b$", "out/$a$", "out/{a}/{b}", "root/{a}/{b}", "below/../../$a$", "file:///{a}/{b}/{c}",
        "%2F$a$%2F$b$", "..%2f$a$", "/*/*/*", "../*", "/[a-z]*/?*",
    ]

    @Test(arguments: wide)
    func holesStandForFilesBelowTheListAlone(name: String) throws {
        let own = try #require(FileBounds.realPath(folder.file("own")))
        for text in [
            "#EXTM3U\n#EXTINF:4,\n\(name)\n", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"\(name)\"\n",
            "ffconcat version 1.0\nfile '\(name)'\n", "<MPD><SegmentTemplate media=\"\(name)\"/></MPD>",
            "<MPD><BaseURL>../</BaseURL><BaseURL>/</BaseURL><SegmentTemplate media='\(name)'/></MPD>",
            "<SmoothStreamingMedia><StreamIndex Url=\"\(name)\"/></SmoothStreamingMedia>",
        ] {
            let found = ListedFiles.files(listedBy: try folder.write(text, to: "own/list"))
            #expect(found.count < 1000, "\(text)")
            let outside = found.filter { path in
                guard let real = FileBounds.realPath(path) else { return false }
                return real != own && !real.hasPrefix(own + "/")
            }
            #expect(outside.isEmpty, "\(text): \(outside.prefix(9))")
        }
    }

    @Test(arguments: [
        ("$Number$.ts", ["1.ts"]), ("below/{start time}.ts", ["below/2.ts"]),
        ("$RepresentationID$/deep/$Number%05d$.ts", ["below/deep/3.ts"]), ("HERE/$Number$.ts", ["1.ts"]),
    ])
    func templatesFindTheirFiles(name: String, expected: [String]) throws {
        let name = name.replacing("HERE", with: folder.file("own"))
        let list = try folder.write("<MPD><SegmentTemplate media='\(name)'/></MPD>", to: "own/list.mpd")
        let found = ListedFiles.files(listedBy: list).filter { FileManager.default.fileExists(atPath: $0) }
        #expect(Set(found) == Set(expected.map { folder.file("own/" + $0) }))
    }

    /// Various texts that are not lists but contain the name of a file in their folder.
    @Test(arguments: [
        "1.ts\n", "file '1.ts'\n", "{\"type\":\"sighting\",\"source\":\"1.ts\"}\n", "# EXTM3U\n1.ts\n", "EXTM3U\n1.ts",
        "2026-11-26 #EXTM3U\n1.ts\n", "<html><a href=\"1.ts\">1.ts</a></html>",
        "<?xml version='1.0'?><!-- <MPD> --><rss><url>1.ts</url></rss>", "<!DOCTYPE svg><html>'1.ts'</html>",
        "1\n00:00:01,000 --> 00:00:02,000\n1.ts\n", "[playlist]\nFile1=1.ts\n", "<MPDs>'1.ts'</MPDs>", "<", "<!--", "#",
        "", "\u{FEFF}", "<?xml",
    ])
    func textsThatAreNoListsLeadNowhere(text: String) throws {
        #expect(ListedFiles.files(listedBy: try folder.write(text, to: "own/text")) == [])
    }

    @Test(arguments: [
        "\u{FEFF}#EXTM3U\n1.ts\n", "\n\n#EXTM3U\r\n1.ts\r\n", "<!-- a --><?b?><!DOCTYPE svg><x:svg>'1.ts'</x:svg>",
        "<?xml version='1.0'?>\n<MPD>\n<BaseURL>1.ts</BaseURL></MPD>",
    ])
    func headsAreFoundBehindWhatMayStandThere(text: String) throws {
        let file = folder.file("own/1.ts")
        #expect(ListedFiles.files(listedBy: try folder.write(text, to: "own/list")).contains(file))
        let wide = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let list = try folder.write([0xFF, 0xFE] + wide, to: "own/wide")
        #expect(text.hasPrefix("\u{FEFF}") || ListedFiles.files(listedBy: list).contains(file))
    }

    @Test func whatListsMakeTheProgramDoIsBounded() throws {
        let long = try folder.write("#EXTM3U\n" + (0..<300_000).map { "\($0).ts\n" }.joined(), to: "own/long.m3u8")
        #expect((1...100_000).contains(ListedFiles.files(listedBy: long).count))
        // Lists of lists of lists, and a folder of many files.
        for number in 0..<200 {
            _ = try folder.write(
                "#EXTM3U\n" + (0..<200).map { "l\($0).m3u8?\(number)\n" }.joined(), to: "own/l\(number).m3u8")
        }
        #expect(
            ListedFiles.files(listedBy: folder.file("own/l0.m3u8"), bounds: MediaList.Bounds(files: 500)).count <= 500)
        let tree = try folder.write("<MPD>'$a$' '$a$.m3u8' '$a$/$b$' '$a$/$b$/$c$'</MPD>", to: "own/tree")
        #expect(ListedFiles.files(listedBy: tree, bounds: MediaList.Bounds(files: 50)).count <= 50)
        #expect(ListedFiles.files(listedBy: long, bounds: MediaList.Bounds(bytes: 100)).count < 50)
        // Limits apply to all lists of a run together.
        var (files, count) = (ListedFiles(bounds: MediaList.Bounds(files: 700)), 0)
        for number in 0..<200 { try files.follow(folder.file("own/l\(number).m3u8")) { _ in count += 1 } }
        #expect(count <= 700)
    }

    /// Playlists of songs begin like those of recordings; the recordings in them are searched.
    @Test func aWalkPassesOverPiecesOfRecordingsAlone() throws {
        let walk = FolderWalk(included: ["*.ts", "*.m3u8"], excluded: [])
        func names() throws -> [String] {
            try walk.files(in: folder.file("own"), named: folder.file("own")).map {
                String($0.name.dropFirst(folder.path.count + 1))
            }.sorted()
        }
        let pieces = ["own/1.ts", "own/below/2.ts", "own/below/deep/3.ts"]
        #expect(try names() == pieces)
        for text in ["#EXTM3U\n#EXTINF:4,A song\n1.ts\n", "1.ts\n", "#EXT-X-TARGETDURATION:4\n1.ts\n"] {
            _ = try folder.write(text, to: "own/songs.m3u8")
            #expect(try names() == pieces + ["own/songs.m3u8"], "\(text)")
        }
        _ = try folder.write("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.ts\n", to: "own/songs.m3u8")
        #expect(try names() == Array(pieces.dropFirst()) + ["own/songs.m3u8"])
        // There may never be a writer for a pipe.
        #expect(mkfifo(folder.file("beside/pipe"), 0o600) == 0)
        for name in ["pipe.m3u8", "pipe.ts"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("own/" + name), withDestinationPath: "../beside/pipe")
        }
        #expect(try names() == Array(pieces.dropFirst()) + ["own/songs.m3u8"])
    }

    /// A file three folders below the root is not a segment of a list with three placeholders, whichever command reads
    /// the list.
    @Test func noCommandRefusesWhatAListDoesNotName() async throws {
        let holes = folder.file("out").split(separator: "/").map { _ in "/{a}" }.joined()
        _ = try folder.write("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(holes)\n", to: "own/evil.m3u8")
        _ = try folder.write("x", to: "out")
        _ = try folder.write(
            "[[source]]\nname = \"a\"\naddress = \"own/evil.m3u8\"\nwords = \"GATE\"\n", to: "c.toml")
        let engine = ["--engine", "tesseract", "--language", "eng"]
        for arguments in [
            ["find", "GATE", "own/evil.m3u8", "-o", "out"], ["find", "GATE", "-r", "own/", "-o", "out"],
            ["redact", "-r", "GATE", "own/", "-o", "hidden"], ["live", "--config", "c.toml", "--check", "-o", "out"],
        ] {
            let reads = arguments.contains("--config") ? [] : engine
            let outcome = try await Framegrep.run(arguments + reads, in: folder.path)
            #expect(!outcome.stderr.contains("leads to it"), "\(arguments) \(outcome)")
        }
    }
}
