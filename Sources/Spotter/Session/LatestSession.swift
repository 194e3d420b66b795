import Errors
import TextMatching
import TextSpotting
import Threads

/// The parts that every search of a running picture shares, whether its frames come from the program's own source (``LiveJob``) or another
/// program's pipeline (``LatestStage``).
///
///     frames → FrameReceiver (thumbnail, history) → latest frame → FrameReader (gate, Recognizer) → LiveResults → LatestBoxes → the picture
///
/// The picture's side calls ``receiver(region:isShown:readInterval:isToBeRead:)`` for each frame and takes boxes from ``latestBoxes``; the reader's side
/// is ``read(with:into:settings:seesGlimpses:hasLight:hasRead:)``. Neither waits for the other: a frame that comes while one is being read
/// replaces the one that waits.
struct LatestSession: Sendable {
    /// The searched words; may change at any time.
    let words: SearchedWords
    let report: LiveReport
    /// The state of the source.
    let source: SourceState
    /// The only frame that waits to be read.
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
    ///   - policy: what to do when the source is lost.
    ///   - stallTime: a source without a frame for so long counts as stalled.
    ///   - closeReader: makes a better reader for a picture that stands still; nil where there is none.
    init(
        _ words: SearchedWords, _ report: LiveReport, policy: LossPolicy, stallTime: Duration,
        closeReader: (@Sendable () async throws -> any TextReader)? = nil
    ) {
        self.words = words
        self.report = report
        source = SourceState(SourceLife(policy: policy, stallTime: stallTime), report)
        measurements = LiveMeasurements()
        closely = CloseReading(closeReader, notices, measurements, report)
    }

    /// Takes the frames in, on the picture's thread.
    ///
    /// - Parameters:
    ///   - region: the part of the picture to search; nil for all of it.
    ///   - isShown: somebody sees the frames.
    ///   - readInterval: so long after one frame the reader gets no other.
    ///   - isToBeRead: whether the frame of a time is to be read.
    func receiver(
        region: RegionOfInterest?, isShown: Bool, readInterval: StreamTime = .zero,
        isToBeRead: @escaping @Sendable (StreamTime) -> Bool = { _ in true }
    ) -> FrameReceiver {
        FrameReceiver(
            slot, frameHistory, source, measurements, words, region: region, isShown: isShown,
            readInterval: readInterval,
            isToBeRead: isToBeRead)
    }

    /// Reads the newest frames until they end or the task is cancelled, then closes the sightings that are still open.
    ///
    /// - Parameters:
    ///   - partialResults: is told of lines of a reading that is not complete yet; nil where only whole readings count.
    ///   - hasLight: whether the source has a light that can be turned on.
    ///   - hasRead: called after each reading.
    /// - Throws: why nothing can be read any more.
    func read(
        with reader: any TextReader, into findings: LiveResults, _ settings: FrameReader.Settings,
        partialResults: PartialResults? = nil,
        hasLight: @escaping @Sendable () -> Bool = { false }, hasRead: @escaping @Sendable () -> Void = {}
    ) async throws(FramegrepError) {
        let frameReader = FrameReader(
            settings, reader: reader, closely: closely, frameHistory: frameHistory, source: source,
            measurements: measurements,
            seeing: partialResults?.see)
        var loop = ReadingLoop(
            slot, frameReader, findings, text, PictureJudge(frameHistory, notices, report, hasLight: hasLight),
            hasRead: hasRead)
        try await loop.run()
    }

    /// Searches what was read last for each other word that is asked for, until the task is cancelled; also while nothing new is read,
    /// because the picture may stand still, or the reader take its time.
    func searchAgain(in findings: LiveResults, then body: () -> Void = {}) async {
        for await _ in words.changes {
            await findings.searchAgain()
            body()
        }
    }
}
