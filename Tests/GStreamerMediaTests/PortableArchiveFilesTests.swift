import Processes
import Testing

@testable import GStreamerMedia

struct PortableArchiveFilesTests {
    /// GStreamer reads its variables with `_1_0` first; those without it, which programs that are started may need, stay.
    @Test func allCodeComesFromTheArchive() {
        let variables = PortableArchive.codeVariables(in: "/a/lib/framegrep", cache: "/c")
        for (name, value) in variables where name != "GST_REGISTRY_1_0" {
            #expect(value.isEmpty || value.hasPrefix("/a/lib/framegrep/"))
            #expect(!name.hasPrefix("GST_") || name.hasSuffix("_1_0"))
        }
    }
}
