import Glibc

/// Whether a folder may hold libraries for this program to run: nobody else must be able to put any there.
enum FolderTrust {
    /// - Returns: true where the folder, the one of its libraries and these themselves belong to root, to this user or to whoever owns the
    ///   running program, and not everybody may write to them.
    static func isTrusted(_ folder: String) -> Bool {
        var owners: Set<uid_t> = [0, geteuid()]
        if let program = status(of: "/proc/self/exe") { owners.insert(program.st_uid) }
        let libraries = folder + "/lib"
        return ([folder, libraries] + FolderNames.of(libraries).map { "\(libraries)/\($0)" }).allSatisfy { path in
            guard let status = status(of: path) else { return path == libraries }
            return owners.contains(status.st_uid) && status.st_mode & S_IWOTH == 0
        }
    }

    /// Links are followed: what they lead to is what is loaded.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
