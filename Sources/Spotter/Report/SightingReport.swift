import Synchronization
import TextSpotting

/// Reports the sightings of a running picture. Thread-safe.
///
/// The reader finds them, the display draws them: one that is drawn has appeared only once its box has.
final class SightingReport: Sendable {
    private struct State {
        var awaitingBox: [Int: (sighting: Sighting, arrival: ContinuousClock.Instant)] = [:]
        var count = 0
    }

    private let report: LiveReport
    private let measurements: LiveMeasurements
    /// Boxes are drawn on a picture that somebody sees.
    private let isShown: Bool
    /// Each box of each frame is told.
    private let tellsBoxes: Bool
    private let state = Mutex(State())

    init(_ report: LiveReport, _ measurements: LiveMeasurements, isShown: Bool, tellsBoxes: Bool) {
        self.report = report
        self.measurements = measurements
        self.isShown = isShown
        self.tellsBoxes = tellsBoxes
    }

    /// How many there were.
    var count: Int { state.withLock { $0.count } }

    /// A pattern appeared in a frame that came at `arrival`; it is reported once its box is drawn.
    func appeared(_ sighting: Sighting, arrival: ContinuousClock.Instant) {
        state.withLock { state in
            state.count += 1
            if isShown { state.awaitingBox[sighting.id] = (sighting, arrival) }
        }
        if !isShown { report.tell(.appeared(sighting, at: sighting.start, latency: .now - arrival)) }
    }

    /// A sighting is over. One whose box was never drawn is reported as appeared first, so that events pair up.
    func disappeared(_ sighting: Sighting) {
        let time = measurements.time
        let waiting = state.withLock { $0.awaitingBox.removeValue(forKey: sighting.id) }
        if let waiting { report.tell(.appeared(waiting.sighting, at: time, latency: .now - waiting.arrival)) }
        report.tell(.disappeared(sighting, at: time))
    }

    /// A frame was handed on with these boxes.
    ///
    /// - Parameter displayed: from pixels of the frame as stored to those of the picture as displayed.
    func drew(_ boxes: [FollowedBox], at time: StreamTime, displayed: (Quad) -> Quad) {
        guard !boxes.isEmpty else { return }
        let drawn = state.withLock { state in boxes.compactMap { state.awaitingBox.removeValue(forKey: $0.id) } }
        for (sighting, arrival) in drawn { report.tell(.appeared(sighting, at: time, latency: .now - arrival)) }
        guard tellsBoxes else { return }
        for box in boxes where box.id >= 0 { report.tell(.box(id: box.id, displayed(box.quad), at: time)) }
    }
}
