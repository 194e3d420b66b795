import Synchronization
import TextSpotting

/// The last seconds of the searched part of a running picture as thumbnails: made by the display thread, used by the reader
/// to see what changed, and to tell since when, and along which way, words were there. Thread-safe.
///
/// Buffering: what is older than ``memory`` is forgotten.
final class LiveFrameHistory: Sendable {
    private struct State {
        var frames: [FrameHistory.Frame] = []
        /// How the pictures lie in their frames; nil before the first.
        var geometry: FrameGeometry?

        var scale: Double { geometry?.scale ?? 1 }
    }

    /// Longer than a slow reading takes.
    static let memory = StreamTime(seconds: 3)
    /// A bound in frames too, for sources without sensible times.
    static let limit = 240

    private let state = Mutex(State())

    /// - Parameter geometry: how the picture lies in its frame.
    func append(_ frame: FrameHistory.Frame, _ geometry: FrameGeometry) {
        state.withLock { state in
            if state.geometry != geometry { state.frames = [] }
            state.geometry = geometry
            state.frames.append(frame)
            let oldest = frame.time.start - Self.memory
            state.frames.removeAll { $0.time.start < oldest }
            if state.frames.count > Self.limit { state.frames.removeFirst(state.frames.count - Self.limit) }
        }
    }

    /// Forgets everything: what comes has nothing to do with it.
    func clear() { state.withLock { $0.frames = [] } }

    /// The thumbnail of one frame; nil when it is not kept.
    func picture(at index: Int) -> Picture? {
        state.withLock { state in state.frames.last { $0.time.index == index }?.picture }
    }

    /// The frames after the one of number `first` up to and including number `last`, and their scale; none when the last
    /// of them is not kept (any more, or at another scale).
    func frames(after first: Int, through last: Int) -> (frames: [FrameHistory.Frame], scale: Double) {
        state.withLock { state in
            let found = state.frames.filter { $0.time.index > first && $0.time.index <= last }
            return (found.last?.time.index == last ? found : [], state.scale)
        }
    }

    /// The kept frames that begin from `start` up to and including `end`, and how they lie in what is stored; nil before the first
    /// frame of all.
    func frames(
        from start: StreamTime, through end: StreamTime
    ) -> (frames: [FrameHistory.Frame], geometry: FrameGeometry?) {
        state.withLock { state in
            (state.frames.filter { $0.time.start >= start && $0.time.start <= end }, state.geometry)
        }
    }

    /// The kept frames after the one of number `first` that begin up to and including `end`, and how they lie in what is stored.
    func frames(
        after first: Int, upTo end: StreamTime
    ) -> (frames: [FrameHistory.Frame], geometry: FrameGeometry?) {
        state.withLock { state in
            (state.frames.filter { $0.time.index > first && $0.time.start <= end }, state.geometry)
        }
    }
}
