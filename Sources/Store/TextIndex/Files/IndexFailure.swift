import Errors
public import Foundation
import GRDB
import Processes
import TextSpotting

/// Describes errors of the index's files in words.
enum IndexFailure {
    /// The file of a segment contains another segment.
    struct HoldsOthers: Error {}

    /// Returns whether an existing file cannot be opened, although nothing is known to be wrong with its contents: no
    /// permission, too many open files, a disk that does not respond. A missing or shortened file is damage.
    static func isAboutAccess(_ error: any Error, ofFile path: String) -> Bool {
        switch error {
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_CANTOPEN: isThere(path)
            case .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOMEM: true
            case .SQLITE_IOERR: error.extendedResultCode != .SQLITE_IOERR_SHORT_READ && !isFolder(path)
            default: false
            }
        case is CocoaError: isThere(path) && refusal(path) != nil
        case let error as NSError where error.domain == NSPOSIXErrorDomain: isThere(path)
        default: false
        }
    }

    /// Returns the system's reason that a file cannot be opened; nil if it can be opened now.
    static func refusal(_ path: String) -> String? {
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return String(cString: strerror(errno))
    }

    /// Returns whether there is a folder of that name, which SQLite cannot read.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return FileName.withCName(path, { stat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether a file of that name exists, or its existence cannot be checked.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0 else { return ![ENOENT, ENOTDIR].contains(errno) }
        return status.st_mode & S_IFMT == S_IFREG
    }

    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_FULL: "the disk is full"
            case .SQLITE_READONLY: "it is read-only"
            case .SQLITE_CANTOPEN: "it cannot be opened"
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: "it is damaged"
            case .SQLITE_BUSY: "another program is writing to it"
            default: error.message ?? "SQLite says \(error.resultCode)"
            }
        case is ByteReader.Damage: "it is damaged"
        case is HoldsOthers: "it contains other recordings than the catalog says"
        case let error as FramegrepError: error.message
        case let error as NSError where error.domain == NSPOSIXErrorDomain:
            String(cString: strerror(Int32(error.code)))
        case let error as CocoaError: error.reason
        default: "\(error)"
        }
    }
}

extension CocoaError {
    /// The reason in the system's words; the error's own description may be only a number.
    public var reason: String {
        if let inner = errorUserInfo[NSUnderlyingErrorKey] as? NSError, inner.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(inner.code)))
        }
        let number: Int32? =
            switch code {
            case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
            case .fileReadNoPermission, .fileWriteNoPermission: EACCES
            case .fileWriteFileExists: EEXIST
            case .fileWriteOutOfSpace: ENOSPC
            case .fileWriteVolumeReadOnly: EROFS
            case .fileReadTooLarge: EFBIG
            default: nil
            }
        return number.map { String(cString: strerror($0)) } ?? "the system does not say why"
    }
}

/// Makes files durable.
enum Disk {
    /// Renames a finished file to its final name once all of it is on the disk.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    static func seal(_ unfinished: String, as path: String) throws {
        chmod(unfinished, 0o600)
        try sync(unfinished)
        guard rename(unfinished, path) == 0 else { throw failure(path, errno) }
        try sync((path as NSString).deletingLastPathComponent)
    }

    /// Writes a file, or the names in a folder, to the disk.
    static func sync(_ path: String) throws {
        if let reason = failure(syncing: path) { throw failure(path, reason) }
    }

    /// The same.
    ///
    /// - Returns: the system's reason where that fails; nil where it does not.
    static func failure(syncing path: String) -> Int32? {
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return PipeBytes.failure(syncing: descriptor)
    }

    /// Creates the folder of the index, which only its owner may open, and the folders above it.
    static func makeFolder(_ path: String) throws {
        if let reason = NewFolder.make(path, mode: 0o700) {
            throw FramegrepError(
                .outputFailed, "The folder \(path) for the index cannot be made: \(reason). Name another with --index.")
        }
    }

    static func length(ofFile path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func failure(_ path: String, _ reason: Int32) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The index cannot be written to \(path): \(String(cString: strerror(reason))). Make room, or name another folder with --index."
        )
    }
}

/// Creates folders.
public enum NewFolder {
    /// Creates a folder, and missing folders above it. Concurrent calls all succeed.
    ///
    /// - Parameter mode: the permissions of new folders.
    /// - Returns: nil if the folder exists now; otherwise the system's reason that it cannot be created.
    public static func make(_ path: String, mode: mode_t) -> String? {
        var made = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            let above = made.isEmpty ? "." : made
            made += (made.isEmpty || made == "/" ? "" : "/") + name
            guard FileName.withCName(made, { mkdir($0, mode) }) != 0 else {
                // Without its name on the disk, what is written into it would be lost with the power. A folder that may not be read
                // cannot be synced.
                guard let reason = Disk.failure(syncing: above), reason != EACCES else { continue }
                _ = FileName.withCName(made) { rmdir($0) }
                return String(cString: strerror(reason))
            }
            let reason = errno
            // It may exist even though creating it failed, also above folders that this user may not read.
            var status = stat()
            let isThere = FileName.withCName(made, { stat($0, &status) }) == 0
            // One that exists and cannot be looked at is on a disk that is gone.
            guard isThere else { return String(cString: strerror(reason == EEXIST ? errno : reason)) }
            guard status.st_mode & S_IFMT == S_IFDIR else { return String(cString: strerror(ENOTDIR)) }
        }
        return nil
    }
}
