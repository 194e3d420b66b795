import CX11

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

    private func atom(_ name: String) -> Atom { XInternAtom(display, name, 0) }

    /// Gives it a title, in any script.
    func setTitle(_ title: String) {
        var bytes = Array(title.utf8)
        XChangeProperty(
            display, number, atom("_NET_WM_NAME"), atom("UTF8_STRING"), 8, PropModeReplace, &bytes, Int32(bytes.count))
        XStoreName(display, number, title)
        XFlush(display)
    }

    /// Its size in pixels; nil if it is not there any more.
    var size: (width: Int, height: Int)? {
        var attributes = XWindowAttributes()
        guard XGetWindowAttributes(display, number, &attributes) != 0 else { return nil }
        return (Int(attributes.width), Int(attributes.height))
    }

    /// Makes it smaller where it does not fit the screen, in the proportions that it has.
    func fitScreen() {
        guard let size else { return }
        let screen = (width: Int(fx11_screen_width(display)), height: Int(fx11_screen_height(display)))
        guard let fitting = Self.fitting(size, screen) else { return }
        XResizeWindow(display, number, UInt32(fitting.width), UInt32(fitting.height))
        XSync(display, 0)
    }

    /// The size at which a window fits a screen; nil if it does as it is.
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

    /// Covers the whole screen with it, or no longer.
    ///
    /// - Parameter earlier: the size to go back to where no window manager keeps it.
    func setFullscreen(_ isFull: Bool, backTo earlier: (width: Int, height: Int)?) {
        if isManaged {
            let state = Int(bitPattern: UInt(atom("_NET_WM_STATE_FULLSCREEN")))
            fx11_ask_window_manager(display, number, atom("_NET_WM_STATE"), isFull ? 1 : 0, state, 0)
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

    /// A window manager says on the root window that it is there (Extended Window Manager Hints, 1.5).
    private var isManaged: Bool {
        let count = connection.withProperty(
            atom("_NET_SUPPORTING_WM_CHECK"), of: fx11_root(display), type: fx11_window_type(), longest: 1
        ) { $2 }
        return count == 1
    }
}
