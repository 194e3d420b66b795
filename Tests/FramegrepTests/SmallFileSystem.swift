import Foundation
import TestSupport

extension Tool {
    /// Whether a small file system can be mounted for one program alone, which needs root.
    static let mountsFileSystems: Bool = {
        guard getuid() == 0, let tool = Tool("unshare") else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool.path)
        process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
