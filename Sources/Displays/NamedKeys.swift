import CX11
import Foundation
import Synchronization

/// Derives typed text for a window that reports only names and releases of keys. Thread-safe.
///
/// Held keys are known from presses and releases; layout, Lock and the like are asked of the server. A key whose name stands on the
/// keyboard twice is taken for the first of the two.
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

    /// - Parameter display: the server's name; nil for the one that the environment names.
    public init(display: String?) {
        let locale = Composer.locale(in: ProcessInfo.processInfo.environment)
        state = Mutex(State(connection: DisplayConnection(display), composer: Composer(locale: locale)))
    }

    /// A key went down; nil for one that only changes others, or is a part of a letter.
    public func press(_ name: String) -> KeyPress? {
        state.withLock { state in
            if let modifier = Self.modifiers[name] {
                state.held[name] = modifier
                return nil
            }
            guard let connection = state.connection, let symbol = KeySymbol(named: name) else {
                return KeyPress(named: name)
            }
            // The server reports a changed layout by an event, which has to be taken.
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

    /// A key was released.
    public func release(_ name: String) { state.withLock { _ = $0.held.removeValue(forKey: name) } }
}

/// Puts letters together that take several keys, as the user's locale has it: a dead accent and its letter, or what follows
/// the Compose key. The owner of xkbcommon's state; used by one thread at a time.
struct Composer: ~Copyable {
    /// The result of a key.
    enum Step: Hashable {
        /// It is a letter, or does something, by itself.
        case itself
        /// The letter is not complete yet.
        case waiting
        case letter(String)
        /// It made no letter together with those before it.
        case nothing
    }

    private let state: OpaquePointer?

    /// - Parameter locale: `de_DE.UTF-8`; where it has no table of its own, that of English has all the usual letters.
    init(locale: String) {
        let context = xkb_context_new(XKB_CONTEXT_NO_FLAGS)
        defer { xkb_context_unref(context) }
        // What tables have beyond errors in them is nothing to tell the user of.
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        let names = [Self.isUnicode(locale) ? locale : nil, "en_US.UTF-8"].compactMap { $0 }
        let table = names.lazy.compactMap {
            xkb_compose_table_new_from_locale(context, $0, XKB_COMPOSE_COMPILE_NO_FLAGS)
        }.first
        // Without a table every key is what it is.
        state = table.flatMap { xkb_compose_state_new($0, XKB_COMPOSE_STATE_NO_FLAGS) }
        xkb_compose_table_unref(table)
    }

    deinit { xkb_compose_state_unref(state) }

    /// The locale that an environment names for characters: as in POSIX, the first of three variables that is not empty.
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
            // Escape, Return and arrows do what they do.
            return symbol.text == nil ? .itself : .nothing
        default: return .itself
        }
    }
}
