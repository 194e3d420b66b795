import TextSpotting
import Threads

/// The parts that every search of a running picture has in addition to its ``Session``, whether its frames come from
/// the program's own source (``LiveJob``) or another program's pipeline (``PushedSession``).
///
/// The display side has a ``receiver(region:isShown:readInterval:isToBeRead:)`` for each frame and takes boxes from
/// ``latestBoxes``; the reader side is a ``Session``. Neither waits for the other: a frame that arrives while one is
/// being read replaces the one that waits.
struct LatestSession: Sendable {
    /// The searched words; may change at any time.
    let words: SearchedWords
    let report: LiveReport
    /// The state of the source.
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

    /// Creates the part that receives the frames, on the display thread.
    ///
    /// - Parameters:
    ///   - region: the part of the picture to search; nil for all of it.
    ///   - isShown: whether the frames are displayed.
    ///   - readInterval: the time after one frame in which the reader gets no other.
    ///   - isToBeRead: returns whether the frame at a time must be read.
    func receiver(
        region: RegionOfInterest?, isShown: Bool, readInterval: StreamTime = .zero,
        isToBeRead: @escaping @Sendable (StreamTime) -> Bool = { _ in true }
    ) -> FrameReceiver {
        FrameReceiver(
            slot: slot, frameHistory: frameHistory, source: source, measurements: measurements, words: words,
            region: region, isShown: isShown,
            readInterval: readInterval,
            isToBeRead: isToBeRead)
    }

    /// Creates the part that searches the readings.
    ///
    /// - Parameters:
    ///   - policies: its settings.
    ///   - pictures: see ``SightingJoiner``.
    ///   - tell: called with each event except boxes, which are left for the display side.
    func joiner(
        _ policies: SightingJoiner.Settings, pictures: ReadPictures? = nil,
        tell: @escaping @Sendable (SessionEvent) -> Void
    ) -> SightingJoiner {
        var policies = policies
        policies.timeline.pictureMemory = Self.pictureMemory
        policies.allText?.pictureMemory = Self.pictureMemory
        policies.meaningAllowance = Self.meaningAllowance
        return SightingJoiner(words, policies, frameHistory: frameHistory, pictures: pictures) { [latestBoxes] event in
            if case .boxes(let reading) = event { latestBoxes.post(reading) } else { tell(event) }
        }
    }

    /// For thumbnails, in bytes.
    private static let pictureMemory = 12 << 20
    /// The number of characters searched by meaning with each reading, some 2 ms of one core; the rest follows with the
    /// next.
    private static let meaningAllowance = 60

    /// Creates the parts that read the newest frames until they end or the task is cancelled.
    ///
    /// - Parameters:
    ///   - keepsPictures: whether each frame that is read is kept until the next one, for pictures of its findings.
    ///   - partialResults: receives the lines of a reading in progress; nil if only whole readings count.
    ///   - hasLight: whether the source has a light that can be turned on.
    ///   - hasRead: called after each reading.
    func reading(
        with reader: any TextReader, into joiner: SightingJoiner, as plan: ReadingPlan, keepsPictures: Bool = false,
        partialResults: PartialResults? = nil,
        hasLight: @escaping @Sendable () -> Bool = { false }, hasRead: @escaping @Sendable () -> Void = {}
    ) -> Session {
        var tracking = TextTracker.Settings()
        tracking.maximumAge = plan.runningAge
        let recognizer = Recognizer(
            engine: reader, tracking: tracking, executor: BatchThreads.shared, seeing: partialResults?.see)
        let frames = LatestFrames(
            plan, reader.pictureFormat, keepsPictures: keepsPictures, in: slot, frameHistory: frameHistory,
            closely: closely,
            isFrozen: { [source] in source.isFrozen }
        ) {
            await recognizer.startAnew()
            await joiner.forget()
        }
        let judge = PictureJudge(frameHistory, notices, report, hasLight: hasLight)
        return Session(
            buffer: .latest(frames), recognizer: recognizer, joiner: joiner, executor: BatchThreads.shared,
            willJoin: { [measurements, text] request, reading in
                if request.isUnchanged {
                    measurements.foundUnchanged()
                } else if request.closeLines == nil {
                    measurements.read(in: .now - request.begun)
                }
                guard let time = reading.time else { return }
                text.put(reading.linesInFrame, at: time)
                judge.judge(reading.lines, at: time)
            }, hasJoined: { _, _ in hasRead() })
    }

    /// Searches the last reading whenever the search changes, until the task is cancelled, even if nothing new is read
    /// because the picture stands still or the reader is slow.
    func searchAgain(in joiner: SightingJoiner, then body: () -> Void = {}) async {
        for await _ in words.changes {
            await joiner.searchAgain()
            body()
        }
    }
}
