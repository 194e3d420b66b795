import ArgumentParser
import Errors

/// All the text instead of a pattern: shared by `find`, `live` and `run`.
struct TextOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Report every line that is read, once, as it stood at its best; a pattern may be given, but need not.",
            discussion: """
                Without -e and -f the first argument is then an input too, and no pattern: in find where it is the name of a \
                file that is there (with -r: or of a folder), an address, or all there is to search in; in live where it is the only one.
                """))
    var allText = false

    @Flag(help: "With --all-text: of a line that is typed or taken away letter by letter, each state that was read.")
    var eachChange = false

    @Flag(
        help:
            "As --all-text, in paragraphs: lines that go on in one another are joined, and what stands there through most of it is left out (with --all-text, it is not)."
    )
    var transcript = false

    /// - Throws: ``FramegrepError`` (`badArgument`) for what does not go together with paragraphs.
    func checkTranscript(areTherePatterns: Bool, isLive: Bool = false) throws {
        guard transcript else { return }
        if isLive {
            throw FramegrepError(
                .badArgument, "--transcript joins lines when a recording has ended; live has --all-text.")
        }
        if areTherePatterns || eachChange {
            throw FramegrepError(
                .badArgument,
                "--transcript writes all the text and takes no \(eachChange ? "--each-change" : "pattern"); --all-text prints lines beside sightings."
            )
        }
    }

    /// No pattern has to be given.
    var isAsked: Bool { allText || eachChange || transcript }
}
