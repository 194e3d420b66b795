import TextSpotting
import Threads

/// The parts that every search of a running picture has in addition to its ``Session``, whether its frames come from
/// the program's own source (``LiveJob``) or another program's pipeline (``PushedSession``).
///
/// The display side has a ``FrameReceiver`` for each frame and takes boxes from ``latestBoxes``; the reader side is a
/// ``Session``. Neither waits for the other: a frame that arrives while one is being read replaces the one that waits.
struct LatestSession: Sendable {
    /// The searched words; may change at any time.
    let words: SearchedWords
    let report: LiveReport
    let source: SourceState
    /// Holds the only frame that waits to be read.
    let slot = LatestSlot<LiveFrame>()
    /// The last seconds as thumbnails.
    let frameHistory = LiveFrameHistory()
    /// The newest reading's boxes, on their way to the picture.
    let latestBoxes = LatestBoxes()
    /// All text of the newest reading.
    let text = LatestText()
    let notices = PictureNotices()
    let measurements: LiveMeasurements
    /// Reads a picture that stands still.
    let closely: CloseReading

    /// - Parameters:
    ///   - policy: the reaction when the source is lost.
    ///   - stallTime: the time without a frame after which a source counts as stalled.
    ///   - closeReader: creates a better reader for a picture that stands still; nil if there is none.
    init(
        _ words: SearchedWords, _ report: LiveReport, policy: LossPolicy, stallTime: Duration,
        closeReader: (@Sendable () async throws -> any TextReader)? = nil
    ) {
        self.words = words
        self.report = report
        source = SourceState(SourceLife(policy: policy, stallTime: stallTime), report)
        measurements = LiveMeasurements()
        closely = CloseReading(make: closeReader, notices: notices, measurements: measurements, report: report)
    }
}
