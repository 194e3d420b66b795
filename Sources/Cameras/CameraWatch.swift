import CVideo4Linux
import Errors
import Glibc
import TextSpotting

/// Notices video devices that come and go, by watching `/dev`.
///
/// That works with and without a device manager (udev); a change of permissions counts too, because a device that was
/// just plugged in is given to its group a moment later. One owner; used by one thread at a time.
struct CameraWatch: ~Copyable, Sendable {
    private let descriptor: Int32

    /// - Throws: ``FramegrepError`` `.sourceUnavailable` if the system has no more watches to give.
    init() throws(FramegrepError) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        let events = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB)
        guard descriptor >= 0, inotify_add_watch(descriptor, "/dev", events) >= 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw FramegrepError(.sourceUnavailable, "The folder /dev cannot be watched: \(reason).")
        }
    }

    deinit { close(descriptor) }

    /// Waits, on the calling thread, until a video device came, went or changed, or the time is over.
    ///
    /// - Returns: whether something happened.
    func wait(_ milliseconds: Int) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, Int32(clamping: milliseconds)) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 16384)
        var isVideo = false
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return isVideo }
            isVideo = isVideo || Self.names(in: bytes.prefix(count)).contains { $0.hasPrefix("video") }
        }
    }

    /// The names in a row of `struct inotify_event` (inotify(7)): four 32-bit numbers, the last of which is the length of
    /// the name that follows.
    private static func names(in bytes: ArraySlice<UInt8>) -> [String] {
        var names: [String] = []
        var rest = bytes
        while rest.count >= 16 {
            let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 16 + length else { break }
            names.append(String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(16 + length)
        }
        return names
    }
}
