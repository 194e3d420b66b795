public import Errors
import Foundation
import TextSpotting

/// Where notices wait that were not yet taken: a folder that only its user may look into, with a file for each receiver.
public struct OutboxFolder: Sendable, Hashable {
    public let path: String

    /// - Parameter path: nil for the user's own: `framegrep/outbox` in the folder for state (XDG).
    /// - Throws: ``FramegrepError`` (`badArgument`) if no folder is given anywhere; `outputFailed` if it cannot be made, or belongs to
    ///   another user.
    public init(_ path: String?) throws(FramegrepError) {
        let environment = ProcessInfo.processInfo.environment
        if let path {
            self.path = path
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            self.path = state + "/framegrep/outbox"
        } else if let home = environment["HOME"], !home.isEmpty {
            self.path = home + "/.local/state/framegrep/outbox"
        } else {
            throw FramegrepError(
                .badArgument, "Nobody knows where notices may wait: HOME is not set. Name a folder with --outbox.")
        }
        try make()
    }

    /// Looks whether notices could wait there; nothing is made or changed.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    public static func check(_ path: String) throws(FramegrepError) {
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(path, "it is no folder") }
        guard status.st_uid == geteuid() else { throw failure(path, "it belongs to another user") }
    }

    private func make() throws(FramegrepError) {
        var part = ""
        for name in path.split(separator: "/", omittingEmptySubsequences: true) {
            part += (part.isEmpty && !path.hasPrefix("/") ? "" : "/") + name
            guard FileName.withCName(part, { mkdir($0, 0o700) }) != 0, errno != EEXIST else { continue }
            throw failure(String(cString: strerror(errno)))
        }
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw failure("it is no folder")
        }
        guard status.st_uid == geteuid() else { throw failure("it belongs to another user") }
        if status.st_mode & 0o077 != 0, FileName.withCName(path, { chmod($0, 0o700) }) != 0 {
            throw failure("others may look into it, and that cannot be changed")
        }
    }

    private func failure(_ reason: String) -> FramegrepError { Self.failure(path, reason) }

    private static func failure(_ path: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .outputFailed, "Notices cannot wait in the folder \(path): \(reason). Name another with --outbox.")
    }

    /// A file of this receiver's, the number of which no other program has open.
    func file(of receiver: String, _ number: Int) -> String { "\(path)/\(Self.name(of: receiver))-\(number).db" }

    /// 16 digits that another receiver hardly has (FNV-1a of 64 bits): addresses may hold secrets, and names of files are seen.
    private static func name(of receiver: String) -> String {
        let hash = receiver.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// The right to a file of the outbox, which one program has at a time; gone with the program, however it ends.
final class OutboxLock: Sendable {
    private let descriptor: Int32

    /// Nil while another program has it, or where it cannot be had.
    init?(_ file: String) {
        descriptor = FileName.withCName(file + ".lock") { open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }
}
