import Errors
import Foundation
import TextSpotting

/// The paths of an index: `catalog.db`, and `segments`, sorted into folders by the month in which they were written.
public struct IndexFolder: Sendable, Hashable {
    public let path: String

    /// - Parameter path: nil for the user's own index: `$FRAMEGREP_INDEX`, or else `framegrep/index` in the user's data
    ///   folder (XDG).
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if the environment names no folder, or the name is empty.
    public init(_ path: String?) throws {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        // An empty path would mean the current folder.
        guard path != "" else {
            throw FramegrepError(
                .badArgument,
                "The name of the index's folder is empty; name one with --index, or leave the option out for your own index."
            )
        }
        if let given = path ?? variable("FRAMEGREP_INDEX") {
            self.path = FileName.absolute(given)
        } else if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
            self.path = data + "/framegrep/index"
        } else if let home = variable("HOME") {
            self.path = home + "/.local/share/framegrep/index"
        } else {
            throw FramegrepError(
                .badArgument, "The index has no place, because HOME is not set. Name its folder with --index.")
        }
    }

    var catalog: String { path + "/catalog.db" }
    var lock: String { path + "/lock" }

    /// Whether there is an index. One that cannot be looked at counts, such as that of another user or one behind a loop
    /// of links: opening it tells why, and a new one might replace it.
    public var exists: Bool {
        FileName.withCName(catalog) { access($0, F_OK) } == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }

    /// The folder for files that ``TextIndex/repair()`` removes. It is never searched, and this program deletes nothing
    /// in it.
    public var damaged: String { path + "/damaged" }

    /// Moves a file out of the index, so that the user can decide what to do with it.
    ///
    /// - Returns: its new path; nil if there is no such file, or if it is a folder, which is not a part of the index.
    /// - Throws: ``FramegrepError`` (`outputFailed`); then the file stays in place.
    func setAside(_ file: String) throws -> String? {
        var status = stat()
        guard FileName.withCName(file, { lstat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            return nil
        }
        try Disk.makeFolder(damaged)
        var reason: Int32?
        let name = (file as NSString).lastPathComponent
        for number in 1...9999 {
            let place = "\(damaged)/\(name)\(number == 1 ? "" : "-\(number)")"
            if FileName.withCName(place, { lstat($0, &status) }) == 0 { continue }
            guard rename(file, place) == 0 else { break }
            // Before the catalog forgets it: what it has dropped is deleted.
            let folders = [damaged, (file as NSString).deletingLastPathComponent]
            reason = folders.lazy.compactMap(Disk.failure(syncing:)).first
            guard reason != nil else { return place }
            guard rename(place, file) == 0 else {
                throw FramegrepError(
                    .outputFailed,
                    "The damaged file \(file) is in \(damaged), and that cannot be written down: \(String(cString: strerror(reason ?? EIO)))."
                )
            }
            break
        }
        throw FramegrepError(
            .outputFailed,
            "The damaged file \(file) cannot be moved to \(damaged): \(String(cString: strerror(reason ?? errno))). The index is as it was."
        )
    }

    /// The number of files that were moved there.
    public var damagedCount: Int { ((try? FileManager.default.contentsOfDirectory(atPath: damaged)) ?? []).count }

    /// Returns the full path of a segment.
    func segment(_ name: String) -> String { path + "/segments/" + name }

    /// Returns a name for a new segment, in the folder of this month. Names sort by time (ULID).
    static func newSegmentName(at time: Date = Date()) -> String {
        let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        var milliseconds = UInt64(max(0, time.timeIntervalSince1970 * 1000))
        var name: [Character] = []
        for _ in 0..<10 {
            name.append(letters[Int(milliseconds & 31)])
            milliseconds >>= 5
        }
        name.reverse()
        for _ in 0..<16 { name.append(letters[Int.random(in: 0..<32)]) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        let date = calendar.dateComponents([.year, .month], from: time)
        let month = String(format: "%04d-%02d", date.year ?? 0, date.month ?? 0)
        return "\(month)/\(String(name)).fgi"
    }

    /// Returns whether a text can be the name of a segment: the folder of a month and a file in it, without leading
    /// outside.
    static func isSegmentName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts.contains { $0.isEmpty || $0.hasPrefix(".") || $0.contains("\0") }
    }

    /// Returns the names of all segments on the disk, in the catalog or not.
    func segmentsOnDisk() -> [String] {
        let folder = path + "/segments"
        let months = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return months.flatMap { month in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + month)) ?? [])
                .map { month + "/" + $0 }
        }.sorted()
    }

    /// Returns the names of all files that may be segments, in the catalog or not.
    func segmentFiles() -> [String] {
        segmentsOnDisk().filter { $0.hasSuffix(".fgi") && !IndexFailure.isFolder(segment($0)) }
    }

    /// Whether the folder contains no part of an index.
    public var isEmpty: Bool { segmentsOnDisk().isEmpty }

    /// Checks that the folder is on a local disk: locks of a network file system are unreliable, and SQLite's files
    /// need them.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if the folder is on a network file system.
    func checkIsLocal() throws {
        let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        guard let kind = networkKind(mounts: mounts) else { return }
        throw FramegrepError(
            .outputFailed,
            "The index in \(path) lies on a network file system (\(kind)), where two writers could damage it; name a folder on a disk of this machine with --index. Segments may be copied there."
        )
    }

    /// Returns the kind of network file system that contains the folder, after following links; nil for a disk of this
    /// machine.
    ///
    /// - Parameter mounts: the contents of `/proc/mounts`.
    func networkKind(mounts: String) -> String? {
        Self.networkKind(of: FileName.real(path) ?? path, mounts: mounts)
    }

    /// Does the same for a path without links.
    static func networkKind(of path: String, mounts: String) -> String? {
        let kinds: Set = [
            "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "ceph", "lustre", "9p", "fuse.sshfs",
            "fuse.rclone",
        ]
        var best: (length: Int, kind: String)?
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2 else { continue }
            let point = fields[1].replacing("\\040", with: " ")
            let isInside = FileName.isPath(path, inOrBelow: String(point))
            // If two file systems are mounted at one folder, the later one counts.
            if isInside, point.count >= best?.length ?? 0 { best = (point.count, String(fields[2])) }
        }
        return best.flatMap { kinds.contains($0.kind) ? $0.kind : nil }
    }
}

/// The lock for writing to an index, which one program holds at a time. It is released when the program ends, however
/// that happens.
final class IndexLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``FramegrepError`` (`outputFailed`) while another program holds it.
    init(_ folder: IndexFolder) throws {
        descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            let searched = IndexFailure.refusal(folder.catalog) == nil ? "It can still be searched; name" : "Name"
            throw FramegrepError(
                .outputFailed,
                "The index in \(folder.path) cannot be written to: \(reason). \(searched) another folder with --index to index into."
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw FramegrepError(
                .outputFailed,
                "Another framegrep is writing to the index in \(folder.path); wait until it ends, or name another folder with --index."
            )
        }
    }

    deinit { close(descriptor) }
}

extension TextIndex {
    /// Returns whether another program is writing to an index.
    public static func isBusy(_ folder: IndexFolder) -> Bool {
        let descriptor = open(folder.lock, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
