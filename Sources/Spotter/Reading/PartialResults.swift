import GStreamerMedia
import TextMatching
import TextSpotting
import Threads

/// Searches single lines of a reading that is not complete yet, so that the first box is there before the last line is read.
///
/// Such matches are only shown: the whole reading decides whether they are sightings. Thread-safe; called on an engine's threads.
struct PartialResults: Sendable {
    let words: SearchedWords
    let latestBoxes: LatestBoxes
    /// Matches below it are ignored.
    let minimumScore: Double
    /// Wakes the display.
    let bell: WakeEvent

    /// A line was read in the frame of `time`; in pixels of the searched part.
    @Sendable func see(_ line: TextLine, at time: FrameTime) {
        let (matcher, revision) = words.versioned
        // Where all patterns have to be there together, one line says nothing.
        guard !matcher.manner.requiresAll else { return }
        // What a line means is judged with the lines beside it, when all are read.
        let matches = matcher.matches(in: line).filter { $0.score >= minimumScore }
        guard !matches.isEmpty else { return }
        DebugLog.debug("glimpses \(matches.count) matches in a line of frame \(time.index)")
        latestBoxes.partialResult(matches, at: time, revision: revision)
        bell.ring()
    }
}
