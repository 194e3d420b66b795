import Glibc

/// Waits for news of the desktop, or until another thread has some. The owner of a pipe; any thread may ``wake()`` it.
public final class DesktopWait: Sendable {
    private let descriptor: Int32
    private let other: Int32

    public init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    /// Ends the wait, or the next one.
    public func wake() { _ = write(other, "!", 1) }

    /// Waits on the calling thread.
    ///
    /// - Parameters:
    ///   - descriptors: of what may have news.
    ///   - time: at most; nil without an end.
    public func wait(for descriptors: [Int32], atMost time: Duration?) {
        var places = ([descriptor] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = time.map { time in
            let (seconds, attoseconds) = time.components
            // Rounded up, so that a short rest is no busy loop.
            return Int32(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
        }
        _ = poll(&places, nfds_t(places.count), milliseconds ?? -1)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
