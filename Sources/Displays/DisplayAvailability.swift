import Dispatch
import Foundation
import Synchronization

/// Whether a window could be opened.
public enum DisplayAvailability: Sendable, Hashable {
    /// An X server answers.
    case x11
    /// A Wayland compositor answers, and no X server does.
    case wayland
    /// Neither; the reason is a sentence, and empty if none is named at all.
    case none(reason: String)

    public var isNone: Bool { if case .none = self { true } else { false } }

    /// How long a server may take to answer.
    private static let patience = Duration.seconds(5)

    /// The connections that were answered. They stay open, because a server without clients may begin anew (Xvfb) or end, and
    /// the window that is asked for could not be opened then.
    private static let kept = Mutex<[String: DisplayConnection]>([:])

    /// The state of the display servers that this process's environment names. Connects to them, which takes a millisecond or, if they do
    /// not answer, seconds.
    public static var current: DisplayAvailability { self.in(environment: ProcessInfo.processInfo.environment) }

    /// The state of the display servers that an environment names: X's first, because only its windows report keys.
    public static func `in`(environment: [String: String]) -> DisplayAvailability {
        let set = environment.filter { !$0.value.isEmpty }
        var reason = ""
        if let display = set["DISPLAY"] {
            guard let problem = problem(ofServer: display) else { return .x11 }
            reason = problem
        }
        return hasCompositor(set) ? .wayland : .none(reason: reason)
    }

    /// Whose screen a person sees: Wayland's where the environment names a compositor that answers, though an X server answers too. That is
    /// there for older programs, and shows none of the others. `XDG_SESSION_TYPE=x11` says that it is X's all the same.
    public static func ofScreen(in environment: [String: String]) -> DisplayAvailability {
        let set = environment.filter { !$0.value.isEmpty }
        if set["WAYLAND_DISPLAY"] != nil, set["XDG_SESSION_TYPE"] != "x11", hasCompositor(set) { return .wayland }
        return self.in(environment: environment)
    }

    private static func hasCompositor(_ set: [String: String]) -> Bool {
        // As libwayland looks for it.
        let name = set["WAYLAND_DISPLAY"] ?? "wayland-0"
        let path = name.hasPrefix("/") ? name : set["XDG_RUNTIME_DIR"].map { $0 + "/" + name }
        return path.map(UnixSocket.answers) ?? false
    }

    /// Why no window can be opened on an X server, as a sentence; nil when one can.
    public static func problem(ofServer name: String) -> String? {
        let answer = Answer()
        // Xlib waits for the answer without end, on a thread of its own that is then left behind.
        let thread = Thread {
            let connection = DisplayConnection(name)
            let earlier = kept.withLock { kept in connection.flatMap { kept.updateValue($0, forKey: name) } }
            answer.give(connection != nil)
            // Closed on this thread, which is free to wait: the server may be gone.
            withExtendedLifetime(earlier) {}
        }
        thread.name = "framegrep-connect"
        thread.start()
        switch answer.wait(patience) {
        case true: return nil
        case false: return "The X server “\(name)” cannot be reached."
        case nil: return "The X server “\(name)” does not answer."
        }
    }
}

/// An answer that is given on one thread and waited for, not too long, on another.
private final class Answer: Sendable {
    private let value = Mutex<Bool?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ answer: Bool) {
        value.withLock { $0 = answer }
        isGiven.signal()
    }

    /// Nil when none came in time.
    func wait(_ patience: Duration) -> Bool? {
        _ = isGiven.wait(timeout: .now() + .seconds(Int(patience.components.seconds)))
        return value.withLock { $0 }
    }
}

private enum UnixSocket {
    /// Whether a server listens at a path.
    static func answers(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard bytes.count < place.count else { return false }
            place.copyBytes(from: bytes)
            return true
        }
        let descriptor = fits ? socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) : -1
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
