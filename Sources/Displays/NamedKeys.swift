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
