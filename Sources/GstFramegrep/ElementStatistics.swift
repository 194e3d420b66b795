import CGStreamer
import Spotter
import Synchronization

/// How long frames keep the stream's thread: all that is done for a frame from its coming to its going on. Thread-safe.
final class AddedTime: Sendable {
    private struct State {
        var begun: ContinuousClock.Instant?
        var spent = Duration.zero
        var recent: [Double] = []
        var position = 0
        var count: UInt64 = 0
    }

    /// The number of frames in the figures.
    private static let memory = 512

    private let state = Mutex(State())

    /// How many frames there were.
    var count: UInt64 { state.withLock { $0.count } }

    /// The thread has come to do something for a frame.
    func begin() { state.withLock { $0.begun = .now } }

    /// The thread goes; the work for the frame may go on later.
    func pause() {
        state.withLock { state in
            guard let begun = state.begun else { return }
            state.spent += .now - begun
            state.begun = nil
        }
    }

    /// The frame is done with.
    func next() {
        state.withLock { state in
            let milliseconds =
                Double(state.spent.components.attoseconds) / 1e15 + Double(state.spent.components.seconds) * 1e3
            (state.spent, state.count) = (.zero, state.count + 1)
            if state.recent.count < Self.memory {
                state.recent.append(milliseconds)
            } else {
                state.recent[state.position] = milliseconds
                state.position = (state.position + 1) % Self.memory
            }
        }
    }

    /// In milliseconds: the median, and what 95 of 100 frames stay below.
    var percentiles: (p50: Double, p95: Double) {
        let sorted = state.withLock { $0.recent }.sorted()
        guard !sorted.isEmpty else { return (0, 0) }
        return (sorted[sorted.count / 2], sorted[min(sorted.count - 1, sorted.count * 95 / 100)])
    }
}

/// The value of the property `stats`.
struct ElementStatistics {
    let mode: ElementMode
    /// The engine in use; nil until it is known.
    let engine: String?
    /// Nil while nothing is searched.
    let figures: LiveStatistics?
    let sightings: Int
    let added: (p50: Double, p95: Double)
    let frames: UInt64

    /// A new GstStructure, the caller's.
    var structure: UnsafeMutablePointer<GstStructure> {
        let fields = Fields(named: "framegrep-stats")
        fields.set("mode", mode == .auto ? "auto" : mode == .live ? "live" : "complete")
        fields.set("engine", engine ?? "")
        fields.set("frames", frames)
        fields.set("sightings", UInt64(clamping: sightings))
        fields.set("added_ms_p50", added.p50)
        fields.set("added_ms_p95", added.p95)
        let figures = figures ?? LiveStatistics()
        fields.set("fps_in", figures.framesIn)
        fields.set("fps_read", figures.framesRead)
        fields.set("skipped", UInt64(clamping: figures.skipped))
        fields.set("unchanged", UInt64(clamping: figures.unchanged))
        fields.set("read_ms_p50", figures.readMilliseconds.p50)
        fields.set("read_ms_p95", figures.readMilliseconds.p95)
        fields.set("staleness_ms_p50", figures.stalenessMilliseconds.p50)
        fields.set("staleness_ms_p95", figures.stalenessMilliseconds.p95)
        fields.set("memory_mib", figures.memoryMebibytes)
        return fields.structure
    }
}
