import CX11
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Our own connection to an X server; owns one Display. Xlib locks it, so any thread may use it.
// @unchecked: the pointer never changes, and Xlib locks what it points at (XInitThreads).
final class DisplayConnection: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Connects, which may take long if the server does not answer.
    ///
    /// - Parameter name: the server's name, such as `:0`; nil for the one in the environment.
    init?(_ name: String?) {
        DisplayErrors.take()
        guard let opened = XOpenDisplay(name) else { return nil }
        pointer = opened
    }

    deinit { XCloseDisplay(pointer) }

    /// X's number of a name.
    func atom(_ name: String) -> Atom { XInternAtom(pointer, name, 0) }

    /// Reads a property of a window; nil if the window does not have it, or in another form.
    ///
    /// - Parameters:
    ///   - type: the type; 0 for any.
    ///   - longest: in units of four bytes; only the beginning of a longer property is read.
    ///   - removing: whether to delete the property after reading it.
    ///   - body: gets the bytes of a text; for wider units, their number (`count`).
    func withProperty<Result>(
        _ property: Atom, of window: Window, type wanted: Atom = 0, longest: Int, removing: Bool = false,
        _ body: (_ bytes: UnsafePointer<UInt8>, _ format: Int32, _ count: Int) -> Result?
    ) -> Result? {
        var type: Atom = 0
        var format: Int32 = 0
        var (count, rest): (UInt, UInt) = (0, 0)
        var bytes: UnsafeMutablePointer<UInt8>?
        let status = XGetWindowProperty(
            pointer, window, property, 0, longest, removing ? 1 : 0, wanted, &type, &format, &count, &rest, &bytes)
        defer { if let bytes { XFree(bytes) } }
        guard status == 0, count > 0, let bytes else { return nil }
        return body(bytes, format, Int(count))
    }

    /// Translates a key's code with the state of the keyboard that the event reports.
    func symbol(of event: inout XKeyEvent) -> KeySymbol {
        var symbol: KeySym = 0
        // It applies Shift, Lock, the level and the layout; the text that it returns is Latin only, so it is ignored.
        _ = KeySymbol.text(of: 32) { XLookupString(&event, $0, Int32($1), &symbol, nil) }
        return KeySymbol(UInt32(truncatingIfNeeded: symbol))
    }

    /// Translates a key event into a name and typed text.
    func press(_ event: inout XKeyEvent, _ composer: borrowing Composer) -> KeyPress? {
        let symbol = symbol(of: &event)
        let name = symbol.name
        guard !name.isEmpty else { return nil }
        let held = event.state & UInt32(ControlMask | Mod1Mask | Mod4Mask)
        let plain = plainName(of: event)
        let shift = event.state & UInt32(ShiftMask) != 0
        guard held == 0 else {
            return KeyPress(
                name: name, text: nil, plainName: plain, isShortcut: true, holdsControl: held == UInt32(ControlMask),
                holdsShift: shift)
        }
        switch composer.feed(symbol) {
        case .itself: return KeyPress(name: name, text: symbol.text, plainName: plain, holdsShift: shift)
        case .letter(let text): return KeyPress(name: name, text: text, plainName: plain)
        case .waiting, .nothing: return nil
        }
    }

    /// The key's name in the first layout, if the one in use has no Latin letters; else nil.
    private func plainName(of event: XKeyEvent) -> String? {
        let layout = fx11_group(event.state)
        guard layout != 0, let latin = KeySymbol(named: "q") else { return nil }
        let key = XKeysymToKeycode(pointer, KeySym(latin.number))
        let letter = symbol(ofKey: UInt32(key), layout: layout, level: 0).text?.unicodeScalars.first
        // Letters beyond Latin and its extensions only.
        guard let letter, letter.value > 0x24F else { return nil }
        let name = symbol(ofKey: event.keycode, layout: 0, level: event.state & UInt32(ShiftMask) != 0 ? 1 : 0).name
        return name.isEmpty ? nil : name
    }

    private func symbol(ofKey code: UInt32, layout: Int32, level: Int32) -> KeySymbol {
        KeySymbol(
            UInt32(
                truncatingIfNeeded: XkbKeycodeToKeysym(
                    pointer, KeyCode(truncatingIfNeeded: code), layout, level)))
    }
}

/// A key that was pressed in a window, as the user means it.
public struct KeyPress: Sendable, Hashable {
    /// The name of the key together with held modifiers, in X's notation: `q`, `Q`, `question`, `Return`, `Left`.
    public let name: String
    /// The text that it types; nil for a key that types nothing (arrows, Shift, a letter with Control), and for one that is part of a
    /// letter which is still being composed.
    public let text: String?
    /// The name of the same key in the keyboard's first layout, if one without Latin letters is in use: `q` for
    /// `Cyrillic_shorti`. Else the same as ``name``.
    public let plainName: String
    /// Whether Control, Alt or the logo key is pressed: the key is then a command, whatever its letter.
    public let isShortcut: Bool
    /// Whether Control is held, and neither Alt nor the logo key: the key is then a command of this window.
    public let holdsControl: Bool
    /// Whether Shift is held.
    public let holdsShift: Bool

    /// The name of a key that does not exist on a keyboard: its text was copied elsewhere and is now inserted.
    public static let paste = "Paste"

    public init(
        name: String, text: String?, plainName: String? = nil, isShortcut: Bool = false, holdsControl: Bool = false,
        holdsShift: Bool = false
    ) {
        self.name = name
        self.text = isShortcut || holdsControl ? nil : text
        self.plainName = plainName ?? name
        self.isShortcut = isShortcut || holdsControl
        self.holdsControl = holdsControl
        self.holdsShift = holdsShift
    }

    /// Creates a key from its name alone, as reported by windows that apply the keyboard layout themselves.
    public init(named name: String) {
        let text = KeySymbol(named: name)?.text
        // Some windows report the character itself.
        let isCharacter = name.count == 1 && KeySymbol.isPrintable(name)
        self.init(name: name, text: text ?? (isCharacter ? name : nil))
    }
}

/// X's number for the meaning of a key (a keysym).
struct KeySymbol: Hashable {
    let number: UInt32

    init(_ number: UInt32) {
        self.number = number
    }

    /// Returns nil for a name that X does not know.
    init?(named name: String) {
        let number = xkb_keysym_from_name(name, XKB_KEYSYM_NO_FLAGS)
        guard number != 0 else { return nil }
        self.number = number
    }

    /// `q`, `question`, `Cyrillic_shorti`; empty for no symbol.
    var name: String {
        guard number != 0 else { return "" }
        // The longest existing name has 27 characters; the function handles longer ones.
        return Self.text(of: 64) { xkb_keysym_get_name(number, $0, $1) } ?? ""
    }

    /// The character that the key types; nil for keys that do something instead, such as Return and Escape.
    var text: String? {
        Self.text(of: 8) { xkb_keysym_to_utf8(number, $0, $1) }.flatMap { Self.isPrintable($0) ? $0 : nil }
    }

    /// Returns whether all characters of a text are visible or spaces.
    static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Calls a function that writes into a buffer of `size` bytes and returns the text; nil if it writes nothing.
    static func text(of size: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> String? in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, write(start, size) > 0 else { return nil }
            // A lone surrogate is a symbol too, but not text.
            return String(validatingCString: start)
        }
    }
}

/// Reports failures of the X server, or of the connection to it, that affect windows of this process. Thread-safe.
///
/// By default Xlib ends the program (`exit(1)`) when a connection breaks and when a request fails, as one for a window
/// that another program has destroyed does: recordings would be left incomplete, and the exit status would say that
/// nothing was found. Xlib has one handler for the whole process, so there is one here too.
public enum DisplayErrors {
    public enum Problem: Sendable, Hashable {
        /// The connection to this server broke. The thread that noticed never continues, because it must not return to Xlib.
        case lost(display: String)
        /// This window no longer exists.
        case noWindow(UInt)
    }

    private struct State {
        var watchers: [Int: @Sendable (Problem) -> Void] = [:]
        var next = 0
    }

    private static let state = Mutex(State())

    /// Receives Xlib's errors from now on. Call it before any other function of Xlib, because it also makes Xlib lock
    /// its connections.
    public static func take() { _ = taken }

    private static let taken: Bool = {
        XInitThreads()
        XSetIOErrorHandler(connectionBroke)
        XSetErrorHandler(requestFailed)
        return true
    }()

    /// Calls `watcher` with each problem until ``unwatch(_:)``, on the thread on which it occurred. It must be quick, and must not use
    /// Xlib.
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

/// `XErrorHandler`: sinks set their own when they try something; errors that arrive here were not expected.
private func requestFailed(_ display: OpaquePointer?, _ event: UnsafeMutablePointer<XErrorEvent>?) -> Int32 {
    if let event, [UInt8(BadWindow), UInt8(BadDrawable)].contains(event.pointee.error_code) {
        DisplayErrors.tell(.noWindow(UInt(event.pointee.resourceid)))
    }
    return 0
}

/// Whether a window can be opened.
public enum DisplayAvailability: Sendable, Hashable {
    /// An X server answers.
    case x11
    /// A Wayland compositor answers, and no X server does.
    case wayland
    /// Neither answers; the reason is a sentence, or empty if no server is named.
    case none(reason: String)

    public var isNone: Bool { if case .none = self { true } else { false } }

    /// The time within which a server must answer.
    private static let patience = Duration.seconds(5)

    /// The connections that were answered. They stay open, because a server without clients may restart (Xvfb) or end,
    /// and the window could not be opened then.
    private static let kept = Mutex<[String: DisplayConnection]>([:])

    /// The state of the display servers that this process's environment names. Connects to them, which takes a millisecond or, if they do
    /// not answer, seconds.
    public static var current: DisplayAvailability { self.in(environment: ProcessInfo.processInfo.environment) }

    /// Returns the state of the display servers that an environment names: X first, because only its windows report
    /// keys.
    public static func `in`(environment: [String: String]) -> DisplayAvailability {
        let set = environment.filter { !$0.value.isEmpty }
        var reason = ""
        if let display = set["DISPLAY"] {
            guard let problem = problem(ofServer: display) else { return .x11 }
            reason = problem
        }
        return hasCompositor(set) ? .wayland : .none(reason: reason)
    }

    /// Returns whether Wayland or X shows the user's screen. If the environment names a compositor that answers, it is
    /// Wayland, even if an X server answers too: that one serves older programs and shows no others.
    /// `XDG_SESSION_TYPE=x11` overrides this.
    public static func ofScreen(in environment: [String: String]) -> DisplayAvailability {
        let set = environment.filter { !$0.value.isEmpty }
        if set["WAYLAND_DISPLAY"] != nil, set["XDG_SESSION_TYPE"] != "x11", hasCompositor(set) { return .wayland }
        return self.in(environment: environment)
    }

    private static func hasCompositor(_ set: [String: String]) -> Bool {
        // This is the default of libwayland.
        let name = set["WAYLAND_DISPLAY"] ?? "wayland-0"
        let path = name.hasPrefix("/") ? name : set["XDG_RUNTIME_DIR"].map { $0 + "/" + name }
        return path.map(UnixSocket.answers) ?? false
    }

    /// Returns the reason no window can be opened on an X server, as a sentence; nil if one can.
    public static func problem(ofServer name: String) -> String? {
        let answer = Answer()
        // Xlib waits for the answer without limit, so this runs on a separate thread, which is abandoned if none comes.
        let thread = Thread {
            let connection = DisplayConnection(name)
            let earlier = kept.withLock { kept in connection.flatMap { kept.updateValue($0, forKey: name) } }
            answer.give(connection != nil)
            // The connection is closed on this thread, which may wait: the server may be gone.
            withExtendedLifetime(earlier) {}
        }
        thread.name = "framegrep-connect"
        thread.start()
        switch answer.wait(patience) {
        case true: return nil
        case false: return "The X server '\(name)' cannot be reached."
        case nil: return "The X server '\(name)' does not answer."
        }
    }
}

/// An answer that one thread gives and another waits for, up to a limit.
private final class Answer: Sendable {
    private let value = Mutex<Bool?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ answer: Bool) {
        value.withLock { $0 = answer }
        isGiven.signal()
    }

    /// Returns nil if none came in time.
    func wait(_ patience: Duration) -> Bool? {
        _ = isGiven.wait(timeout: .now() + .seconds(Int(patience.components.seconds)))
        return value.withLock { $0 }
    }
}

private enum UnixSocket {
    /// Returns whether a server listens at a path.
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
