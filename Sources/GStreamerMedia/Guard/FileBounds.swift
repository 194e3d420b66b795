import Glibc
import TextSpotting

/// The folders below which files may be that a source leads to (a list of pieces, for one), where the program that started this one
/// has named some (`FRAMEGREP_ONLY_BELOW`, one a line). What a person or that program names itself is opened wherever it is.
public enum FileBounds {
    /// Nil where all may be opened.
    static let folders: [String]? = getenv("FRAMEGREP_ONLY_BELOW").map { String(cString: $0) }.flatMap { text in
        text.isEmpty ? nil : text.split(separator: "\n").map(String.init)
    }

    /// Has the programs that are started from now on keep to these folders. To be called before there is a second thread.
    ///
    /// - Parameter folders: absolute paths without links, none with a line break in it. None of them: what is named leads nowhere.
    public static func hand(on folders: [String]) {
        setenv("FRAMEGREP_ONLY_BELOW", folders.isEmpty ? "\n" : folders.joined(separator: "\n"), 1)
    }

    /// Whether a file lies below one of some folders, by its true path. False for what is not there.
    ///
    /// - Parameter folders: absolute paths without links.
    public static func contain(_ path: String, _ folders: [String]) -> Bool {
        guard let real = realPath(path) else { return false }
        return folders.contains { $0 == "/" || real == $0 || real.hasPrefix($0 + "/") }
    }

    /// The path without links and `..`; nil where nothing is there.
    public static func realPath(_ path: String) -> String? {
        FileName.withCName(path) { name in
            guard let real = realpath(name, nil) else { return nil }
            defer { free(real) }
            return FileName.text(ofCName: real)
        }
    }
}
