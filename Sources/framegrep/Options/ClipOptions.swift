import ArgumentParser
import Spotter
import TextSpotting

/// Options on clips of sightings, and on how much of the recording around each is written.
struct ClipOptions: ParsableArguments {
    @Option(
        name: .customLong("save-clips"),
        help: ArgumentHelp("Write a clip of each sighting into a folder, without sound.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        name: [.customShort("A"), .customLong("after-context")],
        help: ArgumentHelp(
            "In --save-clips, and in --save-video, which then has nothing else: so much after each sighting.",
            valueName: "time"))
    var after: DurationArgument?

    @Option(
        name: [.customShort("B"), .customLong("before-context")],
        help: ArgumentHelp("The same before each.", valueName: "time"))
    var before: DurationArgument?

    /// The time around each sighting; nil unless asked for.
    var context: SightingContext? {
        before == nil && after == nil
            ? nil : SightingContext(before: before?.time ?? .zero, after: after?.time ?? .zero)
    }
}
