import GStreamerMedia
import Spotter
import TextSpotting

/// A frame that came and is still to go on.
final class HeldPassingFrame {
    /// Nil once it has gone on.
    var frame: PassingFrame?
    /// The stage that searches the frame, and the frame's time there; nil for a frame that is not searched.
    let place: (stage: ElementStage, time: FrameTime)?

    init(_ frame: consuming PassingFrame, _ place: (stage: ElementStage, time: FrameTime)?) {
        self.frame = consume frame
        self.place = place
    }
}

/// The frames that came and are still to go on, in their order. Used by the stream's thread only.
///
/// Buffering: as many as fit into the delay, at most ``limit``; then the oldest goes on at once.
struct HeldFrames {
    /// Bounds memory at high rates: a second at 120 frames a second.
    static let limit = 120

    private var frames: [HeldPassingFrame] = []
    private var newest = StreamTime.zero

    var count: Int { frames.count }

    mutating func hold(_ frame: HeldPassingFrame) {
        frames.append(frame)
        if let time = frame.place?.time { newest = time.start }
    }

    /// The oldest frame, where its time has come.
    ///
    /// - Parameters:
    ///   - delay: how much later than it came a frame goes on.
    ///   - all: take it whether its time has come or not.
    mutating func next(after delay: StreamTime, all: Bool) -> HeldPassingFrame? {
        guard let first = frames.first else { return nil }
        if !all, frames.count <= Self.limit, let (stage, time) = first.place {
            guard delay == .zero || newest - time.start >= delay, stage.search.isReady(time) else { return nil }
        }
        return frames.removeFirst()
    }

    mutating func removeAll() { frames = [] }
}
