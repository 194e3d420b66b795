/// Looks at a file again where a short look gave no answer.
///
/// GStreamer's decodebin (1.22) keeps back the error of an element that fails while it is being added, and forgets it where the adding itself went
/// well: a demuxer that finds its file damaged at once, on a thread that was quicker. The discoverer then waits for nothing until its time is
/// over. A dozen of a thousand damaged files did on a busy machine, and one did twice.
enum RepeatedProbes {
    /// Each longer, in seconds, than a file takes that can be read, on a machine that is not overloaded.
    static let short = [5, 5]

    /// - Parameters:
    ///   - seconds: for all looks.
    ///   - isFile: else there is one try only: remote sources may take their time.
    ///   - look: gives nil if there was no answer within this many seconds.
    static func take<Answer>(
        within seconds: Int, atFile isFile: Bool, _ look: (_ seconds: Int) throws -> Answer?
    ) rethrows -> Answer? {
        var left = seconds
        for time in short where isFile && left >= 2 * time {
            if let answer = try look(time) { return answer }
            left -= time
        }
        return try look(left)
    }
}
