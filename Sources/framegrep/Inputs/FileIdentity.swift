import Foundation
import TextSpotting

/// Tells one file from another, however it is named: relative, absolute, through links.
enum FileIdentity: Hashable {
    /// A file that exists: its device and its number there, which all its hard links share.
    case file(device: UInt, number: UInt)
    /// A file that does not exist yet: its name in a folder that does.
    case name(folderDevice: UInt, folderNumber: UInt, name: String)

    /// Nil if neither the file nor its folder exists, and for files that keep nothing: pipes, terminals, `/dev/null`.
    init?(ofFileAt path: String) {
        var status = stat()
        if FileName.withCName(path, { stat($0, &status) }) == 0 {
            self.init(status)
            return
        }
        let (folder, name) = Self.split(path)
        guard !name.isEmpty, FileName.withCName(folder, { stat($0, &status) }) == 0 else { return nil }
        self = .name(folderDevice: UInt(status.st_dev), folderNumber: UInt(status.st_ino), name: name)
    }

    /// The same of an open file.
    init?(ofDescriptor descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else { return nil }
        self = .file(device: UInt(status.st_dev), number: UInt(status.st_ino))
    }

    /// The folder of a path and the last name in it.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let mark = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<mark]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: mark)...]))
    }
}
