import ArgumentParser
import TextSpotting

/// Options on reacting to sightings, besides the results: shared by `find`, `live` and `run`.
struct NoticeOptions: ParsableArguments {
    @Flag(help: "Ring the terminal's bell when a word appears.")
    var bell = false

    @Option(
        help: ArgumentHelp(
            "Run a command for each sighting, with its JSON line on standard input.",
            discussion: """
                The command is run by sh. Nothing that was read from the picture is ever a part of it: all of that is on its \
                standard input. What it prints goes to standard error.
                """, valueName: "command"))
    var exec: String?

    @Option(help: ArgumentHelp("How many of these commands may run at once.", valueName: "count"))
    var execLimit = 4

    func validate() throws {
        guard (1...64).contains(execLimit) else { throw ValidationError("--exec-limit must be between 1 and 64.") }
        if let exec, exec.allSatisfy(\.isWhitespace) {
            throw ValidationError("--exec needs a command, such as --exec 'cat >> seen.jsonl'.")
        }
    }
}
