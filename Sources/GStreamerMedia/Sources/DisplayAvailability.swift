import CGStreamer

/// Whether a window could be opened.
public enum DisplayAvailability: Sendable, Hashable {
    /// An X server is named by `DISPLAY`.
    case x11
    /// A Wayland compositor's socket exists.
    case wayland
    /// Neither.
    case none

    /// What this process's environment says; nothing is connected to, so a server that refuses is noticed only when a
    /// window opens.
    public static var current: DisplayAvailability {
        var environment: [String: String] = [:]
        for name in ["WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY"] {
            environment[name] = g_getenv(name).map { String(cString: $0) }
        }
        return self.in(environment: environment)
    }

    /// What an environment says.
    public static func `in`(environment: [String: String]) -> DisplayAvailability {
        let set = environment.filter { !$0.value.isEmpty }
        // As libwayland looks for it.
        let name = set["WAYLAND_DISPLAY"] ?? "wayland-0"
        let path = name.hasPrefix("/") ? name : set["XDG_RUNTIME_DIR"].map { $0 + "/" + name }
        if let path, g_file_test(path, G_FILE_TEST_EXISTS) != 0 { return .wayland }
        guard let display = set["DISPLAY"] else { return .none }
        // A local display `:N` has a socket, in the file system or not; that of a remote one is not looked for.
        guard display.hasPrefix(":"), let number = Int(display.dropFirst().prefix { $0.isNumber }) else { return .x11 }
        let socket = "/tmp/.X11-unix/X\(number)"
        let isThere = g_file_test(socket, G_FILE_TEST_EXISTS) != 0 || unixSockets.contains("@\(socket)\n")
        return isThere ? .x11 : .none
    }

    /// The names of the machine's Unix sockets, as the kernel lists them.
    private static var unixSockets: String {
        var contents: UnsafeMutablePointer<CChar>?
        guard g_file_get_contents("/proc/net/unix", &contents, nil, nil) != 0 else { return "" }
        return String(takingOwnershipOf: contents) ?? ""
    }
}
