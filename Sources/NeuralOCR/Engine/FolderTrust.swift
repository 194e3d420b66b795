import Glibc

/// Checks that no other user could have put libraries into a folder from which this program loads them.
enum FolderTrust {
    /// - Returns: true if the folder, the one of its libraries and these themselves belong to root, to this user or to the owner of the
    ///   running program, and are not writable for all users.
    static func isTrusted(_ folder: String) -> Bool {
        var owners: Set<uid_t> = [0, geteuid()]
        if let program = status(of: "/proc/self/exe") { owners.insert(program.st_uid) }
        let libraries = folder + "/lib"
        return ([folder, libraries] + FolderNames.of(libraries).map { "\(libraries)/\($0)" }).allSatisfy { path in
            guard let status = status(of: path) else { return path == libraries }
            return owners.contains(status.st_uid) && status.st_mode & S_IWOTH == 0
        }
    }

    /// Follows links, because their targets are loaded.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
