import TextSpotting
import Threads

extension LatestSession {
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

    /// The memory for thumbnails, in bytes.
    private static let pictureMemory = 12 << 20
    /// The number of characters searched by meaning with each reading, about 2 ms of one core; the rest follows with
    /// the next reading.
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
        let frames = LatestFrames(of: self, plan, reader.pictureFormat, keepsPictures: keepsPictures) {
            await recognizer.startAnew()
            await joiner.forget()
        }
        let judge = PictureJudge(self, hasLight: hasLight)
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
