import Glibc
import TextSpotting

/// What there is of the neural engine on this machine: the folder that `scripts/setup-neural` fills.
public struct NeuralInstallation: Hashable, Sendable {
    /// Where the runtime and the models are; nil when no folder was found.
    public let folder: String?
    /// OpenVINO's own version, when its library opens.
    public let runtimeVersion: String?
    /// The levels whose files are all there.
    public let levels: [NeuralLevel]
    /// One sentence saying what is missing and what mends it; nil when at least one level is ready to load.
    public let problem: String?

    /// Whether ``NeuralEngine/load(settings:)`` can be expected to succeed at `level`.
    public func hasLevel(_ level: NeuralLevel) -> Bool { problem == nil && levels.contains(level) }

    /// Looks at the machine. Opens OpenVINO's library, which then stays open.
    public static func find() -> NeuralInstallation {
        let searched = searchedFolders()
        guard let folder = searched.first(where: isFolder) else {
            return NeuralInstallation(
                folder: nil, runtimeVersion: nil, levels: [],
                problem: FramegrepError.neuralUnavailable(
                    "The neural engine is not installed (there is no \(searched.joined(separator: " or ")))."
                ).message)
        }
        return inspect(folder)
    }

    /// Looks at one folder. Opens the library in it.
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

    /// The folders that may hold the engine, in the order in which they are tried: `$FRAMEGREP_HOME/neural` alone when
    /// that variable is set, else the user's own, the one beside the executable, and the one of a checkout.
    static func searchedFolders() -> [String] {
        if let home = variable("FRAMEGREP_HOME") { return [home + "/neural"] }
        var folders: [String] = []
        if let home = variable("HOME") { folders.append(home + "/.local/share/framegrep/neural") }
        if let executable = executableFolder() {
            folders += [executable + "/neural", executable + "/../share/framegrep/neural"]
            if let build = executable.range(of: "/.build/") {
                folders.append(executable[..<build.lowerBound] + "/.framegrep/neural")
            }
        }
        return folders
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

extension String {
    /// Where `part` first occurs.
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
