import Errors
import Glibc
import TextSpotting

/// The installed parts of the neural engine: the folder that `framegrep setup` fills.
public struct NeuralInstallation: Hashable, Sendable {
    /// The folder with the runtime and the models; nil if none was found.
    public let folder: String?
    /// OpenVINO's own version, if its library opens.
    public let runtimeVersion: String?
    /// The levels whose files are complete.
    public let levels: [NeuralLevel]
    /// One sentence on the missing part and how to get it; nil when at least one level is ready to load.
    public let problem: String?

    /// Whether ``NeuralEngine/load(settings:givingWayTo:waiting:)`` can be expected to succeed at `level`.
    public func hasLevel(_ level: NeuralLevel) -> Bool { problem == nil && levels.contains(level) }

    /// Searches this machine. Opens OpenVINO's library, which then stays open.
    public static func find() -> NeuralInstallation {
        let searched = searchedFolders()
        let found = searched.filter(isFolder)
        let trusted = variable("FRAMEGREP_HOME") != nil ? found : found.filter(FolderTrust.isTrusted)
        let inspected = trusted.lazy.map(inspect)
        // Prefer a complete installation; otherwise report the problem of the first.
        if let installation = inspected.first(where: { $0.problem == nil }) ?? inspected.first { return installation }
        let problem =
            found.first.map {
                "The neural engine in \($0) is not used: the folder belongs to another user, or everybody may write to it."
            }
            ?? "The neural engine is not installed for \(userName): there is no \(shownFolders(searched))."
        return NeuralInstallation(
            folder: nil, runtimeVersion: nil, levels: [], problem: FramegrepError.neuralUnavailable(problem).message)
    }

    /// Examines one folder, and opens the library in it.
    static func inspect(_ folder: String) -> NeuralInstallation {
        let files = NeuralFiles(folder: folder)
        let levels = NeuralLevel.allCases.filter { files.missing(for: $0).isEmpty }
        do {
            let version = try OpenVINORuntime.shared(at: files.library()).version
            let missing = NeuralLevel.allCases.flatMap(files.missing(for:))
            let problem =
                levels.isEmpty ? FramegrepError.neuralUnavailable("There is no file \(missing[0]).").message : nil
            return NeuralInstallation(folder: folder, runtimeVersion: version, levels: levels, problem: problem)
        } catch {
            return NeuralInstallation(folder: folder, runtimeVersion: nil, levels: levels, problem: "\(error)")
        }
    }

    /// Returns the folders that may hold the engine, in the order in which they are tried: `$FRAMEGREP_HOME/neural`
    /// alone if that variable is set, otherwise the user's own, the one beside the executable, the one of a checkout,
    /// and those for all users of the machine.
    ///
    /// - Parameter name: another folder instead of `neural`, for other things that `framegrep setup` installs.
    static func searchedFolders(named name: String = "neural") -> [String] {
        if let home = variable("FRAMEGREP_HOME") { return [home + "/" + name] }
        var folders: [String] = []
        if let home = variable("HOME") ?? accountHome { folders.append(home + "/.local/share/framegrep/" + name) }
        if let executable = executableFolder() {
            folders += [executable + "/" + name, executable + "/../share/framegrep/" + name]
            if let build = executable.ranges(of: "/.build/").last {
                folders.append(executable[..<build.lowerBound] + "/.framegrep/" + name)
            }
        }
        return folders + shared(named: name)
    }

    /// Returns, for other things that `framegrep setup` installs, the first folder of a name that can be trusted, and
    /// the reason, as a part of a sentence, if there is none.
    package static func folders(named name: String) -> (trusted: String?, problem: String) {
        let searched = searchedFolders(named: name)
        let found = searched.filter(isFolder)
        let trusted = variable("FRAMEGREP_HOME") != nil ? found : found.filter(FolderTrust.isTrusted)
        let problem =
            found.first.map {
                "the files in \($0) are not used: the folder belongs to another user, or everybody may write to it."
            } ?? "it is not installed (there is no \(shownFolders(searched, named: name)))."
        return (trusted.first, problem)
    }

    /// The folders for all users of the machine.
    private static func shared(named name: String) -> [String] {
        ["/usr/local/share/framegrep/", "/usr/share/framegrep/"].map { $0 + name }
    }

    /// Returns the folders that users install to; those beside the program are tried too.
    private static func shownFolders(_ searched: [String], named name: String = "neural") -> String {
        // A folder that the user has named is the only one.
        let others = searched.count > 1 ? shared(named: name) : []
        return (Array(searched.prefix(1)) + others).joined(separator: ", ")
    }

    /// The home folder that the system knows of, for programs that are started without `HOME`, as services are.
    private static var accountHome: String? {
        guard let account = getpwuid(geteuid()), let home = account.pointee.pw_dir else { return nil }
        return String(cString: home)
    }

    private static var userName: String {
        guard let account = getpwuid(geteuid()), let name = account.pointee.pw_name else { return "this user" }
        return "the user \(String(cString: name))"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }

    /// The folder of the running program, without links.
    private static func executableFolder() -> String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        let text = String(cString: path)
        return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }

    private static func isFolder(_ path: String) -> Bool {
        guard let folder = opendir(path) else { return false }
        closedir(folder)
        return true
    }
}

/// Checks that no other user could have put libraries into a folder from which this program loads them.
enum FolderTrust {
    /// - Returns: true if the folder, the folder of its libraries and the libraries belong to root, to this user or to the owner of the
    ///   running program, and are not writable for all users.
    static func isTrusted(_ folder: String) -> Bool {
        var owners: Set<uid_t> = [0, geteuid()]
        if let program = FileStatus(of: "/proc/self/exe")?.values { owners.insert(program.st_uid) }
        let libraries = folder + "/lib"
        let files = (FileName.names(inFolder: libraries) ?? []).filter { !$0.hasPrefix(".") }
        return ([folder, libraries] + files.map { "\(libraries)/\($0)" }).allSatisfy { path in
            // Follows links, because the libraries that they lead to are loaded.
            guard let status = FileStatus(of: path)?.values else { return path == libraries }
            return owners.contains(status.st_uid) && status.st_mode & S_IWOTH == 0
        }
    }
}
