import GStreamerMedia
import Synchronization
import TextSpotting

/// What the parts of a running live job share: its control state, measurements and events. Thread-safe.
///
/// The display thread, the reader and the bus task do not know each other; each looks here.
final class LiveSession: Sendable {
    private struct State {
        var isStopping = false
        var isFrozen = false
        var sourceState = OverlayStatus.State.opening
        var meter = LiveMeter()
        var latest = LiveStatistics()
        var time = StreamTime.zero
        var lastFrame: ContinuousClock.Instant?
        var awaitingBox: [Int: (sighting: Sighting, arrival: ContinuousClock.Instant)] = [:]
        var sightings = 0
        var end: (reason: LiveEnd.Reason, failure: FramegrepError?)?
    }

    let settings: LiveSettings
    let words: SearchedWords
    /// Zoom, torch and the like; nil where the source has no controls at all.
    let camera: (any CameraControls)?
    let board = BoxBoard()
    let slot = LatestSlot<LiveFrame>()
    let trail = LiveTrail()
    let window = LiveWindow()
    let snapshots: Snapshots
    let closely: CloseReading
    let advice = Mutex(PictureAdvisor())
    private let report: @Sendable (LiveEvent) -> Void
    private let state = Mutex(State())

    init(
        settings: LiveSettings, words: SearchedWords, camera: (any CameraControls)? = nil,
        report: @escaping @Sendable (LiveEvent) -> Void
    ) {
        self.settings = settings
        self.words = words
        self.camera = camera
        self.report = report
        snapshots = Snapshots(folder: settings.snapshotFolder)
        closely = CloseReading(settings.closeReader)
    }

    // MARK: Control

    var isStopping: Bool { state.withLock { $0.isStopping } }
    var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// Ends the job; the first reason counts.
    func end(_ reason: LiveEnd.Reason, failure: FramegrepError? = nil) {
        state.withLock { state in
            state.isStopping = true
            state.end = state.end ?? (reason, failure)
        }
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
        enter(isFrozen ? .paused : .running, isFrozen ? "frozen" : "")
    }

    func enter(_ new: OverlayStatus.State, _ message: String = "") {
        let changed = state.withLock { state in
            defer { state.sourceState = new }
            return state.sourceState != new
        }
        if changed { report(.state(new, message: message)) }
    }

    /// What the status line says now.
    var status: OverlayStatus {
        state.withLock { state in
            OverlayStatus(
                searched: words.texts, matches: 0, state: state.sourceState,
                readingsPerSecond: state.meter.readings > 0 ? state.latest.framesRead : nil)
        }
    }

    // MARK: Measurements

    func frameArrived(at time: StreamTime) {
        state.withLock { state in
            state.time = time
            state.lastFrame = .now
        }
        if state.withLock({ $0.sourceState == .opening || $0.sourceState == .stalled }) { enter(.running) }
    }

    func foundUnchanged() { state.withLock { $0.meter.foundUnchanged() } }

    func read(in duration: Duration) { state.withLock { $0.meter.read(in: duration) } }

    /// A frame was handed on with these boxes.
    ///
    /// - Parameter displayed: from pixels of the frame as stored to those of the picture as displayed.
    func showed(_ boxes: [FollowedBox], at time: StreamTime, displayed: (Quad) -> Quad) {
        let oldest = boxes.map(\.readAt).min().map { max(.zero, time - $0) }
        let drawn = state.withLock { state in
            state.meter.showed(staleness: oldest)
            return boxes.compactMap { state.awaitingBox.removeValue(forKey: $0.id) }
        }
        for (sighting, arrival) in drawn { report(.appeared(sighting, at: time, latency: .now - arrival)) }
        guard settings.reportsBoxes else { return }
        for box in boxes { report(.box(id: box.id, displayed(box.quad), at: time)) }
    }

    /// Reports the last second, and a source that has gone silent.
    ///
    /// - Parameters:
    ///   - received: frames that reached the program, from the beginning.
    ///   - window: what the window showed and threw away as too late; nil where there is none.
    func tick(received: Int, window: (rendered: Int, dropped: Int)?) {
        let (statistics, time, isSilent) = state.withLock { state in
            state.latest = state.meter.report(received: received, window: window, skipped: slot.skipped)
            let isSilent = state.lastFrame.map { .now - $0 > settings.stallTime } ?? false
            return (state.latest, state.time, isSilent && state.sourceState == .running)
        }
        report(.statistics(statistics, at: time))
        if isSilent { enter(.stalled, "no frame for \(settings.stallTime.components.seconds) s") }
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
        enter(failure == nil ? .ended : .failed, failure?.message ?? "")
        report(.end(end))
        return end
    }
}
