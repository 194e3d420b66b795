import Errors

/// The files to which lists among the inputs lead, including lists in lists; see ``MediaList``.
///
/// For the check that no file is both read and written. This is the early half of it: files that are missed here, because the bounds are
/// reached or they are not known beforehand, are caught by `SourceGuard` when they are opened. So the bounds hold for all lists of a run together.
struct ListedFiles {
    private struct List {
        let path: String
        let depth: Int
    }

    /// Lists lead to lists; a circle of them ends here.
    private static let deepest = 5

    private var bounds: MediaList.Bounds
    private var seen = Set<FileIdentity>()

    init(bounds: MediaList.Bounds = MediaList.Bounds(time: .seconds(3))) { self.bounds = bounds }

    /// Takes each path to which a list leads, many of which lead to nothing.
    ///
    /// - Parameter path: of an input, list or not; one that is not an ordinary file leads nowhere.
    mutating func follow(_ path: String, _ take: (String) throws(FramegrepError) -> Void) throws(FramegrepError) {
        let begin = ContinuousClock.now
        defer { bounds.time = bounds.time.map { $0 - (.now - begin) } }
        var taken = Set<String>()
        var lists = [List(path: path, depth: 0)]
        while let list = lists.popLast() {
            guard let identity = FileIdentity(ofFileAt: list.path), seen.insert(identity).inserted,
                let content = MediaList(path: list.path, &bounds)
            else { continue }
            let goesOn = list.depth < Self.deepest && content.leadsToLists
            for file in content.paths(&bounds) where taken.insert(file).inserted {
                // On a slow disk even little work takes long.
                if let time = bounds.time, .now - begin >= time { return }
                try take(file)
                if goesOn { lists.append(List(path: file, depth: list.depth + 1)) }
            }
        }
    }
}
