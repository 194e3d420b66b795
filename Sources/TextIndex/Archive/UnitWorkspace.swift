import Errors
import Foundation

/// A temporary folder on a local disk in which SQLite makes a unit's result; deleted with the last reference.
///
/// Leftovers of killed programs are deleted when the next folder is made: each user holds a lock on a file in its folder, which ends with
/// the program, however that ends.
final class UnitWorkspace {
    private static let prefix = "framegrep-unit-"
    /// One that has no lock yet is being made, unless it is older than this, in seconds.
    private static let longestBirth = 3600.0

    /// The path of the result that is being made.
    let file: String
    private let folder: String
    private let descriptor: Int32

    /// - Throws: ``FramegrepError`` (`outputFailed`) if there is no room for it.
    init() throws {
        let parent = NSTemporaryDirectory()
        Self.clear(parent)
        while true {
            var name = Array("\((parent as NSString).standardizingPath)/\(Self.prefix)XXXXXX".utf8CString)
            guard mkdtemp(&name) != nil else { throw Self.failure(parent) }
            let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            let descriptor = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                defer { rmdir(folder) }
                throw Self.failure(parent)
            }
            flock(descriptor, LOCK_EX)
            // Between its making and its locking another program may have taken it for a leftover.
            if access(folder + "/lock", F_OK) == 0 {
                (self.folder, self.descriptor, file) = (folder, descriptor, folder + "/unit")
                return
            }
            close(descriptor)
        }
    }

    deinit {
        clear()
        close(descriptor)
    }

    /// Deletes the folder early, before the last reference is gone.
    func clear() { Self.remove(folder) }

    private static func clear(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = (parent as NSString).appendingPathComponent(name)
            var status = stat()
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
                continue
            }
            let descriptor = open(folder + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else {
                if Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > longestBirth { remove(folder) }
                continue
            }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
            close(descriptor)
        }
    }

    /// The lock last, so that a folder that is still there can be cleared again.
    private static func remove(_ folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name != "lock" { unlink("\(folder)/\(name)") }
        unlink(folder + "/lock")
        rmdir(folder)
    }

    private static func failure(_ parent: String) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "A unit's result cannot be made in \(parent): \(String(cString: strerror(errno))). Make room, or name another folder with TMPDIR."
        )
    }
}
