/// Looks at a file a second time where the first, short look gave no answer.
///
/// GStreamer's decodebin (1.22) keeps back the error of an element that fails while it is being added, and forgets it where the adding itself went
/// well: a demuxer that finds its file damaged at once, on a thread that was quicker. The discoverer then waits for nothing until its time is
/// over. A few of a thousand damaged files did on a busy machine; hardly any does twice.
enum TwoLooks {
    /// Longer than a file takes that can be read, on a machine that is not overloaded.
    static let first = 5

    /// - Parameters:
    ///   - seconds: for both looks.
    ///   - isFile: else there is one look: what is far away may take its time.
    ///   - look: gives nil where there was no answer within so many seconds.
    static func take<Answer>(
        within seconds: Int, atFile isFile: Bool, _ look: (_ seconds: Int) throws -> Answer?
    ) rethrows -> Answer? {
        guard isFile, seconds >= 2 * first else { return try look(seconds) }
        return try look(first) ?? look(seconds - first)
    }
}
