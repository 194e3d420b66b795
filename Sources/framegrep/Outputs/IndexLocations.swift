import Foundation
import TextIndex
import TextSpotting

/// The folders of indexes, in which nothing but the index itself is written.
struct IndexLocations: Sendable {
    /// The folders of the indexes that this run may use, there or not, with links followed.
    private let known: [String]

    /// - Parameter options: the folder of each index that this run may use is named in them.
    init(usedBy options: Any) {
        let folders = Self.folders(in: options) + [try? IndexFolder(nil)]
        known = folders.compactMap { $0 }.map { Self.withoutLinks($0.path) }
    }

    /// The folder of the index in which a path lies, also by a hard link; nil for none.
    ///
    /// - Parameter path: need not exist yet.
    func folder(around path: String) -> String? {
        var folder = Self.withoutLinks(path)
        while true {
            if known.contains(folder) || Self.isIndex(folder) { return folder }
            guard folder != "/", folder != "." else { break }
            folder = FileIdentity.split(folder).folder
        }
        return folderWithLink(to: path)
    }

    /// Recognizes an index's folder by its parts: a catalog beside segments, or beside the lock of a writer.
    private static func isIndex(_ folder: String) -> Bool {
        func has(_ name: String) -> Bool { FileName.withCName(folder + "/" + name) { access($0, F_OK) } == 0 }
        return has("catalog.db") && (has("segments") || has("lock"))
    }

    private func folderWithLink(to path: String) -> String? {
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0, status.st_nlink > 1,
            let identity = FileIdentity(ofFileAt: path)
        else { return nil }
        return known.first { folder in
            let names = FileManager.default.enumerator(atPath: folder)
            while let name = names?.nextObject() as? String {
                if FileIdentity(ofFileAt: folder + "/" + name) == identity { return true }
            }
            return false
        }
    }

    /// The folder around a path that the environment names, and that holds what the program reads by itself: networks, languages, notices
    /// that wait; nil for none.
    static func folderOfTheEnvironment(around path: String) -> String? {
        func variable(_ name: String) -> String? {
            ProcessInfo.processInfo.environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        var folders = [
            variable("FRAMEGREP_HOME").map { $0 + "/neural" }, variable("XDG_STATE_HOME").map { $0 + "/framegrep" },
        ]
        // Beside languages there may be anything.
        if path.hasSuffix(".traineddata"), let data = variable("TESSDATA_PREFIX") { folders.append(data) }
        let place = withoutLinks(path)
        return folders.compactMap { $0 }.first { place.hasPrefix(withoutLinks($0) + "/") }
    }

    private static func folders(in options: Any) -> [IndexFolder?] {
        if let options = options as? IndexOptions { return [try? options.folder()] }
        return Mirror(reflecting: options).children.flatMap { folders(in: $0.value) }
    }

    /// A path from the root, with links followed as far as it is there.
    private static func withoutLinks(_ path: String) -> String {
        var (there, missing) = (path, "")
        while true {
            let real = FileName.withCName(there.isEmpty ? "." : there) { realpath($0, nil) }
            if let real {
                defer { free(real) }
                let folder = FileName.text(ofCName: real)
                return (folder == "/" && !missing.isEmpty ? "" : folder) + missing
            }
            while there.hasSuffix("/"), there != "/" { there.removeLast() }
            let (folder, name) = FileIdentity.split(there)
            guard folder != there else { return path }
            (there, missing) = (folder, "/" + name + missing)
        }
    }
}
