import Errors
import Foundation

/// Makes files durable.
enum Disk {
    /// Gives a finished file its name once all of it is on the disk.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    static func seal(_ unfinished: String, as path: String) throws {
        chmod(unfinished, 0o600)
        try sync(unfinished)
        guard rename(unfinished, path) == 0 else { throw failure(path) }
        try sync((path as NSString).deletingLastPathComponent)
    }

    /// Has a file, or the names in a folder, written to the disk.
    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(path) }
    }

    /// Makes a folder that is its user's alone, with those above it.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FramegrepError(
                .outputFailed,
                "The folder \(path) for the index cannot be made: \(IndexFailure.reason(error)). Name another with --index."
            )
        }
    }

    static func length(ofFile path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func failure(_ path: String) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The index cannot be written to \(path): \(String(cString: strerror(errno))). Make room, or name another folder with --index."
        )
    }
}
