import CGStreamer

/// Whether a window could be opened.
public enum DisplayAvailability: Sendable, Hashable {
    /// An X server is named by `DISPLAY`.
    case x11
    /// A Wayland compositor's socket exists.
    case wayland
    /// Neither.
    case none

    /// What the environment says; nothing is connected to, so a server that refuses is noticed only when a window opens.
    public static var current: DisplayAvailability {
        // As libwayland looks for it.
        let name = environment("WAYLAND_DISPLAY") ?? "wayland-0"
        let path = name.hasPrefix("/") ? name : environment("XDG_RUNTIME_DIR").map { $0 + "/" + name }
        if let path, g_file_test(path, G_FILE_TEST_EXISTS) != 0 { return .wayland }
        guard let display = environment("DISPLAY") else { return .none }
        // A local display `:N` has a socket, unless the server listens otherwise; that of a remote one is not looked for.
        if display.hasPrefix(":"), let number = Int(display.dropFirst().prefix { $0.isNumber }) {
            let isAbstract = abstractSockets.contains("@/tmp/.X11-unix/X\(number)")
            return isAbstract || g_file_test("/tmp/.X11-unix/X\(number)", G_FILE_TEST_EXISTS) != 0 ? .x11 : .none
        }
        return .x11
    }

    private static func environment(_ name: String) -> String? {
        guard let value = g_getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The names of the machine's Unix sockets, as the kernel lists them.
    private static var abstractSockets: String {
        var contents: UnsafeMutablePointer<CChar>?
        guard g_file_get_contents("/proc/net/unix", &contents, nil, nil) != 0 else { return "" }
        return String(takingOwnershipOf: contents) ?? ""
    }
}
