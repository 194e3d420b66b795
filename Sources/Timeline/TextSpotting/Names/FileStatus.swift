package import Glibc

/// What the system says of a file (stat(2)).
package struct FileStatus {
    /// All that it says.
    package let values: stat

    /// Nil if nothing is there or it may not be asked about; `errno` has the reason then.
    ///
    /// - Parameter followsLinks: false for a link itself instead of what it leads to.
    package init?(of path: String, followsLinks: Bool = true) {
        var values = stat()
        let result = FileName.withCName(path) { followsLinks ? stat($0, &values) : lstat($0, &values) }
        guard result == 0 else { return nil }
        self.values = values
    }

    /// The same of a file that is open.
    package init?(ofDescriptor descriptor: Int32) {
        var values = stat()
        guard fstat(descriptor, &values) == 0 else { return nil }
        self.values = values
    }

    /// `S_IFREG`, `S_IFDIR` or another of its kind.
    package var kind: mode_t { values.st_mode & S_IFMT }
    package var isFile: Bool { kind == S_IFREG }
    package var isFolder: Bool { kind == S_IFDIR }
    /// In bytes.
    package var size: Int { Int(values.st_size) }
    /// In nanoseconds since 1970.
    package var modified: Int { Int(values.st_mtim.tv_sec) * 1_000_000_000 + Int(values.st_mtim.tv_nsec) }
    package var device: UInt { UInt(values.st_dev) }
    package var number: UInt { UInt(values.st_ino) }
}

extension FileName {
    /// The names in a folder, in the system's order, without `.` and `..`; nil if it cannot be read, for the reason in `errno`.
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
