import Errors
import TextSpotting

/// The files to which lists among the inputs refer, including lists in lists; see ``MediaList``.
///
/// They are used for the check that no file is both read and written. This is the early half of that check: files that
/// are missed here, because the limits are reached or they are not known beforehand, are detected by `SourceGuard` when
/// they are opened. So the limits apply to all lists of a run together.
struct ListedFiles {
    private struct List {
        let path: String
        let depth: Int
    }

    /// The depth to which lists in lists are followed; this also ends loops.
    private static let deepest = 5

    private var bounds: MediaList.Bounds
    private var seen = Set<FileIdentity>()

    init(bounds: MediaList.Bounds = MediaList.Bounds(time: .seconds(3))) { self.bounds = bounds }

    /// Calls `take` with each path to which a list refers; many of them do not exist.
    ///
    /// - Parameter path: the path of an input, list or not; one that is not a regular file refers to nothing.
    mutating func follow(_ path: String, _ take: (String) throws(FramegrepError) -> Void) throws(FramegrepError) {
        let begin = ContinuousClock.now
        defer { bounds.time = bounds.time.map { $0 - (.now - begin) } }
        var taken = Set<ExactName>()
        var lists = [List(path: path, depth: 0)]
        while let list = lists.popLast() {
            guard let identity = FileIdentity(ofFileAt: list.path), seen.insert(identity).inserted,
                let content = MediaList(path: list.path, &bounds)
            else { continue }
            let goesOn = list.depth < Self.deepest && content.leadsToLists
            for file in content.paths(&bounds) where taken.insert(ExactName(file)).inserted {
                // On a slow disk even little work takes long.
                if let time = bounds.time, .now - begin >= time { return }
                try take(file)
                if goesOn { lists.append(List(path: file, depth: list.depth + 1)) }
            }
        }
    }
}
