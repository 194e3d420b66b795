import Foundation
import Testing

@testable import Processes

struct PortableArchiveTests {
    private func folder(of program: String) -> String? {
        PortableArchive.folder(ofProgram: Array(program.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func theLibrariesAreFoundFromEachOfItsPrograms() throws {
        let place = NSTemporaryDirectory() + "portable \(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: place) }
        try FileManager.default.createDirectory(
            atPath: place + "/lib/framegrep/gstreamer-1.0", withIntermediateDirectories: true)
        #expect(folder(of: place + "/bin/framegrep") == place + "/lib/framegrep")
        #expect(folder(of: place + "/libexec/framegrep/framegrep-serve") == place + "/lib/framegrep")
        #expect(folder(of: place + "/a/checkout/.build/framegrep") == nil)
        // A folder beside the program that another user may have made is not the archive's.
        for program in ["/framegrep", "/a/framegrep", "/a/bin/framegrep"] {
            #expect(folder(of: place + program) == nil, "\(program)")
        }
        chmod(place + "/lib/framegrep/gstreamer-1.0", 0o777)
        #expect(folder(of: place + "/bin/framegrep") == nil)
    }

    @Test func otherProgramsHaveNoSuchFolder() {
        #expect(folder(of: "/framegrep") == nil)
        #expect(PortableArchive.folder == nil && PortableArchive.problem == nil)
    }

    /// Such a folder must not look as if it were no archive: then this system's plugins would be loaded.
    @Test(
        arguments: [
            (Array("/café a".utf8), nil), (Array("/caf".utf8) + [0xE9], "is not valid UTF-8"),
            (Array("/at 10:30".utf8), "contains a colon"),
        ] as [([UInt8], String?)])
    func aFolderWhoseFilesCannotBeFoundIsReported(name: [UInt8], reason: String?) throws {
        let place = Array((NSTemporaryDirectory() + UUID().uuidString).utf8)
        func path(_ rest: [UInt8]) -> [CChar] { (place + rest + [0]).map(CChar.init(bitPattern:)) }
        var folders: [[CChar]] = []
        defer { for folder in folders.reversed() { rmdir(folder) } }
        var made: [UInt8] = []
        for part in [[], name, Array("/lib".utf8), Array("/framegrep".utf8), Array("/gstreamer-1.0".utf8)] {
            made += part
            try #require(mkdir(path(made), 0o755) == 0)
            folders.append(path(made))
        }
        let folder = try #require(PortableArchive.folder(ofProgram: place + name + Array("/bin/framegrep".utf8)))
        #expect(folder == place + name + Array("/lib/framegrep".utf8))
        let problem = PortableArchive.problem(ofFolder: folder)
        #expect((problem == nil) == (reason == nil))
        if let reason { #expect(problem?.contains(reason) == true) }
    }

    @Test func inTheArchiveNoPackageOfTheSystemHelps() {
        let ordinary = "Install the Debian package gstreamer1.0-x."
        #expect(PortableArchive.advice(ordinary, isArchive: false) == ordinary)
        #expect(!PortableArchive.advice(ordinary, isArchive: true).contains("gstreamer1.0"))
    }
}
