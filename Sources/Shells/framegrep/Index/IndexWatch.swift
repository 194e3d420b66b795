import Engines
import Errors
import Foundation
import TextIndex
import TextSpotting

/// Reads the files in folders, and then new ones, until it is interrupted.
struct IndexWatch: Sendable {
    let folder: IndexFolder
    /// The watched folders.
    let roots: [String]
    let walk: FolderWalk
    let isQuiet: Bool
    /// Creates a run for an open index; between new files other programs may write to the index.
    let run: @Sendable (TextIndex) -> IndexRun

    /// The interval at which changes are polled.
    private static let interval = Duration.milliseconds(250)
    /// The interval at which all files are checked, for file systems that do not report changes, such as another
    /// machine's disk.
    private static let longInterval = Duration.seconds(30)

    /// - Parameter inputs: the files that are already in the folders.
    /// - Throws: ``Interruption``; ``FramegrepError`` if the index cannot be written, or nothing can be read.
    func run(_ inputs: [SearchInput]) async throws -> ExitStatus {
        let work = Task {
            // Start watching before reading, so that no change is missed meanwhile.
            let watch = FolderWatch(roots)
            let known = Dictionary(
                inputs.compactMap { input in FileStamp(path: input.name).map { (ExactName(input.name), $0) } }
            ) { first, _ in first }
            let tally = try await run(TextIndex.forWriting(folder, meaning: MeaningInstallation.installed))
                .readAll(inputs)
            tell(tally, of: tally.damage)
            try await follow(watch, known, told: Set(tally.damage))
        }
        let interrupts = Interrupts(cancelling: work)
        do { try await work.value } catch is CancellationError {}
        guard let signal = interrupts.signal else { return .found }
        if !isQuiet {
            StandardError.line("framegrep: the folders are no longer watched; everything that was read is kept.")
        }
        throw Interruption(signal: signal)
    }

    /// - Parameter told: the damage of the index that was already reported.
    private func follow(_ watch: FolderWatch, _ known: [ExactName: FileStamp], told: Set<String>) async throws {
        if !isQuiet {
            StandardError.line(
                "framegrep: watching \(watch.count) \(watch.count == 1 ? "folder" : "folders"); Ctrl-C ends it.")
        }
        var (known, told) = (known, told)
        var files = QuietFiles()
        var lookedAt = ContinuousClock.now
        while !Task.isCancelled {
            let now = ContinuousClock.now
            switch watch.changes() {
            case .files(let paths):
                for path in paths where takes(path) { files.change(path, FileStamp(path: path), at: now) }
            case .many: lookedAt = now - Self.longInterval
            }
            if now - lookedAt >= Self.longInterval {
                lookedAt = now
                for (path, stamp) in all() where known[ExactName(path)] != stamp { files.change(path, stamp, at: now) }
            }
            let ready = files.due(at: now) { FileStamp(path: $0) }.filter { known[ExactName($0.path)] != $0.stamp }
            if !ready.isEmpty {
                guard try await read(ready.map(\.path), &told) else {
                    for file in ready { files.change(file.path, file.stamp, at: now) }
                    try await Task.sleep(for: Self.interval)
                    continue
                }
                for file in ready { known[ExactName(file.path)] = file.stamp }
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    /// - Returns: false if another program is writing to the index.
    private func read(_ paths: [String], _ told: inout Set<String>) async throws -> Bool {
        let store: TextIndex
        do { store = try TextIndex.forWriting(folder, meaning: MeaningInstallation.installed) } catch let error
            as FramegrepError
            where error.code == .outputFailed && TextIndex.isBusy(folder)
        { return false }
        let tally = try await run(store).readAll(paths.map { SearchInput(name: $0, isFound: true) })
        tell(tally, of: tally.damage.filter { told.insert($0).inserted })
        return true
    }

    private func tell(_ tally: IndexRun.Tally, of damage: [String]) {
        IndexRun.tell(damage: damage)
        if !isQuiet, tally.isWorthTelling || tally.expiry != nil { IndexRun.tell(tally) }
    }

    private func takes(_ path: String) -> Bool {
        roots.contains { FileName.isPath(path, inOrBelow: $0) && walk.takes(path, in: $0) }
    }

    private func all() -> [(String, FileStamp)] {
        roots.flatMap { root in (try? walk.files(in: root, named: root)) ?? [] }.compactMap { input in
            FileStamp(path: input.name).map { (input.name, $0) }
        }
    }
}

/// Determines which files have not been written to for a while, so that they can be read: a state machine that takes
/// changes and times.
struct QuietFiles {
    /// The time without writes after which a file counts as complete.
    static let quiet = Duration.seconds(2)

    private struct Waiting {
        var stamp: FileStamp?
        var since: ContinuousClock.Instant
    }

    private var waiting: [ExactName: Waiting] = [:]

    /// Records that a file was added or written to.
    mutating func change(_ path: String, _ stamp: FileStamp?, at now: ContinuousClock.Instant) {
        waiting[ExactName(path)] = Waiting(stamp: stamp, since: now)
    }

    /// Removes and returns the files that are complete, by name.
    ///
    /// - Parameter stamp: the file's current stamp; nil if it is gone.
    mutating func due(
        at now: ContinuousClock.Instant, _ stamp: (String) -> FileStamp?
    ) -> [(path: String, stamp: FileStamp)] {
        var ready: [(path: String, stamp: FileStamp)] = []
        for (path, file) in waiting where now - file.since >= Self.quiet {
            guard let current = stamp(path.text) else {
                waiting[path] = nil
                continue
            }
            // Some file systems do not report changes.
            guard current == file.stamp else {
                waiting[path] = Waiting(stamp: current, since: now)
                continue
            }
            waiting[path] = nil
            ready.append((path.text, current))
        }
        return ready.sorted { $0.path < $1.path }
    }
}
