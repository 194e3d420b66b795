import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The display side of a live job that hides its findings: takes every frame, hands it to the reader, and passes it on
/// once it has been read and its time has come, with the findings hidden and nothing drawn over it. Frames that cannot
/// be read in time are left out and counted.
///
/// Separate from ``DisplayLoop``, because here no path may bypass the reader. Runs on a thread of its own and is used
/// only by that thread.
struct HidingLoop: ~Copyable {
    /// A frame, and the stage that reads it.
    private struct Held {
        let frame: HeldFrame
        let stage: HidingStage
        let bytes: Int
    }

    private let hiding: RunningHidingSettings
    private let frames: SourceFrames
    private let session: LatestSession
    private let life: JobLife
    private let makeStage: (SearchedWords, RunningHidingSettings) -> HidingStage
    /// The output for frames; nil if they are only read.
    private let output: LiveOutput?
    private var pacer: FramePacer
    private var stage: HidingStage?
    private var revision = 0
    private var connection = 0
    private var held: [Held] = []
    private let limit: HoldingLimit
    /// The number of frames refused because reading is behind, except those that the current stage refused; and the
    /// number refused for lack of memory.
    private var lateFrames = 0
    private var framesWithoutMemory = 0
    private var hasToldOfMemory = false

    /// The time for which the source was waited for in vain since its last frame. Time in which the program itself was
    /// held up does not count.
    private var quiet = Duration.zero

    /// The number of delays without another frame after which the picture counts as standing still. A busy machine takes
    /// longer to decode the next frame of a file.
    private static let standing = (camera: 2, file: 6)

    /// - Parameters:
    ///   - latency: the time by which the output shows all frames late.
    ///   - makeStage: creates the reading stage for the current search.
    init(
        _ hiding: RunningHidingSettings, _ frames: SourceFrames, session: LatestSession, life: JobLife,
        into output: LiveOutput?, latency: StreamTime,
        makeStage: @escaping (SearchedWords, RunningHidingSettings) -> HidingStage
    ) {
        self.hiding = hiding
        self.frames = frames
        self.session = session
        self.life = life
        self.output = output
        self.makeStage = makeStage
        limit = HoldingLimit(delay: hiding.delay)
        pacer = FramePacer(latency: latency, held: hiding.delay)
    }

    /// Blocks until the stream ends or the job is stopped.
    mutating func run() {
        let bell = frames.bell
        life.whenStopping { bell.ring() }
        loop: while !life.isStopping {
            sendReady()
            guard frames.isLive || room == .enough else {
                if room == .noMemory { tellOfMemory() }
                bell.wait(atMost: .milliseconds(20))
                continue
            }
            let (asked, rest) = (ContinuousClock.now, rest)
            switch frames.pull(within: rest) {
            case .sample(let sample, let connection):
                take(sample, connection)
                quiet = .zero
            case .nothing: quiet += min(rest ?? .zero, ContinuousClock.now - asked)
            case .lost: forget()
            case .endOfStream(let failure):
                stage?.finish()
                drain()
                life.end(failure == nil ? .eos : .error, failure: failure)
                break loop
            }
        }
        finish()
    }

    /// The time for which nothing needs to be done; nil until something happens.
    private var rest: Duration? {
        guard let first = held.first else { return nil }
        let waited = ContinuousClock.now - first.frame.arrival
        return waited < delay ? delay - waited : .milliseconds(20)
    }

    private var delay: Duration { .nanoseconds(hiding.delay.nanoseconds) }

    /// Whether there is room for another frame.
    private var room: HoldingLimit.Room {
        guard let first = held.first, let last = held.last else { return .enough }
        return limit.room(
            beside: last.frame.time.start - first.frame.time.start, frames: held.count,
            bytes: held.reduce(0) { $0 + $1.bytes }, isLive: frames.isLive)
    }

    // MARK: Frames

    private mutating func take(_ sample: consuming Sample, _ connection: Int) {
        if connection != self.connection {
            forget()
            if self.connection != 0 { pacer.startAnew() }
            self.connection = connection
        }
        let arrival = ContinuousClock.now
        session.source.frameArrived()
        switch room {
        case .enough: break
        case .full: return lateFrames += 1
        case .noMemory: return framesWithoutMemory += 1
        }
        // A camera has few buffers, and would wait for those that are held here.
        if frames.isLive, let copy = sample.copied() { sample = copy }
        do {
            let stage = currentStage()
            guard let time = try stage.take(sample) else { return }
            session.measurements.frameArrived(at: time.start)
            let running = frames.isUntimed ? nil : sample.runningTime ?? time.start
            let bytes = sample.byteCount
            let frame = HeldFrame(sample, time: time, running: running, arrival: arrival)
            held.append(Held(frame: frame, stage: stage, bytes: bytes))
        } catch {
            fail(error)
        }
    }

    /// Returns the reading stage for the current search. Earlier frames are still read for the previous search.
    private mutating func currentStage() -> HidingStage {
        let wanted = session.words.versioned.revision
        if let stage, wanted == revision { return stage }
        if let stage {
            stage.finish()
            drain()
            lateFrames += stage.refusedFrames
        }
        var settings = hiding
        settings.refusesFrames = frames.isLive
        let made = makeStage(session.words, settings)
        (stage, revision) = (made, wanted)
        return made
    }

    /// Discards everything because the connection is over and new frames are unrelated.
    private mutating func forget() {
        if let stage {
            lateFrames += stage.refusedFrames
            stage.interrupt()
        }
        stage = nil
        held = []
    }

    // MARK: Output

    /// Passes on frames that were read and whose time has come.
    private mutating func sendReady() {
        while let first = held.first {
            let waited = ContinuousClock.now - first.frame.arrival
            guard waited >= delay || !frames.isLive && output?.pipeline.hasPacingSink != true,
                first.stage.isReady(first.frame.time, isStanding: isStanding)
            else { return }
            send(held.removeFirst())
        }
    }

    /// Whether no frame follows the last one for long, or there is not enough memory for another.
    private var isStanding: Bool {
        quiet >= delay * (frames.isLive ? Self.standing.camera : Self.standing.file) || room == .noMemory
    }

    /// Passes on all held frames that were read, or will be.
    private mutating func drain() {
        while !held.isEmpty { send(held.removeFirst()) }
    }

    private mutating func send(_ held: Held) {
        guard let places = held.stage.places(on: held.frame.time, waits: false) else { return }
        session.measurements.showed(staleness: nil)
        session.measurements.holding(self.held.count)
        guard let output, let overlay = output.overlay else { return }
        let pace: FramePacer.Pace =
            frames.isLive ? (frames.isShared ? .asStored : .live) : output.pipeline.hasWindow ? .file : .asStored
        let time = pacer.time(for: held.frame.running, now: output.pipeline.runningTime, pace: pace)
        output.sound?.shows(held.frame.running, at: time)
        do {
            _ = try overlay.push(held.frame.sample.retained(), hiding: places, hiding.style, at: time)
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        let failure =
            error as? FramegrepError ?? FramegrepError(.pipelineFailed, "The frame cannot be searched: \(error).")
        life.end(.error, failure: failure)
    }

    /// Ends the output.
    private mutating func finish() {
        // Frames that have been read by now are still passed on, if those after them have been too.
        while let first = held.first, first.stage.isReady(first.frame.time) { send(held.removeFirst()) }
        forget()
        tellOfRefusals()
        output?.overlay?.endOfStream()
        output?.sound?.finish()
        frames.letEndThrough()
    }

    private func tellOfRefusals() {
        if lateFrames > 0 {
            warn(
                "\(lateFrames) frames were left out, because they could not be read in time: a smaller picture, --level fast or a longer "
                    + "--overlay-delay helps.")
        }
        if framesWithoutMemory > 0 {
            warn(
                "\(framesWithoutMemory) frames were left out, because as many as --overlay-delay asks for do not fit into \(limit.megabytes) MB: "
                    + "a shorter one or a smaller picture helps.")
        }
    }

    /// Reports the lack of memory. A file waits where a camera's frames are left out: it is shown more slowly then.
    private mutating func tellOfMemory() {
        guard !hasToldOfMemory else { return }
        hasToldOfMemory = true
        warn(
            "As many frames as --overlay-delay asks for do not fit into \(limit.megabytes) MB, so that they are shown more slowly: a shorter one or "
                + "a smaller picture helps.")
    }

    private func warn(_ sentence: String) { session.report.warn(FramegrepError(.pipelineFailed, sentence)) }
}

/// Limits the held frames: as much of the stream as the delay requires and a moment more, up to a number of bytes.
struct HoldingLimit: Sendable {
    /// Whether there is room for another frame.
    enum Room: Sendable, Hashable {
        case enough
        /// As much is held as needed: the oldest frame is late.
        case full
        /// Less is held than the delay requires, but it takes all available memory.
        case noMemory
    }

    /// The time by which a frame is passed on later than it arrived.
    let delay: StreamTime
    var mostBytes = 1 << 30

    /// The additional buffered time; without it every hesitation would slow a file down.
    private static let spare = StreamTime(seconds: 0.25)
    /// The buffered time for a camera, whose frames cannot wait anywhere else while a reading takes longer than usual,
    /// as the first one does.
    private static let patience = StreamTime(seconds: 4)

    /// The number of a file's frames that are always taken, so that several can be read at the same time.
    private static let leastFrames = 60

    var megabytes: Int { mostBytes >> 20 }

    /// - Parameters:
    ///   - span: the stream time between the first and the last held frame.
    ///   - frames: the number of held frames.
    ///   - bytes: their total size.
    ///   - isLive: whether frames arrive on their own.
    func room(beside span: StreamTime, frames: Int, bytes: Int, isLive: Bool) -> Room {
        if bytes >= mostBytes { return span < delay ? .noMemory : .full }
        if isLive { return span < delay + Self.patience ? .enough : .full }
        return span < delay + Self.spare || frames < Self.leastFrames ? .enough : .full
    }
}

/// Passes on the reports of stages, counts sightings, and ends the job if a stage fails. Thread-safe.
final class HidingReport: Sendable {
    private let count = Atomic<Int>(0)
    private let report: LiveReport
    private let life: JobLife

    init(_ report: LiveReport, _ life: JobLife) {
        self.report = report
        self.life = life
    }

    var sightings: Int { count.load(ordering: .relaxed) }

    /// The report for a new stage. The end of a stage is not the end of the job: another one may follow.
    var ofStage: LiveReport {
        LiveReport { [self] event in
            switch event {
            case .end(let end): life.end(.error, failure: end.failure)
            case .appeared:
                count.add(1, ordering: .relaxed)
                report.tell(event)
            default: report.tell(event)
            }
        }
    }
}
