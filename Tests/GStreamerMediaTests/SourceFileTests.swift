import Errors
import Foundation
import TestSupport
import Testing

@testable import GStreamerMedia

/// Changes of a file while it is read, which are detected afterwards from the file.
@Suite struct SourceFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ count: Int, of byte: UInt8 = 7, to name: String = "a.ts") throws -> String {
        try folder.write([UInt8](repeating: byte, count: count), to: name)
    }

    private enum Deed: CaseIterable {
        case nothing, rights, link, growth, emptied, cut, other, gone, written, over, longerOver, folder
    }

    @Test func everyDeedIsToldOf() throws {
        for deed in Deed.allCases {
            let path = try write(10_000)
            var past = [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)]
            utimes(path, &past)
            let file = try #require(SourceFile(path: path))
            #expect(file.change() == nil)
            var (wanted, isGrowth): (String?, Bool) = (nil, false)
            switch deed {
            case .nothing: break
            case .rights: chmod(path, 0o600)
            case .link: link(path, folder.file("other name"))
            case .growth:
                let handle = try #require(FileHandle(forWritingAtPath: path))
                try handle.seekToEnd()
                try handle.write(contentsOf: Data(repeating: 7, count: 5))
                (wanted, isGrowth) = ("grew", true)
            case .emptied:
                truncate(path, 0)
                wanted = "was emptied"
            case .cut:
                truncate(path, 9_999)
                wanted = "from 10000 to 9999 bytes"
            case .other:
                rename(try write(10_000, to: "b.ts"), path)
                wanted = "replaced by another file"
            case .gone:
                unlink(path)
                wanted = "was removed"
            case .written:
                utimes(path, nil)
                wanted = "was written to"
            case .over:
                truncate(path, 0)
                _ = try FileHandle(forWritingTo: URL(fileURLWithPath: path)).write(
                    contentsOf: Data(repeating: 8, count: 10_000))
                wanted = "was written to"
            case .longerOver:
                // Other contents that are longer do not have the old end at the old place.
                truncate(path, 0)
                _ = try FileHandle(forWritingTo: URL(fileURLWithPath: path)).write(
                    contentsOf: Data(repeating: 8, count: 20_000))
                wanted = "was written to"
            case .folder:
                unlink(path)
                mkdir(path, 0o700)
                wanted = "could no longer be opened"
            }
            let change = file.change()
            if let wanted {
                #expect(change?.sentence.contains(wanted) == true, "\(deed): \(String(describing: change))")
                #expect(change?.sentence.hasPrefix("It ") == true || deed == .other)
            } else {
                #expect(change == nil, "\(deed)")
            }
            #expect(change?.isGrowth ?? false == isGrowth, "\(deed)")
            try? FileManager.default.removeItem(atPath: path)
            unlink(folder.file("other name"))
        }
    }

    @Test func whatIsNoFileHasNoChanges() throws {
        #expect(SourceFile(path: folder.path) == nil && SourceFile(path: folder.file("nothing")) == nil)
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(SourceFile(path: folder.file("pipe")) == nil && SourceFile(path: "/dev/null") == nil)
    }
}

/// Why a file cannot be opened.
@Suite struct MissingFileTests {
    @Test(arguments: [
        ("none.mp4", "there is no such file"), ("file/x.mp4", "a part of the path is a file"),
        ("circle", "its links lead in a circle"), ("circle/x.mp4", "its links lead in a circle"),
        ("dangling", "there is no such file"), (String(repeating: "x", count: 300), "File name too long"),
    ])
    func theReasonIsTold(name: String, reason: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("x", to: "file")
        for (link, target) in [("circle", "circle"), ("dangling", "nowhere")] {
            try FileManager.default.createSymbolicLink(atPath: folder.file(link), withDestinationPath: target)
        }
        let error = #expect(throws: FramegrepError.self) {
            try MediaProbe.checkFile(try SourceURI(folder.file(name)))
        }
        #expect(
            error?.code == .sourceUnavailable && error?.message.contains(reason) == true, "\(String(describing: error))"
        )
    }
}
