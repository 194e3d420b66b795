import CGStreamer
public import Errors
import Glibc
import Threads

/// The picture of a Wayland desktop, as its portal shares it: a session on D-Bus, and the place of its stream in
/// PipeWire.
///
/// Wayland does not let programs see what others draw; the desktop's portal asks the user what may be shared, and opens
/// a stream of it. The interface is `org.freedesktop.portal.ScreenCast` (flatpak.github.io/xdg-desktop-portal). The
/// desktop shares as long as this object exists. It is immutable, so any thread may use it.
public final class ScreenCast: Sendable {
    /// Identifies the stream.
    struct Stream: Hashable {
        /// PipeWire's number for it.
        var node: UInt32
        /// Gives the same picture next time without asking the user; nil if the desktop does not support that.
        var token: String?
    }

    /// The connection to PipeWire, as `pipewiresrc` takes it (`fd`), which makes a copy; for one pipeline.
    public let descriptor: Int32
    /// PipeWire's number for the stream (`path`).
    public let node: UInt32
    /// Gives the same picture next time without asking the user; nil if the desktop does not support that.
    public let token: String?
    private let portal: Portal

    /// Asks for the picture; returns when the user has answered, however long that takes.
    ///
    /// Cancelling the task leaves the dialog open; it closes when the program ends.
    ///
    /// - Parameters:
    ///   - part: whether the user chooses a monitor or a window; either one for the whole desktop.
    ///   - token: the token of an earlier session, so that the user is not asked again.
    /// - Throws: `FramegrepError` `.noDisplay` without such a portal, `.sourceUnavailable` if the user refuses.
    public static func open(_ part: DesktopPart, token: String?) async throws -> ScreenCast {
        try await DedicatedThread.runUnlessCancelled(named: "framegrep-portal") { try ScreenCast(part, token) }
    }

    /// The reason this desktop cannot share its picture, as far as that is known without asking the user; nil if it
    /// can.
    public static var problem: FramegrepError? {
        do {
            _ = try Portal().sources()
            return nil
        } catch {
            return error
        }
    }

    private init(_ part: DesktopPart, _ token: String?) throws(FramegrepError) {
        portal = try Portal()
        let types = try Self.types(of: part, among: try portal.sources())
        let begun = try portal.request("CreateSession", "{'session_handle_token': <'framegrep'>}")
        guard let session = begun["session_handle"]?.text.map(BusValue.quoted) else { throw Self.incomprehensible }
        let answer = token.map { ", 'restore_token': <\(BusValue.quoted($0))>" } ?? ""
        // 2 means that it is remembered until the user revokes it.
        try portal.request(
            "SelectSources", "{'types': <uint32 \(types)>, 'persist_mode': <uint32 2>\(answer)}",
            before: "objectpath \(session)")
        // The second argument is the requesting window; there is none.
        let stream = try Self.stream(in: try portal.request("Start", "{}", before: "objectpath \(session), ''"))
        (node, self.token) = (stream.node, stream.token)
        descriptor = try portal.remote("(objectpath \(session), @a{sv} {})")
    }

    deinit { close(descriptor) }

    // MARK: Requests and answers

    /// Returns the kinds of pictures that the user may choose from: 1 monitors, 2 windows.
    ///
    /// - Parameter offered: those that the desktop can share.
    static func types(of part: DesktopPart, among offered: UInt32) throws(FramegrepError) -> UInt32 {
        let wanted: UInt32 =
            switch part {
            case .all: 3
            case .monitor: 1
            case .window: 2
            }
        guard wanted & offered != 0 else {
            let (others, these) = wanted == 2 ? ("monitors", "windows") : ("windows", "monitors")
            throw FramegrepError(
                .sourceUnavailable, "The portal of this desktop shares \(others) only, and no \(these).")
        }
        return wanted & offered
    }

    /// Returns the results that came with an answer (`Response`).
    ///
    /// - Throws: `FramegrepError` `.sourceUnavailable` if it is a refusal.
    static func results(of answer: BusValue) throws(FramegrepError) -> BusValue {
        switch answer[0]?.number {
        case 0:
            guard let results = answer[1] else { throw incomprehensible }
            return results
        case 1:
            throw FramegrepError(
                .sourceUnavailable,
                "The screen was not shared: the desktop's dialog was refused or closed.")
        case 2:
            throw FramegrepError(
                .sourceUnavailable,
                "The desktop could not share its screen; 'journalctl --user -t xdg-desktop-portal' may say why.")
        default: throw incomprehensible
        }
    }

    /// Returns the stream among the results of `Start`.
    static func stream(in results: BusValue) throws(FramegrepError) -> Stream {
        guard let node = results["streams"]?[0]?[0]?.number else { throw incomprehensible }
        let token = results["restore_token"]?.text
        return Stream(node: node, token: token?.isEmpty == true ? nil : token)
    }

    fileprivate static var incomprehensible: FramegrepError {
        FramegrepError(.sourceUnavailable, "The desktop's portal gave an answer that framegrep does not understand.")
    }
}

/// A connection to the desktop's portal; owns a GDBusConnection and the context in which its signals arrive. When it is
/// closed, the desktop ends the sessions opened on it.
// @unchecked: the pointers never change. The connection locks itself; the context is used only by the thread that opens
// the session.
private final class Portal: @unchecked Sendable {
    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.ScreenCast"
    /// The time limit in milliseconds; a portal may have to be started first.
    private static let patience: gint = 15_000

    private let connection: OpaquePointer
    private let context: OpaquePointer
    private let inbox = Inbox()

    init() throws(FramegrepError) {
        var error: UnsafeMutablePointer<GError>?
        guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, nil, &error) else {
            throw Self.failure(error)
        }
        defer { g_free(address) }
        // Do not use the connection that GLib shares: it ends the program when its bus goes away.
        guard let opened = g_dbus_connection_new_for_address_sync(address, fgst_message_bus_client, nil, nil, &error)
        else {
            throw Self.failure(error)
        }
        connection = opened
        context = g_main_context_new()
        // Signals arrive in the context of the thread that subscribes.
        g_main_context_push_thread_default(context)
        g_dbus_connection_signal_subscribe(
            connection, Self.name, "org.freedesktop.portal.Request", "Response", nil, nil,
            fgst_no_signal_flags, answered, Unmanaged.passRetained(inbox).toOpaque(), releaseInbox)
        g_main_context_pop_thread_default(context)
    }

    deinit {
        g_dbus_connection_close_sync(connection, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(connection))
        g_main_context_unref(context)
    }

    /// Returns the kinds of pictures that it can share: 1 monitors, 2 windows, 4 monitors that do not exist.
    func sources() throws(FramegrepError) -> UInt32 {
        let value = try call(
            "org.freedesktop.DBus.Properties", "Get", "('\(Self.interface)', 'AvailableSourceTypes')")
        guard let number = value[0]?.content?.number else { throw ScreenCast.incomprehensible }
        return number
    }

    /// Sends a request that the user may have to answer, and waits for the answer.
    ///
    /// - Parameters:
    ///   - options: the last argument, in GVariant's text format.
    ///   - arguments: those before it.
    /// - Returns: the results that came with the answer.
    @discardableResult
    func request(_ method: String, _ options: String, before arguments: String = "") throws(FramegrepError) -> BusValue
    {
        let list = arguments.isEmpty ? "(@a{sv} \(options),)" : "(\(arguments), @a{sv} \(options))"
        guard let request = try call(Self.interface, method, list)[0]?.text else { throw ScreenCast.incomprehensible }
        while true {
            if let answer = inbox.take(request) { return try ScreenCast.results(of: answer) }
            guard g_dbus_connection_is_closed(connection) == 0 else {
                throw FramegrepError(.sourceUnavailable, "The desktop is gone: its D-Bus has closed the connection.")
            }
            g_main_context_iteration(context, 1)
        }
    }

    /// Opens the connection to PipeWire on which the stream can be seen.
    ///
    /// - Returns: a descriptor, which the caller owns.
    func remote(_ arguments: String) throws(FramegrepError) -> Int32 {
        var error: UnsafeMutablePointer<GError>?
        var list: UnsafeMutablePointer<GUnixFDList>?
        let given = try BusValue(parsing: arguments)
        let reply = g_dbus_connection_call_with_unix_fd_list_sync(
            connection, Self.name, Self.path, Self.interface, "OpenPipeWireRemote", given.pointer, nil,
            fgst_no_call_flags, Self.patience, nil, &list, nil, &error)
        guard let reply else { throw Self.failure(error) }
        defer { list.map { g_object_unref($0) } }
        guard let list, let index = BusValue(takingOwnershipOf: reply)[0]?.handle else {
            throw ScreenCast.incomprehensible
        }
        let descriptor = g_unix_fd_list_get(list, index, nil)
        guard descriptor >= 0 else { throw ScreenCast.incomprehensible }
        return descriptor
    }

    private func call(_ interface: String, _ method: String, _ arguments: String) throws(FramegrepError) -> BusValue {
        var error: UnsafeMutablePointer<GError>?
        let given = try BusValue(parsing: arguments)
        let reply = g_dbus_connection_call_sync(
            connection, Self.name, Self.path, interface, method, given.pointer, nil, fgst_no_call_flags,
            Self.patience, nil, &error)
        guard let reply else { throw Self.failure(error) }
        return BusValue(takingOwnershipOf: reply)
    }

    /// Returns the error for a failed call; frees the GError.
    private static func failure(_ error: UnsafeMutablePointer<GError>?) -> FramegrepError {
        guard let error else { return ScreenCast.incomprehensible }
        defer { g_error_free(error) }
        let kind = g_dbus_error_get_remote_error(error)
        defer { g_free(kind) }
        g_dbus_error_strip_remote_error(error)
        return failure(kind: kind.map { String(cString: $0) }, text: String(cString: error.pointee.message))
    }

    private static func failure(kind: String?, text: String) -> FramegrepError {
        switch kind?.split(separator: ".").last {
        case "ServiceUnknown", "NameHasNoOwner", "UnknownMethod", "UnknownInterface", "UnknownObject",
            // The portal exists, but not the part of this desktop that it needs.
            "InvalidArgs" where text.contains("interface"):
            FramegrepError(
                .noDisplay,
                "This desktop has no portal that shares its screen, and Wayland offers programs no other way. Install xdg-desktop-portal and the one of your desktop, and log in again: xdg-desktop-portal-gnome, -kde, or -wlr for sway and its like."
            )
        default:
            FramegrepError(
                .noDisplay, "The desktop's portal, which shares its screen, cannot be reached: \(text).")
        }
    }
}

/// The answers received, keyed by their requests. Used only by the thread that opens a session.
private final class Inbox {
    private var answers: [String: BusValue] = [:]

    func put(_ answer: BusValue, for request: String) { answers[request] = answer }
    func take(_ request: String) -> BusValue? { answers.removeValue(forKey: request) }
}

/// `GDBusSignalCallback`: an answer came.
private func answered(
    _ connection: OpaquePointer?, _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?, _ signal: UnsafePointer<CChar>?, _ parameters: OpaquePointer?,
    _ context: gpointer?
) {
    guard let context, let path, let parameters else { return }
    let inbox = Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
    inbox.put(BusValue(retaining: parameters), for: String(cString: path))
}

/// `GDestroyNotify`: the subscription is over.
private func releaseInbox(_ context: gpointer?) {
    if let context { Unmanaged<Inbox>.fromOpaque(context).release() }
}

/// A D-Bus value; owns a reference to a GVariant.
// @unchecked: a GVariant never changes, and counts its references atomically.
final class BusValue: @unchecked Sendable {
    fileprivate let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) { self.pointer = pointer }

    init(retaining pointer: OpaquePointer) { self.pointer = g_variant_ref(pointer) }

    /// - Parameter text: in GVariant's text format: `(uint32 0, {'handle': <'a'>})`.
    init(parsing text: String) throws(FramegrepError) {
        var error: UnsafeMutablePointer<GError>?
        guard let value = g_variant_parse(nil, text, nil, nil, &error) else {
            let problem = error.map { String(cString: $0.pointee.message) } ?? ""
            g_clear_error(&error)
            throw FramegrepError(.badArgument, "'\(text)' is not a value of D-Bus: \(problem).")
        }
        pointer = value
    }

    deinit { g_variant_unref(pointer) }

    /// Returns a text as quoted in GVariant's text format.
    static func quoted(_ text: String) -> String {
        let value = BusValue(takingOwnershipOf: g_variant_ref_sink(g_variant_new_string(text)))
        guard let written = g_variant_print(value.pointer, 0) else { return "''" }
        defer { g_free(written) }
        return String(cString: written)
    }

    /// An item of a list or tuple.
    subscript(index: Int) -> BusValue? {
        guard g_variant_is_container(pointer) != 0, (0..<Int(g_variant_n_children(pointer))).contains(index) else {
            return nil
        }
        return g_variant_get_child_value(pointer, gsize(index)).map(BusValue.init(takingOwnershipOf:))
    }

    /// A value of a dictionary from names to values of any kind.
    subscript(name: String) -> BusValue? {
        guard String(cString: g_variant_get_type_string(pointer)) == "a{sv}" else { return nil }
        return g_variant_lookup_value(pointer, name, nil).map(BusValue.init(takingOwnershipOf:))
    }

    /// The content of a value of any kind.
    var content: BusValue? {
        guard g_variant_classify(pointer) == G_VARIANT_CLASS_VARIANT else { return nil }
        return g_variant_get_variant(pointer).map(BusValue.init(takingOwnershipOf:))
    }

    var number: UInt32? {
        g_variant_classify(pointer) == G_VARIANT_CLASS_UINT32 ? g_variant_get_uint32(pointer) : nil
    }

    /// A text, or the name of an object.
    var text: String? {
        switch g_variant_classify(pointer) {
        case G_VARIANT_CLASS_STRING, G_VARIANT_CLASS_OBJECT_PATH: String(cString: g_variant_get_string(pointer, nil))
        default: nil
        }
    }

    /// The place of a descriptor in the list that came with the message.
    var handle: Int32? {
        g_variant_classify(pointer) == G_VARIANT_CLASS_HANDLE ? g_variant_get_handle(pointer) : nil
    }
}
