import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The display side of the live job: takes every frame, hands the newest to the reader, draws the known boxes and
/// passes the frame on, at once or a fixed time later (``OverlayTiming``). It never waits for the reader.
///
/// ``ShowSchedule`` decides what to do and when; this type does it. Runs on a thread of its own and is used only by
/// that thread. It sleeps on the bell of its ``SourceFrames``, which must be rung whenever its
/// ``ShowSchedule/Situation`` may have changed.
struct DisplayLoop: ~Copyable {
    private let settings: LiveSettings
    private let hasWindow: Bool
    private let frames: SourceFrames
    private let sign: WindowSign
    private let session: LatestSession
    private let life: JobLife
    /// Provides the boxes of each frame of a recording being played; nil if boxes are followed.
    private let player: RecordingPlayer?
    private let sightings: SightingReport
    private var speed = 1.0
    private var receiver: FrameReceiver
    /// The output; nil if no window and no recording receives the frames.
    private var output: FrameOutput?
    private var schedule: ShowSchedule<HeldFrame>
    private var displayed: DisplayedBoxes
    private var hasWarned = false

    /// - Parameters:
    ///   - hasWindow: whether the output has a window, which discards late frames.
    ///   - sign: whether that window has shown a frame.
    ///   - output: receives the frames; nil for none.
    init(
        settings: LiveSettings, hasWindow: Bool, sign: WindowSign, frames: SourceFrames, session: LatestSession,
        output: consuming FrameOutput?, life: JobLife, player: RecordingPlayer?, sightings: SightingReport
    ) {
        // Store the settings whole: Swift 6.3 destroys an existential before it has a value if members are set
        // separately here.
        self.settings = settings
        self.hasWindow = hasWindow
        self.sign = sign
        self.frames = frames
        self.session = session
        let hasOutput = output != nil
        let isShown = hasOutput || settings.viewer != nil
        self.output = output
        self.life = life
        self.player = player
        self.sightings = sightings
        receiver = FrameReceiver(session, region: settings.reading.region, isShown: hasOutput) {
            player?.leavesUnread($0) ?? true
        }
        schedule = ShowSchedule(
            ShowSchedule.Settings(
                delay: isShown ? settings.overlay.delay : .zero, isShown: isShown, hasWindow: hasWindow,
                staysOpen: player != nil),
            begun: .now)
        displayed = DisplayedBoxes(timing: settings.overlay, maximumAge: settings.reading.runningAge)
    }

    private var situation: ShowSchedule<HeldFrame>.Situation {
        ShowSchedule.Situation(
            isLive: frames.isLive, isRunning: session.source.isRunning, isFrozen: session.source.isFrozen,
            isStopping: life.isStopping, hasRead: session.measurements.hasRead, hasWindowShown: sign.isThere,
            connection: frames.connectionNumber, isAtEnd: player?.isAtEnd ?? false)
    }

    /// Blocks until the stream ends or the job is stopped.
    mutating func run() {
        while true {
            switch schedule.next(at: .now, situation) {
            case .show(let frame): show(frame)
            case .showAgain(let frame, let passed, let isFrozen): showAgain(frame, after: passed, isFrozen)
            case .postpone(let time): output?.postpone(time)
            case .takeFrame(let time): hear(frames.pull(within: time))
            case .discardFrames(let rest): discard(waiting: rest)
            case .wait(let time): frames.bell.wait(atMost: time)
            case .endReading: receiver.finish()
            case .end(let failure): life.end(failure == nil ? .eos : .error, failure: failure)
            case .finish: return finish()
            }
        }
    }

    private mutating func hear(_ pull: consuming SourceFrames.Pull) {
        switch consume pull {
        case .sample(let sample, let connection): take(sample, connection)
        case .nothing: return
        case .lost: lose()
        case .endOfStream(let failure): schedule.end(failure)
        }
    }

    private mutating func take(_ sample: consuming Sample, _ connection: Int) {
        let (arrival, timestamp) = (ContinuousClock.now, sample.timestamp)
        let isFirst = schedule.connectionNumber == 0
        let isJump = player != nil && schedule.connectionNumber != connection
        if let player, !isJump, let own = sample.streamTime, !player.wants(own - frames.origin) { return }
        if schedule.connects(connection, at: receiver.frameCount) {
            if player == nil { receiver.startAnew() }
            output?.startAnew()
            forgetBoxes()
        }
        if isJump || isFirst { receiver.jump(origin: frames.origin) }
        let (time, thumbnail) = receiver.take(sample, connection, arrival: arrival, isUntimed: frames.isUntimed)
        switch thumbnail {
        case .success(let (frame, geometry)): displayed.see(frame, geometry)
        case .failure(let error): if let warning = FrameReceiver.warning(of: error) { warnOnce(warning) }
        }
        guard output != nil || settings.viewer != nil else { return }
        let running = frames.isUntimed ? nil : playedTime(of: time) ?? sample.runningTime ?? time.start
        // A camera has few buffers, and would wait for those that are held here.
        if frames.isLive, settings.overlay.delay > .zero, let copy = sample.copied() { sample = copy }
        schedule.hold(
            HeldFrame(
                sample, time: time, running: running, arrival: arrival, part: player?.part(ofFrameAt: timestamp)),
            from: time.start, to: time.end,
            arrivedAt: arrival)
    }

    /// Returns when a frame of a recording played at a chosen speed is due; nil for any other source.
    private mutating func playedTime(of time: FrameTime) -> StreamTime? {
        guard let player else { return nil }
        if player.speed != speed { output?.startAnew() }
        speed = player.speed
        return StreamTime(nanoseconds: Int64(Double(time.start.nanoseconds) / speed))
    }

    private mutating func show(_ frame: HeldFrame) {
        let isLookedAt = settings.viewer?.isLooking ?? false
        guard output != nil || isLookedAt else { return }
        let (boxes, pace, waiting) = (boxes(on: frame), pace, schedule.heldCount)
        if isLookedAt { settings.viewer?.see(frame.viewed(with: boxes, settings.reading.runningAge)) }
        if let failure = output?.show(frame, with: boxes, pace: pace, waiting: waiting) { warnOnce(failure) }
    }

    private mutating func showAgain(_ frame: HeldFrame, after passed: Duration, _ isFrozen: Bool) {
        if isFrozen {
            if !frames.isLive { output?.postpone(passed) }
            receiver.readClosely(frame, schedule.connectionNumber)
        }
        // The viewer already has this frame.
        guard output != nil else { return }
        let boxes = boxes(on: frame)
        if let failure = output?.showAgain(frame, with: boxes, after: passed) { warnOnce(failure) }
    }

    /// Discards the available frames.
    private mutating func discard(waiting rest: Duration) {
        var isThere = true
        while isThere {
            switch frames.take() {
            case .sample: continue
            case .lost: lose()
            case .nothing: isThere = false
            case .endOfStream: isThere = false
            }
        }
        frames.bell.wait(atMost: rest)
    }

    private var pace: FramePacer.Pace {
        if frames.isLive { return frames.isShared ? .asStored : .live }
        return hasWindow ? .file : .asStored
    }

    /// Returns the boxes on a frame that is shown now.
    private mutating func boxes(on frame: HeldFrame) -> [FollowedBox] {
        if let player { return boxes(on: frame, playedBy: player) }
        let partialResult = session.latestBoxes.takePartialResult().flatMap {
            schedule.believes(readingOf: $0.time.index) ? $0 : nil
        }
        return displayed.boxes(on: frame.time, newReading(), partialResult)
    }

    /// Returns the boxes of a frame that was read ahead of its display, in pixels of the frame as stored, whatever part
    /// of it is shown.
    private mutating func boxes(on frame: HeldFrame, playedBy player: RecordingPlayer) -> [FollowedBox] {
        // Everything is drawn on the picture as stored.
        let info = frame.sample.info
        let stored: (Quad) -> Quad = { info?.stored($0) ?? $0 }
        let (known, new, over) = player.show(frame.time)
        for sighting in new { sightings.appeared(sighting, arrival: .now) }
        for sighting in over { sightings.disappeared(sighting) }
        if let reading = player.text(at: frame.time.start) {
            let lines = reading.lines.map { line in
                line.mapped { frame.part?.shown(stored($0)) ?? stored($0) }
            }
            session.text.put(lines, at: frame.time)
        }
        guard let boxes = known else { return followedBoxes(on: frame) }
        return boxes.map {
            FollowedBox(id: $0.id, match: $0.match, quad: stored($0.quad), readAt: frame.time.start)
        }
    }

    /// Returns the boxes of a recording that is not read ahead of the picture: those of lines just read, or of the
    /// frames themselves. Their numbers do not identify sightings.
    private mutating func followedBoxes(on frame: HeldFrame) -> [FollowedBox] {
        var partialResult = session.latestBoxes.takePartialResult(upTo: frame.time.start)
        // The reader ahead has its own frame count.
        if let time = partialResult?.time { partialResult?.time = receiver.time(ofFrameAt: time.start) ?? time }
        // Boxes are followed in the displayed picture.
        let (part, geometry) = (frame.part, displayed.geometry)
        for index in partialResult?.found.indices ?? 0..<0 {
            guard let part, let quad = partialResult?.found[index].match.quad else { continue }
            partialResult?.found[index].match.quad =
                geometry.map { $0.part(part.shown($0.frame(quad))) } ?? part.shown(quad)
        }
        return displayed.boxes(on: frame.time, newReading(), partialResult).map {
            FollowedBox(
                id: min($0.id, -$0.id), match: $0.match, quad: part?.original($0.quad) ?? $0.quad, readAt: $0.readAt)
        }
    }

    /// Returns the newest reading, unless its frame is from before the source was lost.
    private func newReading() -> LatestBoxes.Reading? {
        session.latestBoxes.take().flatMap { schedule.believes(readingOf: $0.time.index) ? $0 : nil }
    }

    /// Removes the boxes from the last picture, which stays when the source is lost: they are no longer valid.
    private mutating func lose() {
        guard !life.isStopping else { return schedule.lose(isStopping: true) }
        forgetBoxes()
        schedule.lose()
        receiver.tellOfLoss(after: schedule.shownFrame?.time.start, schedule.connectionNumber)
    }

    private mutating func forgetBoxes() {
        displayed = DisplayedBoxes(timing: settings.overlay, maximumAge: settings.reading.runningAge)
        receiver.forgetPictures()
    }

    private mutating func warnOnce(_ error: any Error) {
        if !hasWarned, let error = error as? FramegrepError { session.report.warn(error) }
        hasWarned = true
    }

    /// Ends the output.
    private func finish() {
        for sighting in player?.finish() ?? [] { sightings.disappeared(sighting) }
        output?.finish()
        frames.letEndThrough()
    }
}

/// A frame that is still to be shown, or is shown.
final class HeldFrame {
    let sample: Sample
    let time: FrameTime
    /// The time to show it, on the source's clock; nil if the source gives no times.
    let running: StreamTime?
    let arrival: ContinuousClock.Instant
    /// The part that the frame shows enlarged, if the whole frame was read; nil if it shows all of it.
    let part: EnlargedPart?

    /// Returns the boxes of the frame that was read at their places in this one, without those outside it.
    func shown(_ boxes: [FollowedBox]) -> [FollowedBox] {
        guard let part else { return boxes }
        return boxes.compactMap { part.shows($0.quad) ? $0.placed(at: part.shown($0.quad)) : nil }
    }

    init(
        _ sample: consuming Sample, time: FrameTime, running: StreamTime?, arrival: ContinuousClock.Instant,
        part: EnlargedPart? = nil
    ) {
        self.sample = sample
        self.time = time
        self.running = running
        self.arrival = arrival
        self.part = part
    }
}

extension HeldFrame {
    /// - Parameter maximumAge: the age of a reading at which its boxes are about to disappear.
    func viewed(with boxes: [FollowedBox], _ maximumAge: StreamTime) -> ViewedFrame {
        let (info, now) = (sample.info, time.start)
        let viewed = boxes.map { box in
            let age = (now - box.readAt).seconds / max(1e-3, maximumAge.seconds)
            return ViewedBox(
                id: box.id, pattern: box.match.pattern, text: box.match.text, patternIndex: box.match.patternIndex,
                score: box.match.score, age: min(1, max(0, age, 1 - box.presence)),
                quad: info?.displayed(box.quad) ?? box.quad)
        }
        return ViewedFrame(sample: sample.retained(), time: now, arrival: arrival, boxes: viewed)
    }
}

/// Whether a window has shown its first frame. Thread-safe.
final class WindowSign: Sendable {
    private let flag = Atomic<Bool>(false)

    var isThere: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}
