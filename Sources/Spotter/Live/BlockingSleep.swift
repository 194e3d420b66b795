import Glibc

/// Sleeping on a thread of one's own; tasks use `Task.sleep`.
enum BlockingSleep {
    static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
