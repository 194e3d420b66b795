import GStreamerMedia
import TextSpotting

/// The lines of a search of a recording in the debug category `framegrep`; docs/DEBUGGING.md shows them.
extension DebugLog {
    /// The gate's decision about a frame.
    static func tell(of decision: ChangeGate.Decision, at time: FrameTime) {
        if let lost = decision.readsPrevious {
            debug("reads \(lost.sentence) of frame \(time.index - 1): what stood there is gone in the next")
        }
        guard let reads = decision.reads, let reason = decision.reason else {
            return log(
                "frame \(time.index) at \(time.start.seconds) s is not read\(decision.isRepeat ? ": it repeats" : "")")
        }
        let (dx, dy) = (decision.displacement.dx, decision.displacement.dy)
        debug(
            "reads \(reads.sentence) of frame \(time.index) at \(time.start.seconds) s: \(reason)"
                + (dx == 0 && dy == 0 ? "" : "; the rest moved by \(dx), \(dy)"))
    }

    /// The result of a reading, and how long it took from when its picture was there: waiting for the reading before included.
    static func tell(of tracker: TextTracker, at time: FrameTime, after duration: Duration) {
        debug(
            "read frame \(time.index) within \(Int(duration.milliseconds)) ms: \(tracker.linesRead) lines recognized, "
                + "\(tracker.linesKnown) known from before, \(tracker.visible.count) in view")
    }
}

extension TileMask {
    fileprivate var sentence: String { isEmpty ? "nothing" : "\(Int((share * 100).rounded(.up))) %" }
}
