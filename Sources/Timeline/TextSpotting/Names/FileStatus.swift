package import Glibc

/// The status of a file as the system reports it (stat(2)).
package struct FileStatus {
    /// The complete status.
    package let values: stat

    /// Returns nil if the file does not exist or cannot be examined, for the reason in `errno`.
    ///
    /// - Parameter followsLinks: false to examine a link itself rather than its target.
    package init?(of path: String, followsLinks: Bool = true) {
        var values = stat()
        let result = FileName.withCName(path) { followsLinks ? stat($0, &values) : lstat($0, &values) }
        guard result == 0 else { return nil }
        self.values = values
    }

    /// Returns nil if the open file cannot be examined, for the reason in `errno`.
    package init?(ofDescriptor descriptor: Int32) {
        var values = stat()
        guard fstat(descriptor, &values) == 0 else { return nil }
        self.values = values
    }

    /// The type of the file, such as `S_IFREG` or `S_IFDIR`.
    package var kind: mode_t { values.st_mode & S_IFMT }
    package var isFile: Bool { kind == S_IFREG }
    package var isFolder: Bool { kind == S_IFDIR }
    /// The size in bytes.
    package var size: Int { Int(values.st_size) }
    /// The time of the last change, in nanoseconds since 1970.
    package var modified: Int { Int(values.st_mtim.tv_sec) * 1_000_000_000 + Int(values.st_mtim.tv_nsec) }
    package var device: UInt { UInt(values.st_dev) }
    package var number: UInt { UInt(values.st_ino) }
}

/// The name of a file as a file system compares it: by its bytes. As a `String`, the name with é in one scalar equals
/// the one with é in two, which may belong to another file.
package struct ExactName: Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactName, other: ExactName) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension FileName {
    /// Returns whether a path is a folder or below it, by its bytes (``ExactName``). Both are absolute or both relative,
    /// without `..` and links.
    package static func isPath(_ path: String, inOrBelow folder: String) -> Bool {
        let (path, folder) = (path.utf8, folder.utf8)
        guard path.starts(with: folder) else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == folder.count || folder.last == slash || path.dropFirst(folder.count).first == slash
    }

    /// Returns the path without links and `..`; nil if it does not exist.
    package static func real(_ path: String) -> String? {
        withCName(path) { name in
            guard let real = realpath(name, nil) else { return nil }
            defer { free(real) }
            return text(ofCName: real)
        }
    }

    /// Returns an absolute path that leads where the system follows the given one, without the `..` in it: behind a
    /// link, `..` is the folder above the link's target, not the folder with the link.
    ///
    /// A `..` behind something that does not exist stays, because it leads nowhere.
    package static func absolute(_ path: String) -> String {
        let slash = UInt8(ascii: "/")
        let isAbsolute = path.utf8.first == slash
        var result = isAbsolute ? "" : real(".") ?? "."
        for part in path.utf8.split(separator: slash).map({ String(Substring($0)) }) where part != "." {
            let next = result + "/" + part
            result = part == ".." ? real(next) ?? next : next
            if result == "/" { result = "" }
        }
        return result.isEmpty ? "/" : result
    }

    /// Returns the names in a folder, in the system's order, without `.` and `..`; nil if it cannot be read, for the
    /// reason in `errno`.
    package static func names(inFolder folder: String) -> [String]? {
        guard let stream = withCName(folder, { opendir($0) }) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { text(ofCName: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
