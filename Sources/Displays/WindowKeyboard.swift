import CX11
import Foundation
import Glibc

/// The keys that are pressed in another's window, with what they type.
///
/// GStreamer's windows tell only the name that a key has by itself, in the first layout and without Shift. Any program may
/// listen to a window's keys beside its owner, so this one does, with a connection and a thread of its own.
public final class WindowKeyboard: Sendable {
    private let wake: WakeUp

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - window: X's number of it.
    ///   - display: the server's name; nil for the one that the environment names.
    ///   - press: called on the thread of this keyboard.
    /// - Returns: nil where there is no such window.
    public init?(window: UInt, display: String?, press: @escaping @Sendable (KeyPress) -> Void) {
        guard let connection = DisplayConnection(display) else { return nil }
        var attributes = XWindowAttributes()
        guard XGetWindowAttributes(connection.pointer, Window(window), &attributes) != 0 else { return nil }
        XSelectInput(connection.pointer, Window(window), Int(KeyPressMask))
        XSync(connection.pointer, 0)
        guard let wake = WakeUp() else { return nil }
        self.wake = wake
        let locale = Composer.locale(in: ProcessInfo.processInfo.environment)
        // The connection is the thread's alone: closing it would stop whoever does when the server is gone.
        let thread = Thread { Self.listen(connection, wake, Composer(locale: locale), press) }
        thread.name = "framegrep-keys"
        thread.start()
    }

    /// Listens no longer; returns at once.
    public func close() { wake.call() }

    deinit { close() }

    /// The thread's work, until it is woken.
    private static func listen(
        _ connection: DisplayConnection, _ wake: WakeUp, _ composer: consuming Composer,
        _ press: (KeyPress) -> Void
    ) {
        var places = [XConnectionNumber(connection.pointer), wake.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while true {
            while XPending(connection.pointer) > 0 {
                var event = XEvent()
                XNextEvent(connection.pointer, &event)
                switch event.type {
                case MappingNotify: XRefreshKeyboardMapping(&event.xmapping)
                case CX11.KeyPress: if let key = connection.press(&event.xkey, composer) { press(key) }
                default: continue
                }
            }
            guard poll(&places, nfds_t(places.count), -1) >= 0 || errno == EINTR else { return }
            if places[1].revents != 0 { return }
        }
    }
}

/// Ends a thread's waiting in `poll`: the owner of a pipe.
private final class WakeUp: Sendable {
    /// The end that can be read from once it was called.
    let descriptor: Int32
    private let other: Int32

    /// Nil where the process has no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (descriptor, other) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    func call() { _ = write(other, "!", 1) }

    deinit {
        close(descriptor)
        close(other)
    }
}
