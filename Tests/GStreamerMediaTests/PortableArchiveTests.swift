import Foundation
import Testing

@testable import GStreamerMedia

struct PortableArchiveTests {
    @Test func theLibrariesAreFoundFromEachOfItsPrograms() throws {
        let place = NSTemporaryDirectory() + "portable \(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: place) }
        try FileManager.default.createDirectory(
            atPath: place + "/lib/framegrep/gstreamer-1.0", withIntermediateDirectories: true)
        #expect(PortableArchive.folder(ofProgram: place + "/bin/framegrep") == place + "/lib/framegrep")
        #expect(
            PortableArchive.folder(ofProgram: place + "/libexec/framegrep/framegrep-serve") == place + "/lib/framegrep")
        #expect(PortableArchive.folder(ofProgram: place + "/a/checkout/.build/framegrep") == nil)
        // A folder beside the program that another user may have made is not the archive's.
        for program in ["/framegrep", "/a/framegrep", "/a/bin/framegrep"] {
            #expect(PortableArchive.folder(ofProgram: place + program) == nil, "\(program)")
        }
        chmod(place + "/lib/framegrep/gstreamer-1.0", 0o777)
        #expect(PortableArchive.folder(ofProgram: place + "/bin/framegrep") == nil)
    }

    @Test func otherProgramsHaveNoSuchFolder() {
        #expect(PortableArchive.folder(ofProgram: "/framegrep") == nil)
        #expect(PortableArchive.folder == nil)
    }

    /// GStreamer reads its variables with `_1_0` first; those without it, which started programs may need, stay.
    @Test func allCodeComesFromTheArchive() {
        let variables = PortableArchive.code(in: "/a/lib/framegrep", cache: "/c")
        for (name, value) in variables where name != "GST_REGISTRY_1_0" {
            #expect(value.isEmpty || value.hasPrefix("/a/lib/framegrep/"))
            #expect(!name.hasPrefix("GST_") || name.hasSuffix("_1_0"))
        }
    }
}
