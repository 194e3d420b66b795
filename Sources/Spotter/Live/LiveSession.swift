import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// What the parts of a running live job share: its control state, measurements and events. Thread-safe.
///
/// The display thread, the reader and the bus task do not know each other; each looks here.
final class LiveSession: Sendable {
    private struct State {
        var isStopping = false
        var isFrozen = false
        var source: SourceLife
        var said: (state: OverlayStatus.State, message: String)?
        var whenStopping: [@Sendable () -> Void] = []
        var meter = LiveMeter()
        var latest = LiveStatistics()
        var time = StreamTime.zero
        var awaitingBox: [Int: (sighting: Sighting, arrival: ContinuousClock.Instant)] = [:]
        var sightings = 0
        var end: (reason: LiveEnd.Reason, failure: FramegrepError?)?

        /// The source's state, as long as the person has not stopped the picture.
        var shown: OverlayStatus.State { isFrozen && source.state == .running ? .paused : source.state }
    }

    let settings: LiveSettings
    let words: SearchedWords
    /// Zoom, torch and the like; nil where the source has no controls at all.
    let camera: (any CameraControls)?
    /// Hears of the camera's own controls whenever it is opened.
    private let controls: SourceControls?
    let board = BoxBoard()
    let slot = LatestSlot<LiveFrame>()
    let trail = LiveTrail()
    let window = LiveWindow()
    let snapshots: Snapshots
    let closely: CloseReading
    let advice = Mutex(PictureAdvisor())
    private let report: @Sendable (LiveEvent) -> Void
    private let state: Mutex<State>

    init(
        settings: LiveSettings, words: SearchedWords, policy: LossPolicy = .none, controls: SourceControls? = nil,
        report: @escaping @Sendable (LiveEvent) -> Void
    ) {
        self.settings = settings
        self.words = words
        self.controls = controls
        camera = controls
        self.report = report
        snapshots = Snapshots(folder: settings.snapshotFolder)
        closely = CloseReading(settings.closeReader)
        state = Mutex(State(source: SourceLife(policy: policy, stallTime: settings.stallTime)))
    }

    // MARK: Control

    var isStopping: Bool { state.withLock { $0.isStopping } }
    var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// Ends the job; the first reason counts.
    func end(_ reason: LiveEnd.Reason, failure: FramegrepError? = nil) {
        let actions = state.withLock { state in
            defer { state.whenStopping = [] }
            state.isStopping = true
            state.end = state.end ?? (reason, failure)
            return state.whenStopping
        }
        actions.forEach { $0() }
    }

    /// Has `action` called once when the job is to stop; at once when it is already.
    func whenStopping(_ action: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            if !state.isStopping { state.whenStopping.append(action) }
            return state.isStopping
        }
        if isStopping { action() }
    }

    var endReason: (reason: LiveEnd.Reason, failure: FramegrepError?) {
        state.withLock { $0.end ?? (.eos, nil) }
    }

    func toggleFreeze() {
        let isFrozen = state.withLock { state in
            state.isFrozen.toggle()
            return state.isFrozen
        }
        if !isFrozen { closely.cancel() }
        sayState()
    }

    // MARK: Source

    /// The source is about to be opened.
    func sourceOpening(_ opening: LiveSource.Opening) {
        controls?.attach(opening.controls)
        state.withLock { $0.source.opening(opening.nature) }
        sayState()
    }

    /// No frame has come for a time; the answer is what to do about it.
    func sourceSilent(for time: Duration, held: Duration) -> SourceLife.Action {
        guard !isFrozen else { return .none }
        return change { $0.silent(for: time, held: held) }
    }

    func sourceLost(_ failure: FramegrepError, held: Duration) -> SourceLife.Action {
        controls?.attach(nil)
        return change { $0.lost(failure, held: held) }
    }

    func sourceEnded(isComplete: Bool, held: Duration) -> SourceLife.Action {
        change { $0.ended(isComplete: isComplete, held: held) }
    }

    private func change(_ body: (inout SourceLife) -> SourceLife.Action) -> SourceLife.Action {
        let action = state.withLock { body(&$0.source) }
        sayState()
        return action
    }

    /// Reports the state where it is another than was said last.
    func sayState() {
        let news = state.withLock { state -> (OverlayStatus.State, String)? in
            let now = (state.shown, state.shown == .paused ? "frozen" : state.source.message)
            if let said = state.said, said == now { return nil }
            state.said = now
            return now
        }
        if let (state, message) = news { report(.state(state, message: message)) }
    }

    /// What the status line says now.
    var status: OverlayStatus {
        state.withLock { state in
            OverlayStatus(
                searched: words.texts, matches: 0, state: state.shown,
                readingsPerSecond: state.meter.readings > 0 ? state.latest.framesRead : nil)
        }
    }

    // MARK: Measurements

    func frameArrived(at time: StreamTime) {
        let isNews = state.withLock { state in
            defer { state.source.frameArrived() }
            state.time = time
            return state.source.state != .running
        }
        if isNews { sayState() }
    }

    /// So many frames wait to be shown.
    func holding(_ count: Int) { state.withLock { $0.meter.held = count } }

    func foundUnchanged() { state.withLock { $0.meter.foundUnchanged() } }

    /// A frame was read.
    var hasRead: Bool { state.withLock { $0.meter.readings > 0 } }

    func read(in duration: Duration) { state.withLock { $0.meter.read(in: duration) } }

    /// A frame was handed on with these boxes.
    ///
    /// - Parameter displayed: from pixels of the frame as stored to those of the picture as displayed.
    func showed(_ boxes: [FollowedBox], at time: StreamTime, displayed: (Quad) -> Quad) {
        // Where the picture is shown later than it came, the reading may be younger than the frame.
        let oldest = boxes.map { max(time - $0.readAt, $0.readAt - time) }.max()
        let drawn = state.withLock { state in
            state.meter.showed(staleness: oldest)
            return boxes.compactMap { state.awaitingBox.removeValue(forKey: $0.id) }
        }
        for (sighting, arrival) in drawn { report(.appeared(sighting, at: time, latency: .now - arrival)) }
        guard settings.reportsBoxes else { return }
        for box in boxes { report(.box(id: box.id, displayed(box.quad), at: time)) }
    }

    /// Reports the last second.
    ///
    /// - Parameters:
    ///   - received: frames that reached the program, from the beginning.
    ///   - window: what the window showed and threw away as too late; nil where there is none.
    func tick(received: Int, window: (rendered: Int, dropped: Int)?) {
        let (statistics, time) = state.withLock { state in
            state.latest = state.meter.report(received: received, window: window, skipped: slot.skipped)
            return (state.latest, state.time)
        }
        report(.statistics(statistics, at: time))
    }

    // MARK: Sightings

    /// A pattern appeared in a frame that came at `arrival`; it is reported once its box is drawn.
    func appeared(_ sighting: Sighting, arrival: ContinuousClock.Instant, isShown: Bool) {
        state.withLock { state in
            state.sightings += 1
            if isShown { state.awaitingBox[sighting.id] = (sighting, arrival) }
        }
        if !isShown { report(.appeared(sighting, at: sighting.start, latency: .now - arrival)) }
    }

    /// A sighting is over. One whose box was never drawn is reported as appeared first, so that events pair up.
    func disappeared(_ sighting: Sighting) {
        let (waiting, time) = state.withLock { ($0.awaitingBox.removeValue(forKey: sighting.id), $0.time) }
        if let waiting { report(.appeared(waiting.sighting, at: time, latency: .now - waiting.arrival)) }
        report(.disappeared(sighting, at: time))
    }

    func warn(_ warning: FramegrepError) { report(.warning(warning)) }

    /// A picture was kept that the person wanted.
    func snapshotWasSaved(_ path: String) { report(.snapshot(path: path, at: state.withLock { $0.time })) }

    /// The last event.
    func finish() -> LiveEnd {
        let (reason, failure) = endReason
        let end = state.withLock { state in
            var totals = state.latest
            totals.skipped = slot.skipped
            totals.unchanged = state.meter.unchanged
            return LiveEnd(
                reason: reason, sightings: state.sightings, statistics: totals, time: state.time, failure: failure)
        }
        report(.state(failure == nil ? .ended : .failed, message: failure?.message ?? ""))
        report(.end(end))
        return end
    }
}
