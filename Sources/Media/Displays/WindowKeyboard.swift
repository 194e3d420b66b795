import CX11
import Foundation
import Glibc
import Synchronization
import Threads

/// Reads the keys pressed in a window of GStreamer's, with the text that they type, and controls that window from
/// outside.
///
/// GStreamer reports only the name of a key in the first layout and without Shift. But any program may listen to the
/// keys of a window, so this class does, with its own connection and thread.
public final class WindowKeyboard: Sendable {
    private struct State {
        var size: (width: Int, height: Int)?
        /// The size before it covered the screen; nil while it does not.
        var sizeBefore: (width: Int, height: Int)?
        var isFull = false
    }

    /// Orders for the thread, executed when it wakes.
    private final class Orders: Sendable {
        private let state = Mutex((text: String?.none, isOver: false))

        func copy(_ text: String) { state.withLock { $0.text = text } }
        func end() { state.withLock { $0.isOver = true } }

        func take() -> (text: String?, isOver: Bool) {
            state.withLock { state in
                defer { state.text = nil }
                return state
            }
        }
    }

    private let wake: PollWakeEvent
    private let orders = Orders()
    private let window: OpenWindow
    private let state: Mutex<State>

    /// Starts to listen. A window that is larger than the screen is made smaller.
    ///
    /// - Parameters:
    ///   - window: X's number for it.
    ///   - display: the server's name; nil for the one in the environment.
    ///   - press: called on the thread of this keyboard.
    /// - Returns: nil if there is no such window.
    public init?(window: UInt, display: String?, press: @escaping @Sendable (KeyPress) -> Void) {
        guard let connection = DisplayConnection(display) else { return nil }
        let open = OpenWindow(window, on: connection)
        guard open.size != nil else { return nil }
        XSelectInput(connection.pointer, Window(window), Int(KeyPressMask | StructureNotifyMask))
        open.fitScreen()
        guard let wake = PollWakeEvent() else { return nil }
        self.wake = wake
        self.window = open
        state = Mutex(State(size: open.size))
        let locale = Composer.locale(in: ProcessInfo.processInfo.environment)
        // The thread owns the connection while it runs: closing the connection would block the caller if the server is
        // gone.
        let thread = Thread { [weak self, orders] in
            Self.listen(
                connection, wake: wake, orders: orders, composer: Composer(locale: locale), resized: { self?.note($0) },
                press: press)
        }
        thread.name = "framegrep-keys"
        thread.start()
    }

    /// The window's size in pixels, as far as the server has reported it.
    public var size: (width: Int, height: Int)? { state.withLock { $0.size } }

    public func setTitle(_ title: String) { window.setTitle(title) }

    /// Toggles full screen; returns whether it is on now.
    @discardableResult
    public func setFullscreen(_ wanted: Bool?) -> Bool {
        let (isFull, earlier, isNews) = state.withLock { state in
            let isFull = wanted ?? !state.isFull
            let isNews = isFull != state.isFull
            if isNews, isFull { state.sizeBefore = state.size }
            state.isFull = isFull
            return (isFull, state.sizeBefore, isNews)
        }
        if isNews { window.setFullscreen(isFull, backTo: earlier) }
        return isFull
    }

    private func note(_ size: (width: Int, height: Int)) { state.withLock { $0.size = size } }

    /// Copies a text to the clipboard, where it stays while the window is open; returns at once.
    public func copy(_ text: String) {
        orders.copy(text)
        wake.ring()
    }

    /// Stops listening; returns at once.
    public func close() {
        orders.end()
        wake.ring()
    }

    deinit { close() }

    /// Runs on the thread until it is woken.
    private static func listen(
        _ connection: DisplayConnection, wake: PollWakeEvent, orders: Orders, composer: consuming Composer,
        resized: ((width: Int, height: Int)) -> Void, press: (KeyPress) -> Void
    ) {
        var clipboard = Clipboard(connection)
        while true {
            while XPending(connection.pointer) > 0 {
                var event = XEvent()
                XNextEvent(connection.pointer, &event)
                switch event.type {
                case MappingNotify: XRefreshKeyboardMapping(&event.xmapping)
                case ConfigureNotify: resized((Int(event.xconfigure.width), Int(event.xconfigure.height)))
                case SelectionRequest: clipboard.answer(event.xselectionrequest)
                case SelectionClear: clipboard.lose()
                case SelectionNotify:
                    if let text = clipboard.text(of: event.xselection) {
                        press(KeyPress(name: KeyPress.paste, text: text))
                    }
                case CX11.KeyPress:
                    guard let key = connection.press(&event.xkey, composer) else { continue }
                    if key.asksForClipboard { clipboard.ask(at: event.xkey.time) } else { press(key) }
                default: continue
                }
            }
            wake.wait(for: [XConnectionNumber(connection.pointer)])
            let (text, isOver) = orders.take()
            if isOver { return }
            if let text { clipboard.hold(text) }
        }
    }
}

extension KeyPress {
    /// Whether the key is Control+V or Shift+Insert, which inserts the clipboard's text.
    fileprivate var asksForClipboard: Bool {
        (holdsControl && (["v", "V"].contains(name) || plainName == "v"))
            || (holdsShift && ["Insert", "KP_Insert"].contains(name))
    }
}

/// Controls a window that another part opened: its title, its size, full screen.
///
/// Xlib locks its connection, so any thread may use it.
final class OpenWindow: Sendable {
    private let connection: DisplayConnection
    let number: UInt

    /// A new window covers at most this much of the screen's width and height: panels and the window's own frame need the rest.
    static let share = 0.9

    init(_ number: UInt, on connection: DisplayConnection) {
        self.number = number
        self.connection = connection
    }

    private var display: OpaquePointer { connection.pointer }

    /// Gives it a title, in any script.
    func setTitle(_ title: String) {
        var bytes = Array(title.utf8)
        XChangeProperty(
            display, number, connection.atom("_NET_WM_NAME"), connection.atom("UTF8_STRING"), 8, PropModeReplace,
            &bytes, Int32(bytes.count))
        XStoreName(display, number, title)
        XFlush(display)
    }

    /// Its size in pixels; nil if it no longer exists.
    var size: (width: Int, height: Int)? {
        var attributes = XWindowAttributes()
        guard XGetWindowAttributes(display, number, &attributes) != 0 else { return nil }
        return (Int(attributes.width), Int(attributes.height))
    }

    /// Makes it smaller if it does not fit the screen, with the same proportions.
    func fitScreen() {
        guard let size else { return }
        let screen = (width: Int(fx11_screen_width(display)), height: Int(fx11_screen_height(display)))
        guard let fitting = Self.fitting(size, screen) else { return }
        XResizeWindow(display, number, UInt32(fitting.width), UInt32(fitting.height))
        XSync(display, 0)
    }

    /// Returns the size at which a window fits a screen; nil if it fits already.
    static func fitting(
        _ window: (width: Int, height: Int), _ screen: (width: Int, height: Int)
    ) -> (width: Int, height: Int)? {
        guard window.width > screen.width || window.height > screen.height, window.width > 0, window.height > 0,
            screen.width > 0, screen.height > 0
        else { return nil }
        let scale = min(
            Double(screen.width) * share / Double(window.width), Double(screen.height) * share / Double(window.height))
        func scaled(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
        return (scaled(window.width), scaled(window.height))
    }

    /// Turns full screen on or off.
    ///
    /// - Parameter earlier: the size to return to if no window manager keeps it.
    func setFullscreen(_ isFull: Bool, backTo earlier: (width: Int, height: Int)?) {
        if isManaged {
            let state = Int(bitPattern: UInt(connection.atom("_NET_WM_STATE_FULLSCREEN")))
            fx11_ask_window_manager(display, number, connection.atom("_NET_WM_STATE"), isFull ? 1 : 0, state, 0)
            return
        }
        if isFull {
            XMoveResizeWindow(
                display, number, 0, 0, UInt32(fx11_screen_width(display)), UInt32(fx11_screen_height(display)))
        } else if let earlier {
            XResizeWindow(display, number, UInt32(earlier.width), UInt32(earlier.height))
        }
        XFlush(display)
    }

    /// Whether a window manager has announced itself on the root window (Extended Window Manager Hints, 1.5).
    private var isManaged: Bool {
        let count = connection.withProperty(
            connection.atom("_NET_SUPPORTING_WM_CHECK"), of: fx11_root(display), type: fx11_window_type(), longest: 1
        ) { $2 }
        return count == 1
    }
}

/// Derives typed text for a window that reports only names and releases of keys. Thread-safe.
///
/// Held keys are known from presses and releases; the server is asked for the layout, Lock and the like. If a name is on the keyboard
/// twice, it is taken for the first of the two keys.
public final class NamedKeys: Sendable {
    private struct State: ~Copyable {
        let connection: DisplayConnection?
        let composer: Composer
        var held: [String: UInt32] = [:]
    }

    /// The modifier for each key that has one on every usual keyboard, by the key's name.
    private static let modifiers: [String: UInt32] = [
        "Shift_L": UInt32(ShiftMask), "Shift_R": UInt32(ShiftMask), "Control_L": UInt32(ControlMask),
        "Control_R": UInt32(ControlMask), "Alt_L": UInt32(Mod1Mask), "Alt_R": UInt32(Mod1Mask),
        "Meta_L": UInt32(Mod1Mask), "Super_L": UInt32(Mod4Mask), "Super_R": UInt32(Mod4Mask),
        "ISO_Level3_Shift": UInt32(Mod5Mask), "Mode_switch": UInt32(Mod5Mask),
    ]

    private let state: Mutex<State>

    /// - Parameter display: the server's name; nil for the one in the environment.
    public init(display: String?) {
        let locale = Composer.locale(in: ProcessInfo.processInfo.environment)
        state = Mutex(State(connection: DisplayConnection(display), composer: Composer(locale: locale)))
    }

    /// Takes a pressed key; returns nil if it only modifies others, or is part of a letter.
    public func press(_ name: String) -> KeyPress? {
        state.withLock { state in
            if let modifier = Self.modifiers[name] {
                state.held[name] = modifier
                return nil
            }
            guard let connection = state.connection, let symbol = KeySymbol(named: name) else {
                return KeyPress(named: name)
            }
            // The server reports a changed layout by an event, which must be taken.
            while XPending(connection.pointer) > 0 {
                var event = XEvent()
                XNextEvent(connection.pointer, &event)
                if event.type == MappingNotify { XRefreshKeyboardMapping(&event.xmapping) }
            }
            let code = XKeysymToKeycode(connection.pointer, KeySym(symbol.number))
            var keyboard = XkbStateRec()
            guard code != 0, XkbGetState(connection.pointer, UInt32(XkbUseCoreKbd), &keyboard) == 0 else {
                return KeyPress(named: name)
            }
            var event = XKeyEvent()
            event.type = CX11.KeyPress
            event.display = connection.pointer
            event.keycode = UInt32(code)
            let locked = UInt32(keyboard.locked_mods) | UInt32(keyboard.latched_mods)
            event.state = state.held.values.reduce(locked, |) | UInt32(keyboard.group) << 13
            return connection.press(&event, state.composer)
        }
    }

    public func release(_ name: String) { state.withLock { _ = $0.held.removeValue(forKey: name) } }
}

/// Composes letters from several keys by the rules of the user's locale: a dead accent and its letter, or the keys
/// after the Compose key. Owns xkbcommon's state; used by one thread at a time.
struct Composer: ~Copyable {
    /// The result of a key.
    enum Step: Hashable {
        /// The key is a letter or has a function by itself.
        case itself
        /// The letter is not complete yet.
        case waiting
        case letter(String)
        /// The keys so far do not form a letter.
        case nothing
    }

    private let state: OpaquePointer?

    /// - Parameter locale: such as `de_DE.UTF-8`; if it has no table, the English one has all the usual letters.
    init(locale: String) {
        let context = xkb_context_new(XKB_CONTEXT_NO_FLAGS)
        defer { xkb_context_unref(context) }
        // Warnings about the tables do not help the user.
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        let names = [Self.isUnicode(locale) ? locale : nil, "en_US.UTF-8"].compactMap { $0 }
        let table = names.lazy.compactMap {
            xkb_compose_table_new_from_locale(context, $0, XKB_COMPOSE_COMPILE_NO_FLAGS)
        }.first
        // Without a table every key stands for itself.
        state = table.flatMap { xkb_compose_state_new($0, XKB_COMPOSE_STATE_NO_FLAGS) }
        xkb_compose_table_unref(table)
    }

    deinit { xkb_compose_state_unref(state) }

    /// Returns the locale that an environment names for characters: as in POSIX, the first of three variables that is
    /// not empty.
    static func locale(in environment: [String: String]) -> String {
        ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    }

    private static func isUnicode(_ locale: String) -> Bool {
        let name = locale.lowercased()
        return name.contains(".utf-8") || name.contains(".utf8")
    }

    func feed(_ symbol: KeySymbol) -> Step {
        guard let state, xkb_compose_state_feed(state, symbol.number) == XKB_COMPOSE_FEED_ACCEPTED else {
            return .itself
        }
        switch xkb_compose_state_get_status(state) {
        case XKB_COMPOSE_COMPOSING: return .waiting
        case XKB_COMPOSE_COMPOSED:
            defer { xkb_compose_state_reset(state) }
            let text = KeySymbol.text(of: 64) { xkb_compose_state_get_utf8(state, $0, $1) }
            return text.map { KeySymbol.isPrintable($0) ? .letter($0) : .nothing } ?? .nothing
        case XKB_COMPOSE_CANCELLED:
            xkb_compose_state_reset(state)
            // Escape, Return and arrows keep their functions.
            return symbol.text == nil ? .itself : .nothing
        default: return .itself
        }
    }
}
