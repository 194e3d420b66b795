import Glibc

/// Wakes a thread that waits in `poll` for a socket. Thread-safe; one thread waits.
final class WakePipe: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        self.ends = (ends[0], ends[1])
    }

    /// A ring is kept until the next wait; of many at least one is.
    func ring() {
        var byte: UInt8 = 1
        _ = write(ends.write, &byte, 1)
    }

    /// Waits until it rings, the socket can be read or written, or the time is over.
    ///
    /// - Parameter socket: negative for none.
    /// - Returns: whether the socket can be read, or is broken, which reading tells.
    func wait(for socket: Int32, toWrite: Bool, atMost time: Duration) -> Bool {
        let (seconds, attoseconds) = max(.zero, time).components
        let milliseconds = min(seconds, 1 << 20) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        var wanted = [
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0), revents: 0),
        ]
        guard poll(&wanted, 2, Int32(milliseconds)) > 0 else { return false }
        if wanted[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(ends.read, &bytes, bytes.count) == bytes.count {}
        }
        return wanted[1].revents & ~Int16(POLLOUT) != 0
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }
}
