import CX11
import Glibc
import Synchronization

/// Reports failures of the X server, or of the connection to it, that affect windows of this process. Thread-safe.
///
/// By itself Xlib ends the program (`exit(1)`) when a connection breaks, and when a request fails, as it does for a window that another
/// program has destroyed: recordings would be left incomplete, and the exit status would say that nothing was found. It knows one handler
/// for the whole process, so there is one here too.
public enum DisplayErrors {
    public enum Problem: Sendable, Hashable {
        /// The connection to this server broke. The thread that noticed never goes on: Xlib must not be returned to.
        case lost(display: String)
        /// This window is not there any more.
        case noWindow(UInt)
    }

    private struct State {
        var watchers: [Int: @Sendable (Problem) -> Void] = [:]
        var next = 0
    }

    private static let state = Mutex(State())

    /// Xlib's errors come here from now on. Before anything else of Xlib, because it also makes Xlib lock its connections.
    public static func take() { _ = taken }

    private static let taken: Bool = {
        XInitThreads()
        XSetIOErrorHandler(connectionBroke)
        XSetErrorHandler(requestFailed)
        return true
    }()

    /// Has `watcher` called with each problem until ``unwatch(_:)``, on the thread that met it: it must be quick, and must not
    /// use Xlib.
    public static func watch(_ watcher: @escaping @Sendable (Problem) -> Void) -> Int {
        take()
        return state.withLock { state in
            state.next += 1
            state.watchers[state.next] = watcher
            return state.next
        }
    }

    public static func unwatch(_ id: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: id) } }

    fileprivate static func tell(_ problem: Problem) {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher(problem) }
    }
}

/// `XIOErrorHandler`, on whichever thread used the connection. Xlib ends the program once it returns, so it does not.
private func connectionBroke(_ display: OpaquePointer?) -> Int32 {
    let name = display.flatMap { XDisplayString($0) }.map { String(cString: $0) } ?? ""
    DisplayErrors.tell(.lost(display: name))
    while true { pause() }
}

/// `XErrorHandler`: sinks set their own where they try something out; errors that arrive here were not expected.
private func requestFailed(_ display: OpaquePointer?, _ event: UnsafeMutablePointer<XErrorEvent>?) -> Int32 {
    if let event, [UInt8(BadWindow), UInt8(BadDrawable)].contains(event.pointee.error_code) {
        DisplayErrors.tell(.noWindow(UInt(event.pointee.resourceid)))
    }
    return 0
}
