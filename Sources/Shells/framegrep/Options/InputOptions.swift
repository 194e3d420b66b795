import ArgumentParser
import Foundation
import Spotter
import TextSpotting
import Threads

/// Selects files of a folder.
struct FolderChoice: ParsableArguments {
    @Option(
        name: .customLong("include"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("With -r: search only files with such names, for example '*.mp4'.", valueName: "glob"))
    var included: [String] = []

    @Option(
        name: .customLong("exclude"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("With -r: skip files and folders with such names.", valueName: "glob"))
    var excluded: [String] = []

    var walk: FolderWalk { FolderWalk(included: included, excluded: excluded) }

    func validate(isRecursive: Bool) throws {
        guard isRecursive || (included.isEmpty && excluded.isEmpty) else {
            throw ValidationError("--include and --exclude choose among what -r finds; add -r.")
        }
    }
}

/// Options for the recordings and stills that `find` searches, in addition to those named individually.
struct InputOptions: ParsableArguments {
    @Flag(
        name: [.customShort("r"), .customLong("recursive")],
        help:
            "Search folders with all their subfolders, by default this one. Files other than pictures and videos are skipped."
    )
    var recursive = false

    @OptionGroup var choice: FolderChoice

    @Option(
        name: .customLong("files-from"),
        help: ArgumentHelp("Read the names of inputs from a file, one a line; - is standard input.", valueName: "file"),
        completion: .file())
    var list: FileArgument?

    var listPath: String? { list?.path }

    @Flag(
        name: [.customShort("0"), .customLong("null")],
        help: "With --files-from: names end with a zero byte, as 'find -print0' writes them.")
    var endsWithZero = false

    @Option(
        name: [.customShort("j", allowingJoined: true), .customLong("jobs")],
        help: ArgumentHelp(
            "Search or index this many inputs at a time; they share --threads, and the output is the same, in the order of the inputs.",
            valueName: "count"))
    var jobs = 1

    @Option(
        help: ArgumentHelp(
            "How much memory parts of long recordings may take while they are read side by side (default: a quarter of the machine's).",
            valueName: "size"))
    var memory: SizeArgument?

    /// Returns the limits for parts of each recording.
    ///
    /// - Parameter threads: the number of threads that may read; nil for all processors.
    func parts(threads: Int?) -> SideBySide {
        let memory = memory.map { Int($0.bytes) } ?? MachineMemory.usable / 4
        let processors = min(Processors.usable, threads ?? Processors.usable)
        var parts = SideBySide(processors: processors, memory: memory, inputs: jobs)
        let forced = ProcessInfo.processInfo.environment["FRAMEGREP_PARTS"].flatMap { Int($0) }
        if let forced { parts.parts = max(1, min(forced, 64)) }
        // Each part needs the files and threads of a search.
        if parts.parts > 1, (try? SystemLimits.check(sideBySide: jobs * parts.parts)) == nil { parts.parts = 1 }
        return parts
    }

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs must be between 1 and 64.") }
        try choice.validate(isRecursive: recursive)
        guard !endsWithZero || list != nil else {
            throw ValidationError("-0 says how the list of --files-from is written; add --files-from.")
        }
    }

    var nameInputs: Bool { recursive || list != nil }

    /// Returns all inputs, in the order of the command line, then of the list; files in a folder in the order of names.
    /// A folder that cannot be read is reported, and the others are searched.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for a list that cannot be read; `engineUnavailable` if the system's
    ///   limits are too low for so many at a time.
    func inputs(named given: [String]) throws -> FoundInputs {
        if jobs > 1 { try SystemLimits.check(sideBySide: jobs) }
        let listed = try listPath.map { try InputList(path: $0, endsWithZero: endsWithZero).names() } ?? []
        let named = given.flatMap(Self.expanded) + listed
        var found = FoundInputs()
        if recursive, named.isEmpty, listPath == nil { found.add(folder: ".", named: "", choice.walk) }
        for name in named {
            if recursive, FolderWalk.isFolder(name) {
                found.add(folder: name, named: name, choice.walk)
            } else {
                found.inputs.append(SearchInput(name: name))
            }
        }
        return found
    }

    /// Returns the files that match a pattern such as `shots/*.png`, if no shell has expanded it; sorted by name. The
    /// name of an existing file, or a pattern without matches, is returned unchanged.
    private static func expanded(_ input: String) -> [String] {
        guard input.contains(where: { "*?[".contains($0) }), !input.contains("://"),
            FileName.withCName(input, { access($0, F_OK) }) != 0
        else { return [input] }
        var found = glob_t()
        defer { globfree(&found) }
        guard FileName.withCName(input, { glob($0, 0, nil, &found) }) == 0 else { return [input] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { FileName.text(ofCName: $0) } }
    }
}

/// Options for the searched range of wall-clock time.
struct WallRangeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Search only what was recorded since: 2026-11-20, 2026-11-20T14:05, 14:05 (today), yesterday, '2h ago', 3d.",
            valueName: "when"))
    var since: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Search only what was recorded before.", valueName: "when"))
    var until: String?

    func validate() throws { _ = try range(now: Date()) }

    /// - Throws: `ValidationError` if it is not a time.
    func range(now: Date) throws -> WallRange {
        let range = WallRange(since: try date(since, "--since", now), until: try date(until, "--until", now))
        if let since = range.since, let until = range.until, since >= until {
            throw ValidationError(
                "--since (\(WallClock.text(since))) is not before --until (\(WallClock.text(until))): nothing is left.")
        }
        return range
    }

    private func date(_ text: String?, _ option: String, _ now: Date) throws -> Date? {
        guard let text else { return nil }
        guard let moment = WallMoment(text, now: now) else {
            throw ValidationError(
                "\(option): '\(text)' is not a date or a time of day; write 2026-11-20, 2026-11-20T14:05, 14:05, yesterday, '2h ago' or 3d."
            )
        }
        return moment.date
    }
}

/// Options for ending a search early: shared by `find`, `live` and `run`.
struct LimitOptions: ParsableArguments {
    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-count")],
        help: ArgumentHelp(
            "Stop when this many sightings (in find: of each input) have begun. One that is still open ends, in the results, "
                + "with the last frame that was searched.",
            valueName: "count"))
    var maximumCount: Int?

    @Option(
        help: ArgumentHelp(
            "End after this time, counted from the beginning of the search: with status 0 if something was found by then, else 1. "
                + "With -m 1: wait until it is seen, at most this long.",
            valueName: "time"))
    var timeout: DurationArgument?

    func validate() throws {
        if let maximumCount, maximumCount < 1 { throw ValidationError("--max-count must be at least 1.") }
        if let timeout, timeout.time <= .zero { throw ValidationError("--timeout must be more than 0.") }
    }
}
