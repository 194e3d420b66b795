import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The picture's side of a live job that hides what is found: takes every frame, hands it to the reader, and passes it on when it was read,
/// with what is to be hidden hidden, its time come and nothing drawn over it. What cannot be read in time is left out and counted.
///
/// Beside ``DisplayLoop`` and not in it: here no way may lead around the reader. Runs on a thread of its own and is used by that thread only.
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
    /// Where frames go; nil where they are only read.
    private let output: LiveOutput?
    private var pacer: FramePacer
    private var stage: HidingStage?
    private var revision = 0
    private var connection = 0
    private var held: [Held] = []
    private let limit: HoldingLimit
    /// How many frames were refused because reading is behind, but for those that the stage of now refused; and because of their memory.
    private var lateFrames = 0
    private var framesWithoutMemory = 0
    private var hasToldOfMemory = false

    /// So many times the delay may pass without another frame before the picture counts as standing.
    private static let standing = 2

    /// - Parameters:
    ///   - latency: how much later than their time the output shows all frames.
    ///   - makeStage: begins to read for what is searched for now.
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
            switch frames.pull(within: rest) {
            case .sample(let sample, let connection): take(sample, connection)
            case .nothing: continue
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

    /// How long nothing is to be done; nil for as long as nothing happens.
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

    /// The stage that reads for what is searched for now. What came before is still read for what was.
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

    /// The connection is over: what comes has nothing to do with what came.
    private mutating func forget() {
        if let stage {
            lateFrames += stage.refusedFrames
            stage.interrupt()
        }
        stage = nil
        held = []
    }

    // MARK: Output

    /// Passes on what was read and whose time has come.
    private mutating func sendReady() {
        while let first = held.first {
            let waited = ContinuousClock.now - first.frame.arrival
            guard waited >= delay || !frames.isLive && output?.pipeline.hasPacingSink != true,
                first.stage.isReady(first.frame.time, isStanding: waited >= delay * Self.standing || isCutShort(first))
            else { return }
            send(held.removeFirst())
        }
    }

    /// There is no memory for all that would be looked at behind a frame.
    private func isCutShort(_ held: Held) -> Bool { room == .noMemory && !held.stage.isTaken(held.frame.time) }

    /// Passes on all that is held and was read, or will be.
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

    /// Ends the output. Where it is one with the source, takes what still comes, so that the end of the stream gets through and files are
    /// completed.
    private mutating func finish() {
        // Frames that were read by now still go on.
        sendRead()
        forget()
        tellOfRefusals()
        output?.overlay?.endOfStream()
        output?.sound?.finish()
        guard frames.isShared else { return }
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            if case .endOfStream = frames.pull(within: deadline - .now) { return }
        }
    }

    private mutating func sendRead() {
        while let first = held.first, first.stage.isReady(first.frame.time, isStanding: true) {
            send(held.removeFirst())
        }
    }

    private func tellOfRefusals() {
        if lateFrames > 0 {
            session.report.warn(
                FramegrepError(
                    .pipelineFailed,
                    "\(lateFrames) frames were left out, because they could not be read in time: a smaller picture, --level fast or a longer "
                        + "--overlay-delay helps."))
        }
        if framesWithoutMemory > 0 {
            session.report.warn(
                FramegrepError(
                    .pipelineFailed,
                    "\(framesWithoutMemory) frames were left out, because as many as --overlay-delay asks for do not fit into \(limit.megabytes) MB: "
                        + "a shorter one or a smaller picture helps."))
        }
    }

    /// A file waits where a camera's frames are left out: it is shown more slowly then.
    private mutating func tellOfMemory() {
        guard !hasToldOfMemory else { return }
        hasToldOfMemory = true
        session.report.warn(
            FramegrepError(
                .pipelineFailed,
                "As many frames as --overlay-delay asks for do not fit into \(limit.megabytes) MB, so that they are shown more slowly: a shorter one or "
                    + "a smaller picture helps."))
    }
}

/// How many frames are held on their way: as much of the stream as the delay asks for and a moment more, in so many bytes.
struct HoldingLimit: Sendable {
    /// Whether there is room for another frame.
    enum Room: Sendable, Hashable {
        case enough
        /// As much is held as is to be: what came first is late.
        case full
        /// Less is held than the delay asks for, and takes all the memory there is.
        case noMemory
    }

    /// So much later than it came a frame goes on.
    let delay: StreamTime
    var mostBytes = 1 << 30

    /// With no frame to spare, every hesitation would slow a file down.
    private static let spare = StreamTime(seconds: 0.25)
    /// A camera's frames cannot wait anywhere else while a reading takes longer than usual, as the first one does.
    private static let patience = StreamTime(seconds: 4)

    /// So many of a file's frames are taken in any case, so that several can be read at the same time.
    private static let leastFrames = 60

    var megabytes: Int { mostBytes >> 20 }

    /// - Parameters:
    ///   - span: how much of the stream lies between the first frame that is held and the last.
    ///   - frames: how many are held.
    ///   - bytes: what all of them take.
    ///   - isLive: frames come when they come.
    func room(beside span: StreamTime, frames: Int, bytes: Int, isLive: Bool) -> Room {
        if bytes >= mostBytes { return span < delay ? .noMemory : .full }
        if isLive { return span < delay + Self.patience ? .enough : .full }
        return span < delay + Self.spare || frames < Self.leastFrames ? .enough : .full
    }
}

/// Passes on what stages tell, counts sightings, and ends the job where one of them fails. Thread-safe.
final class HidingReport: Sendable {
    private let count = Atomic<Int>(0)
    private let report: LiveReport
    private let life: JobLife

    init(_ report: LiveReport, _ life: JobLife) {
        self.report = report
        self.life = life
    }

    /// How many there were.
    var sightings: Int { count.load(ordering: .relaxed) }

    /// Where a new stage tells what happens. Its end is not the job's: another one may follow.
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
