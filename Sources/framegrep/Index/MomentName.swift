import Errors
import TextSpotting

/// A moment as results print it: `lobby.mp4:00:00:12.367-00:00:15.100: ← EXIT 12`, or only the first of it.
struct MomentName: Hashable {
    /// The recording, as it was named.
    let source: String
    let time: StreamTime

    /// - Throws: ``FramegrepError`` (`badArgument`) if the text is not a moment.
    init(_ text: String) throws {
        // The last time but that behind a dash: a file may be called 12:00:00.mp4.
        guard let found = text.firstMatch(of: /^(.+?):(\d+:\d\d:\d\d(?:\.\d+)?)(?:-\d+:\d\d:\d\d(?:\.\d+)?)?(?:: .*)?$/)
        else {
            guard text.firstMatch(of: /:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) == nil else {
                throw FramegrepError(
                    .badArgument, "“\(text)” was shown live: only its text was kept, and no picture.")
            }
            throw FramegrepError(
                .badArgument,
                "“\(text)” is no moment; give one as 'framegrep find' prints it, such as 'lobby.mp4:00:00:12.367'.")
        }
        guard let time = DurationArgument(argument: String(found.2))?.time else {
            throw FramegrepError(.badArgument, "\(found.2) is no time; write it as 00:00:12.367.")
        }
        source = String(found.1)
        self.time = time
    }
}
