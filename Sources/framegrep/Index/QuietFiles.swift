import TextIndex

/// Which files were left alone for a while, so that they can be read: a state machine fed with changes and times.
struct QuietFiles {
    /// A file without writes for so long counts as complete.
    static let quiet = Duration.seconds(2)

    private struct Waiting {
        var stamp: FileStamp?
        var since: ContinuousClock.Instant
    }

    private var waiting: [String: Waiting] = [:]

    var isEmpty: Bool { waiting.isEmpty }

    /// A file came or was written to.
    mutating func change(_ path: String, _ stamp: FileStamp?, at now: ContinuousClock.Instant) {
        waiting[path] = Waiting(stamp: stamp, since: now)
    }

    /// The files that have become whole, by name; they are asked for no more.
    ///
    /// - Parameter stamp: the file's current stamp; nil if it is gone.
    mutating func due(
        at now: ContinuousClock.Instant, _ stamp: (String) -> FileStamp?
    ) -> [(path: String, stamp: FileStamp)] {
        var ready: [(path: String, stamp: FileStamp)] = []
        for (path, file) in waiting where now - file.since >= Self.quiet {
            guard let current = stamp(path) else {
                waiting[path] = nil
                continue
            }
            // Some file systems do not report changes.
            guard current == file.stamp else {
                waiting[path] = Waiting(stamp: current, since: now)
                continue
            }
            waiting[path] = nil
            ready.append((path, current))
        }
        return ready.sorted { $0.path < $1.path }
    }
}
