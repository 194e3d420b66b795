internal import Glibc

/// Sleeping on a thread of one's own; tasks use `Task.sleep`.
public enum BlockingSleep {
    /// Blocks the calling thread for this long; not at all where it is not positive.
    public static func sleep(_ duration: Duration) {
        guard duration > .zero else { return }
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
