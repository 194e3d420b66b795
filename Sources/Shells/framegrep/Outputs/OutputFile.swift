import Errors
import Foundation
import GStreamerMedia
import Processes
import Synchronization
import TextSpotting

/// A file that a run writes, from the first check of its name until it is complete. Thread-safe.
///
/// If no file exists, it is written in place, so that it can be followed while it grows, and so that a recording has
/// its name after a power failure. An existing file stays untouched: the new one is written beside it, as
/// `NAME-unfinished.mp4`, and replaces it in one step when it is complete. Devices and pipes are written directly.
final class OutputFile: Sendable {
    enum Before: Codable, Sendable {
        case nothing
        case file(mode: mode_t, owner: uid_t, group: gid_t)
        /// A device, a pipe.
        case special
    }

    private struct State {
        /// The path that is written; nil before the writing begins, and after it was given up.
        var written: String?
        var identity: FileIdentity?
        /// Another path of the file; see ``OutputFile/begin()``.
        var alias: Alias?
        var isSettled = false
        /// Whether it is written beside its place, even if nothing is there yet.
        var isBeside = false
        /// The largest permissions that anyone may have.
        var mostRights: mode_t = 0o777
    }

    /// An open file, as a path that is plain ASCII. Closed with the last reference.
    private final class Alias: Sendable {
        let descriptor: Int32
        var path: String { "/proc/self/fd/\(descriptor)" }

        init(takingOwnershipOf descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// The name as the user wrote it.
    let name: String
    /// The path after following symbolic links: the target of a link is replaced, not the link.
    let place: String
    let before: Before
    /// The open descriptor, in a process that continues a file that an earlier one began.
    private let handed: Int32?
    private let state: Mutex<State>

    /// Checks whether the file can be written, without changing anything.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) with the reason it cannot.
    init(_ name: String) throws(FramegrepError) {
        self.name = name
        handed = nil
        state = Mutex(State())
        guard !name.isEmpty else {
            throw FramegrepError(.outputFailed, "The name of a file to write is empty. Name a file.")
        }
        guard let status = FileStatus(of: name) else {
            guard errno == ENOENT else { throw Self.failure(name, errno) }
            (place, before) = (Self.followingLinks(name), .nothing)
            try checkFolder()
            return
        }
        switch status.kind {
        case S_IFDIR:
            throw FramegrepError(.outputFailed, "\(name) is a folder. Name a file to write.")
        case S_IFREG:
            place = Self.followingLinks(name)
            let values = status.values
            before = .file(mode: values.st_mode & 0o777, owner: values.st_uid, group: values.st_gid)
        default:
            // Use the name itself: a link such as /dev/fd/63 leads to no path.
            (place, before) = (name, .special)
        }
        guard FileName.withCName(place, { access($0, W_OK) }) == 0 else { throw Self.failure(name, errno) }
        if isReplacing { try checkFolder() }
    }

    /// Creates the file in the state in which another process has left it; see ``Handover``.
    init(_ handover: Handover) {
        (name, place, before, handed) = (handover.name, handover.place, handover.before, handover.descriptor)
        if let handed { _ = fcntl(handed, F_SETFD, FD_CLOEXEC) }
        state = Mutex(State(written: handover.written, identity: FileIdentity(ofFileAt: handover.written)))
    }

    /// The identity of the file; nil for one that stores nothing, see ``FileIdentity``.
    var identity: FileIdentity? { FileIdentity(ofFileAt: place) }

    /// Whether the new file will replace an existing one.
    var isReplacing: Bool { if case .file = before { true } else { false } }

    /// The path that is written; nil while nothing is.
    var written: String? { state.withLock { $0.written } }

    /// Creates the file, which other code opens. Call it once, or ``open()`` instead.
    ///
    /// - Parameter beside: whether nothing may be in its place before ``commit()``, not even an incomplete file.
    /// - Returns: the path to write.
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func begin(beside: Bool = false) throws(FramegrepError) -> String {
        state.withLock { $0.isBeside = beside }
        let (path, descriptor) = try make()
        guard let descriptor else { return path }
        // GStreamer's descriptions contain UTF-8 only.
        guard path.unicodeScalars.contains(where: { FileName.byte(of: $0) != nil }) else {
            close(descriptor)
            return path
        }
        let alias = Alias(takingOwnershipOf: descriptor)
        state.withLock { $0.alias = alias }
        return alias.path
    }

    /// Limits the permissions of others to these, whatever the user's umask is: its contents are as secret as its
    /// source. Call it before the file is created.
    func limit(to rights: mode_t) { state.withLock { $0.mostRights = rights & 0o777 } }

    /// Returns a message with the name that the user knows instead of the path that is written.
    func naming(_ message: String) -> String {
        let (written, alias) = state.withLock { ($0.written, $0.alias?.path) }
        return [alias, written].compactMap { $0 }.reduce(message) { $0.replacing($1, with: name) }
    }

    /// Creates the file and opens it. Call it once, or ``begin()`` instead.
    ///
    /// - Returns: a descriptor, which the caller closes; nil for a pipe without a reader (``openWhenRead()``).
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func open() throws(FramegrepError) -> Int32? {
        let (path, made) = try make()
        if let made { return made }
        // For a pipe this does not wait for a reader.
        let descriptor = FileName.withCName(path) { Foundation.open($0, O_WRONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor < 0 else { return descriptor }
        guard errno == ENXIO, isPipe else { throw Self.failure(name, errno) }
        return nil
    }

    /// Opens a pipe when it has a reader; blocks until then.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func openWhenRead() throws(FramegrepError) -> Int32 {
        let descriptor = FileName.withCName(place) { Foundation.open($0, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Self.failure(name, errno) }
        return descriptor
    }

    private var isPipe: Bool { FileStatus(of: place)?.kind == S_IFIFO }

    /// Moves the complete file into its place, so that the name refers to it from now on.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if that fails; it then stays where it was written, and the message
    ///   says so.
    func commit() throws(FramegrepError) {
        let written = state.withLock { state -> String? in
            defer { state.isSettled = true }
            return state.isSettled ? nil : state.written
        }
        settle(written)
        guard let written else { return }
        guard isReplacing else {
            if state.withLock({ $0.isBeside }) { try appear(from: written) }
            return
        }
        if case .file(let device, let number) = identity, SourceGuard.hasLed(toDevice: device, number: number) {
            throw FramegrepError(
                .outputFailed, "\(name) is not replaced: a source leads to it. The new file is \(written).")
        }
        try reachDisk(written)
        let isDone = FileName.withCName(written) { old in FileName.withCName(place) { rename(old, $0) } } == 0
        guard isDone else {
            let reason = String(cString: strerror(errno))
            throw FramegrepError(
                .outputFailed, "\(name) cannot be replaced: \(reason). The new file is complete, and is \(written).")
        }
    }

    /// Leaves an incomplete file where it is.
    func leave() {
        settle(
            state.withLock { state in
                state.isSettled = true
                return state.written
            })
    }

    private func settle(_ path: String?) { if let path { Self.unsettled.withLock { $0[path] = nil } } }

    /// Removes an unwanted file; an earlier file stays. Does nothing after ``commit()`` and ``leave()``.
    ///
    /// - Returns: whether there was a file to remove.
    @discardableResult
    func discard() -> Bool {
        let (written, identity) = state.withLock { state -> (String?, FileIdentity?) in
            guard !state.isSettled else { return (nil, nil) }
            defer { state.written = nil }
            return (state.written, state.identity)
        }
        settle(written)
        // Remove only a file that was created here.
        guard let written, let identity, identity == FileIdentity(ofFileAt: written) else { return false }
        return FileName.withCName(written) { unlink($0) } == 0
    }

    // MARK: Pieces

    /// Creates the file; a device or a pipe exists, and is not opened.
    private func make() throws(FramegrepError) -> (path: String, descriptor: Int32?) {
        if let handed, let written { return (written, handed) }
        switch before {
        case .special:
            state.withLock { $0.written = place }
            return (place, nil)
        case .nothing where state.withLock({ $0.isBeside }):
            let (path, descriptor) = try create()
            note(path, descriptor)
            return (path, descriptor)
        case .nothing:
            let descriptor = Self.new(place, 0o666 & state.withLock { $0.mostRights })
            guard descriptor >= 0 else {
                guard errno == EEXIST else { throw Self.failure(name, errno) }
                throw FramegrepError(
                    .outputFailed, "\(name) cannot be written: another program has made a file of that name meanwhile.")
            }
            note(place, descriptor)
            return (place, descriptor)
        case .file(let mode, let owner, let group):
            let (path, descriptor) = try create()
            // As far as this user is permitted.
            _ = fchown(descriptor, owner, group)
            _ = fchmod(descriptor, mode & state.withLock { $0.mostRights })
            note(path, descriptor)
            return (path, descriptor)
        }
    }

    /// Moves the finished file into place if nothing is there; a file that another program has created there meanwhile
    /// stays.
    private func appear(from written: String) throws(FramegrepError) {
        try reachDisk(written)
        let mask = umask(0)
        _ = umask(mask)
        let rights = 0o666 & ~mask & state.withLock { $0.mostRights }
        _ = FileName.withCName(written) { chmod($0, rights) }
        let isDone = FileName.withCName(written) { old in
            FileName.withCName(place) { new in
                if link(old, new) == 0 { return unlink(old) == 0 }
                // Some file systems have no hard links.
                return errno != EEXIST && access(new, F_OK) != 0 && rename(old, new) == 0
            }
        }
        guard isDone else {
            let reason = String(cString: strerror(errno))
            throw FramegrepError(
                .outputFailed, "\(name) cannot be written: \(reason). The new file is complete, and is \(written).")
        }
    }

    private func note(_ path: String, _ descriptor: Int32) {
        let identity = FileIdentity(ofDescriptor: descriptor)
        state.withLock { ($0.written, $0.identity) = (path, identity) }
        Self.unsettled.withLock { $0[path] = identity }
        Interrupts.cleanUp.withLock { $0 = Self.removeEmptyOnes }
    }

    /// Unfinished files of this process, by path.
    private static let unsettled = Mutex<[String: FileIdentity]>([:])

    /// Removes empty files when the program stops at once, because users could not tell them from broken ones.
    private static func removeEmptyOnes() {
        for (path, identity) in unsettled.withLock({ $0 }) where identity == FileIdentity(ofFileAt: path) {
            guard FileStatus(of: path, followsLinks: false)?.size == 0 else { continue }
            _ = FileName.withCName(path) { unlink($0) }
        }
    }

    /// Creates a file beside the existing one, under a free name.
    private func create() throws(FramegrepError) -> (path: String, descriptor: Int32) {
        for number in 1...999 {
            let path = unfinished(number)
            let descriptor = Self.new(path, 0o600)
            if descriptor >= 0 { return (path, descriptor) }
            guard errno == EEXIST else { throw Self.failure(name, errno) }
        }
        throw FramegrepError(.outputFailed, "\(name) cannot be written: a thousand unfinished files are beside it.")
    }

    /// Returns `seen-unfinished.mp4` for `seen.mp4`, `seen-unfinished-2.mp4` if that is taken.
    private func unfinished(_ number: Int) -> String {
        let (folder, last) = FileIdentity.split(place)
        let mark = last.lastIndex(of: ".").flatMap { $0 == last.startIndex ? nil : $0 } ?? last.endIndex
        let addition = "-unfinished" + (number == 1 ? "" : "-\(number)")
        // File systems limit names to 255 bytes.
        var stem = last[..<mark]
        let rest = addition.utf8.count + FileName.bytes(of: String(last[mark...])).count
        while FileName.bytes(of: String(stem)).count + rest > 255, !stem.isEmpty {
            stem.removeLast()
        }
        let prefix = place.contains("/") ? (folder == "/" ? "/" : folder + "/") : ""
        return prefix + stem + addition + last[mark...]
    }

    /// Checks whether files can be created in the folder, by creating one, because there is no other way to know.
    private func checkFolder() throws(FramegrepError) {
        let (path, descriptor) = try create()
        close(descriptor)
        _ = FileName.withCName(path) { unlink($0) }
    }

    /// Opens a new file.
    private static func new(_ path: String, _ mode: mode_t) -> Int32 {
        FileName.withCName(path) { Foundation.open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
    }

    /// A file that replaces another must be on the disk before that is gone.
    private func reachDisk(_ path: String) throws(FramegrepError) {
        let descriptor = FileName.withCName(path) { Foundation.open($0, O_RDONLY | O_CLOEXEC) }
        // One that may not be read was written all the same.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard let reason = PipeBytes.failure(syncing: descriptor) else { return }
        throw FramegrepError(
            .outputFailed,
            "\(name) cannot be written: \(String(cString: strerror(reason))). What reached the disk is in \(path).")
    }

    /// Returns the path after following links, even if nothing exists there yet.
    private static func followingLinks(_ name: String) -> String {
        var path = name
        // As many links as the system follows.
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = FileName.withCName(path) { readlink($0, &buffer, buffer.count) }
            guard count > 0 else { return path }
            let target = FileName.text(of: buffer[..<count].map(UInt8.init(bitPattern:)))
            path = target.hasPrefix("/") ? target : FileIdentity.split(path).folder + "/" + target
        }
        return path
    }

    private static func failure(_ name: String, _ reason: Int32) -> FramegrepError {
        FramegrepError(.outputFailed, "\(name) cannot be written: \(String(cString: strerror(reason))).")
    }
}

extension OutputFile {
    /// A file that is being written, in the form that a process needs to continue it.
    struct Handover: Codable, Sendable {
        let name: String
        let place: String
        let before: Before
        let written: String
        /// The descriptor through which it is written; nil if a library has its own.
        let descriptor: Int32?
    }

    /// Returns nil while nothing is written.
    func handover(descriptor: Int32?) -> Handover? {
        written.map { Handover(name: name, place: place, before: before, written: $0, descriptor: descriptor) }
    }
}

extension OutputFile {
    /// Handles the failure of writing a video: its playable part stays, unless it can be made again and would replace a
    /// complete file.
    ///
    /// - Parameter canBeRepeated: whether its source still exists.
    /// - Returns: the failure, with a sentence on the current state of the file.
    func failed(_ failure: FramegrepError, canBeRepeated: Bool) async -> FramegrepError {
        guard let written else { return failure }
        // The user does not know the name of the temporary file.
        let message = naming(failure.message)
        let fate: String
        if !(canBeRepeated && isReplacing), await Self.plays(written) {
            leave()
            fate = isReplacing ? " What was written is in \(written)." : " What was written of it plays."
        } else if discard() {
            fate = isReplacing ? " \(name) is as it was before." : " It was removed."
        } else {
            fate = ""
        }
        return FramegrepError(failure.code, message + fate)
    }

    /// Returns whether a file contains pictures; their number is not known without an index.
    private static func plays(_ path: String) async -> Bool {
        guard FileIdentity(ofFileAt: path) != nil else { return false }
        // A cancelled task would not wait for the answer.
        let probing = Task { try? await MediaProbe.examine(uri: path, timeout: .seconds(2)) }
        return await probing.value != nil
    }
}
