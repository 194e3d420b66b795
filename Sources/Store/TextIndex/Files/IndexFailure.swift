import Errors
public import Foundation
import GRDB
import TextSpotting

/// Describes errors of the index's files in words.
enum IndexFailure {
    /// A segment's file holds another segment.
    struct HoldsOthers: Error {}

    /// Whether an existing file cannot be opened, although nothing is known to be wrong with its contents: no permission, too many open
    /// files, a disk that does not answer. A missing or shortened file is damage.
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

    /// Why a file cannot be opened, in the system's words; nil if it can be opened now.
    static func refusal(_ path: String) -> String? {
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return String(cString: strerror(errno))
    }

    /// Whether there is a folder of that name, which SQLite cannot read.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return FileName.withCName(path, { stat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// A file of that name exists, or its existence cannot be checked.
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
    /// The reason in the system's words: its own description may be no more than a number.
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
    /// Gives a finished file its name once all of it is on the disk.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    static func seal(_ unfinished: String, as path: String) throws {
        chmod(unfinished, 0o600)
        try sync(unfinished)
        guard rename(unfinished, path) == 0 else { throw failure(path) }
        try sync((path as NSString).deletingLastPathComponent)
    }

    /// Writes a file, or the names in a folder, to the disk (fsync).
    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(path) }
    }

    /// Makes the index's folder, which is its user's alone, with those above it.
    static func makeFolder(_ path: String) throws {
        var new: [String] = []
        var folder = path
        while folder.count > 1, access(folder, F_OK) != 0 {
            new.append(folder)
            folder = (folder as NSString).deletingLastPathComponent
        }
        if let reason = NewFolder.make(path, mode: 0o700) {
            throw FramegrepError(
                .outputFailed, "The folder \(path) for the index cannot be made: \(reason). Name another with --index.")
        }
        // Without its name on the disk, what is written into it would be lost with the power. A folder that may not be read cannot be synced.
        for folder in new.reversed() { try? sync((folder as NSString).deletingLastPathComponent) }
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

/// Makes folders.
public enum NewFolder {
    /// Makes a folder with those above it, where they are missing. Several who do so at once all find it.
    ///
    /// - Parameter mode: of what is made.
    /// - Returns: nil if it is there now; else why it cannot be made, in the system's words.
    public static func make(_ path: String, mode: mode_t) -> String? {
        var made = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            made += (made.isEmpty || made == "/" ? "" : "/") + name
            guard FileName.withCName(made, { mkdir($0, mode) }) != 0 else { continue }
            let reason = errno
            // It may exist although making it failed, also above folders that this user may not read.
            var status = stat()
            let isThere = FileName.withCName(made, { stat($0, &status) }) == 0
            guard isThere else { return String(cString: strerror(reason)) }
            guard status.st_mode & S_IFMT == S_IFDIR else { return String(cString: strerror(ENOTDIR)) }
        }
        return nil
    }
}
