import ArgumentParser
import TextSpotting

/// When a search is over although there is more to be searched: shared by `find`, `live` and `run`.
struct LimitOptions: ParsableArguments {
    @Option(
        name: [.customShort("m"), .customLong("max-count")],
        help: ArgumentHelp(
            "Stop as soon as this many sightings (in find: of an input) have begun. One that is not over then ends, in the "
                + "results, with the last frame that was searched.",
            valueName: "count"))
    var maximumCount: Int?

    @Option(
        help: ArgumentHelp(
            "End after so long, counted from when the search begins: with 0 when something was found until then, else 1. With "
                + "-m 1: wait until it is seen, at most so long.",
            valueName: "time"))
    var timeout: DurationArgument?

    func validate() throws {
        if let maximumCount, maximumCount < 1 { throw ValidationError("--max-count must be at least 1.") }
        if let timeout, timeout.time <= .zero { throw ValidationError("--timeout must be more than 0.") }
    }
}
