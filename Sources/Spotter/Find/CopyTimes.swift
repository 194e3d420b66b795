import TextSpotting

/// When each frame of a copy is shown: at its own time, but never before the frame in front of it, and never at no time at
/// all, since no file can hold that.
struct CopyTimes: Sendable {
    private var last: StreamTime?
    private var offset = StreamTime.zero
    /// When the last frame is over.
    private(set) var end = StreamTime.zero

    /// - Parameter running: the frame's own running time; nil where it has none, and then it follows the one before.
    mutating func next(_ running: StreamTime?, duration: StreamTime) -> StreamTime {
        var time = running.map { $0 + offset } ?? end
        if let last, time <= last {
            // Times that jump back go on from where they were.
            time = max(end, last + StreamTime(nanoseconds: 1))
            if let running { offset = time - running }
        }
        last = time
        end = time + duration
        return time
    }
}
