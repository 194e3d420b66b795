import Foundation
import Testing

@testable import TextSpotting

/// Paths lead where the system follows them.
struct FileNameTests {
    @Test func whatIsAboveALinkIsAboveItsTarget() throws {
        let made = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: made) }
        try FileManager.default.createDirectory(atPath: made + "/a/b", withIntermediateDirectories: true)
        let folder = try #require(FileName.real(made))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "a/b")
        try FileManager.default.createSymbolicLink(atPath: folder + "/nowhere", withDestinationPath: "missing")
        for (given, expected) in [
            ("link/../x", "a/x"), ("link/x", "link/x"), ("link/./../../x", "x"), ("a/../link//../x", "a/x"),
            ("a/b/../x/", "a/x"), ("missing/../x", "missing/../x"), ("nowhere/../x", "nowhere/../x"),
            ("a/\u{301}x", "a/\u{301}x"), ("a/../\u{301}x", "\u{301}x"),
        ] {
            #expect(FileName.absolute(folder + "/" + given) == folder + "/" + expected)
        }
        #expect(FileName.absolute("/../..") == "/" && FileName.absolute("/../proc") == "/proc")
        for (path, folder, isInside) in [
            ("/a/b", "/a", true), ("/a", "/a", true), ("/ab", "/a", false), ("/a", "/a/b", false), ("/a", "/", true),
            ("/a/b", "/a/", true), ("/", "/", true),
            // By bytes: these are three folders, and the last name begins with a mark that belongs to the slash as text.
            ("/caf\u{E9}/x", "/cafe\u{301}", false), ("/cafe\u{301}/x", "/caf\u{E9}", false),
            ("/cafe\u{301}/x", "/cafe", false), ("/cafe/\u{301}x", "/cafe", true),
        ] {
            #expect(FileName.isPath(path, inOrBelow: folder) == isInside, "\(path) in \(folder)")
        }
        #expect(FileName.absolute("x") == FileManager.default.currentDirectoryPath + "/x")
    }
}
