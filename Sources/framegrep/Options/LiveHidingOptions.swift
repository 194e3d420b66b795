import ArgumentParser
import Spotter
import TextMatching
import TextSpotting

/// Options on hiding what `live` and `run` find.
struct LiveHidingOptions: ParsableArguments {
    @Flag(
        help: """
            Hide what is found instead of marking it: every frame waits for its reading (--overlay-delay), and what cannot be read in time \
            is left out and counted. Results have no text then.
            """)
    var redact = false

    @Option(
        help: ArgumentHelp(
            "How --redact hides: black, pixelate or blur. Only black leaves nothing to be guessed from.",
            valueName: "style"))
    var redactStyle: HidingStyle?

    @Flag(help: "With --redact: of :email and other kinds hide the words alone, not the rest of their line.")
    var redactOnlyWords = false

    @Option(
        help: ArgumentHelp(
            """
            With --redact, send the frames to a place as well: v4l2:/dev/video9 for a camera of other programs (v4l2loopback), or the end of a \
            GStreamer pipeline, such as 'x264enc ! rtspclientsink location=…'.
            """, valueName: "place"))
    var to: String?

    /// The elements that frames go to besides; nil for none.
    var tail: String? { to.map(SourceDescription.tail) }

    /// How what is found is hidden; nil where it is marked.
    func settings(_ reading: ReadingOptions, _ output: LiveOutputOptions) throws -> RunningHidingSettings? {
        guard redact else { return nil }
        var settings = RunningHidingSettings()
        settings.region = try reading.region.map(RegionOfInterest.init(parsing:))
        // Lower than for finding, unless somebody wants it otherwise.
        settings.minimumScore = reading.minScore == Matcher.usualMinimumScore ? settings.minimumScore : reading.minScore
        settings.hidesOnlyWords = redactOnlyWords
        settings.style = redactStyle ?? settings.style
        settings.delay = output.overlayDelay.time
        settings.maximumAge = reading.maximumAge ?? settings.maximumAge
        return settings
    }

    func validate() throws {
        guard redact || (redactStyle == nil && !redactOnlyWords && to == nil) else {
            throw ValidationError("--redact-style, --redact-only-words and --to are about --redact; add that.")
        }
    }
}
