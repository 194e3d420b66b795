import ArgumentParser
import TextSpotting

/// Where patterns come from while a live job runs: shared by `live` and `run`.
struct LivePatternOptions: ParsableArguments {
    @Option(
        name: .customLong("patterns-from"),
        help: ArgumentHelp(
            "- : lines on standard input change the pattern while it runs; +word adds one, an empty line clears all.",
            valueName: "-"),
        completion: .list(["-"]))
    var source: String?

    /// Patterns may still come, so none has to be given.
    var areAwaited: Bool { source != nil }

    func validate() throws {
        guard source == nil || source == "-" else {
            throw ValidationError(
                "--patterns-from takes - (standard input); patterns in a file are read with -f, which is watched.")
        }
    }
}
