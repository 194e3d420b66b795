import Errors
import Foundation
import TextSpotting

/// Puts finished files to where others look for them, on whatever disk that is.
enum UnitFile {
    /// The temporary name of a result, with the process in it, so that what a killed program leaves is never taken for a result.
    private static func unfinished(_ path: String) -> String {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        return "\(folder)/.\(name).\(ProcessInfo.processInfo.hostName)-\(getpid()).part"
    }

    /// Copies a file beside its place, has it written to the disk, and gives it its name.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it cannot be written; nothing of it is left then.
    static func place(_ own: String, as path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try makeFolder(folder)
        let unfinished = unfinished(path)
        do {
            try copy(own, to: unfinished)
            guard rename(unfinished, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(unfinished)
            throw failure(
                path, (error as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? "\(error)")
        }
    }

    /// Makes a folder with those above it. Several who do so at once all find it.
    private static func makeFolder(_ path: String) throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            made += (made.isEmpty || made == "/" ? "" : "/") + name
            // What cannot be made may be there.
            guard mkdir(made, 0o700) == 0 || access(made, F_OK) == 0 else {
                throw failure(path, String(cString: strerror(errno)))
            }
        }
    }

    private static func copy(_ from: String, to: String) throws {
        let source = open(from, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(source) }
        // Text read from pictures: its user's alone, as all of an index.
        let target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            guard count > 0 else { break }
            var done = 0
            while done < count {
                let written = buffer.withUnsafeBytes { write(target, $0.baseAddress! + done, count - done) }
                guard written > 0 || errno == EINTR else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
                done += max(0, written)
            }
        }
        guard fsync(target) == 0 || errno == EINVAL else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    private static func failure(_ path: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The unit's result cannot be written to \(path): \(reason). Make room, or name another folder with --out.")
    }
}
