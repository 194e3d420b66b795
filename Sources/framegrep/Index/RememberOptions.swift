import ArgumentParser
import Errors
import GStreamerMedia

/// Whether what `live` and `run` read goes into the index.
struct RememberOptions: ParsableArguments {
    @Flag(help: "Put what is read into the index, with the time on the clock.")
    var remember = false

    @OptionGroup var index: IndexOptions

    func validate() throws {
        if index.path != nil, !remember {
            throw ValidationError("--index says where --remember puts what is read; give both, or none.")
        }
    }

    /// Where readings are kept; nil unless asked for.
    ///
    /// - Parameters:
    ///   - name: the source's, without passwords.
    ///   - speaker: what messages begin with.
    /// - Throws: ``FramegrepError`` if the index cannot be written to.
    func memory(
        ofSource name: String, _ reading: ReadingOptions, speaker: String = "framegrep"
    ) throws -> LiveIndexRecorder? {
        guard remember else { return nil }
        return try LiveIndexRecorder(
            try index.folder(), name: redacted(name), manner: ReadingProfile(reading, everyFrame: false).text
        ) { StandardError.line("\(speaker): \($0)") }
    }
}
