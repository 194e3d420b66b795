import CGStreamer
import Errors
import Glibc
import Synchronization

/// Checks every HTTP connection before it is made: the target of a redirection, and the address to which a name
/// resolves at that moment.
///
/// libsoup, which GStreamer uses for HTTP, reports each message's connections with a signal
/// (`SoupMessage::network-event`), on its own thread, before they are made. A hook receives those of all messages, and
/// closes the socket of a refused one.
enum ConnectionWatch {
    private static let began = Mutex(false)
    fileprivate static let policyKey = "framegrep-source-policy"

    /// Starts to watch. Call it when GStreamer's plugin for HTTP is loaded.
    ///
    /// - Throws: ``FramegrepError`` (`missingPlugin`) if the connections cannot be watched; then nothing is opened
    ///   either.
    static func begin() throws {
        try began.withLock { began in
            guard !began else { return }
            guard let messages = Soup.messageType, let events = signal("network-event", messages),
                let starts = signal("starting", messages)
            else {
                throw FramegrepError(
                    .missingPlugin,
                    "HTTP cannot be opened safely here, because libsoup is of an unknown version. Install the package libsoup-3.0-0."
                )
            }
            g_signal_add_emission_hook(events, 0, connectionEvent, nil, nil)
            g_signal_add_emission_hook(starts, 0, messageStarts, nil, nil)
            began = true
        }
    }

    /// Returns an HTTP address in the form in which addresses are compared: without user name, password and fragment;
    /// nil for other addresses.
    static func normalized(_ uri: String) -> String? {
        guard let parsed = g_uri_parse(uri, GUriFlags(rawValue: fgst_http_uri_flags), nil) else { return nil }
        defer { g_uri_unref(parsed) }
        return text(of: parsed)
    }

    fileprivate static func text(of uri: OpaquePointer) -> String? {
        guard let scheme = g_uri_get_scheme(uri).map({ String(cString: $0) }), ["http", "https"].contains(scheme),
            let host = g_uri_get_host(uri).map({ String(cString: $0) })
        else { return nil }
        let port = g_uri_get_port(uri)
        let path = g_uri_get_path(uri).map { String(cString: $0) } ?? ""
        let query = g_uri_get_query(uri).map { "?" + String(cString: $0) } ?? ""
        let number = port > 0 ? port : scheme == "https" ? 443 : 80
        return "\(scheme)://\(host.lowercased()):\(number)\(path.isEmpty ? "/" : path)\(query)"
    }

    /// Returns the policy of a message: that of the thread that requests its first address, kept from then on.
    fileprivate static func policy(of message: UnsafeMutablePointer<GObject>, at address: String?) -> SourcePolicy? {
        if let number = g_object_get_data(message, policyKey) {
            return SourceGuard.policy(UInt(bitPattern: number))
        }
        guard let address, let policy = SourceGuard.visitor(of: address) else { return nil }
        g_object_set_data(message, policyKey, UnsafeMutableRawPointer(bitPattern: policy.number))
        return policy
    }

    private static func signal(_ name: String, _ type: GType) -> guint? {
        // Signals exist once the class does.
        guard let messages = g_type_class_ref(type) else { return nil }
        defer { g_type_class_unref(messages) }
        let signal = g_signal_lookup(name, type)
        return signal == 0 ? nil : signal
    }
}

/// Functions of libsoup, as loaded by GStreamer's plugin, which uses version 3 or 2.4.
private enum Soup {
    static var messageType: GType? {
        guard let function = function("soup_message_get_type") else { return nil }
        return unsafeBitCast(function, to: (@convention(c) () -> GType).self)()
    }

    /// Returns the address that a message currently requests.
    static func address(of message: UnsafeMutablePointer<GObject>) -> (text: String, normalized: String?)? {
        if let uri = fgst_take_uri(message, "uri") {
            defer { g_uri_unref(uri) }
            let text = String(takingOwnershipOf: g_uri_to_string_partial(uri, fgst_hide_userinfo)) ?? ""
            return (text, ConnectionWatch.text(of: uri))
        }
        // Version 2.4 has its own type for addresses.
        guard let get = function("soup_message_get_uri"), let write = function("soup_uri_to_string"),
            let uri = unsafeBitCast(get, to: (@convention(c) (gpointer?) -> gpointer?).self)(message),
            let text = String(
                takingOwnershipOf: unsafeBitCast(
                    write, to: (@convention(c) (gpointer?, gboolean) -> UnsafeMutablePointer<CChar>?).self)(uri, 0))
        else { return nil }
        return (text, ConnectionWatch.normalized(text))
    }

    private static func function(_ name: String) -> UnsafeMutableRawPointer? {
        for library in ["libsoup-3.0.so.0", "libsoup-2.4.so.1"] {
            guard let handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD) else { continue }
            // It stays loaded, because GStreamer's plugin uses it.
            defer { dlclose(handle) }
            if let function = dlsym(handle, name) { return function }
        }
        return nil
    }
}

/// `GSignalEmissionHook` of `SoupMessage::starting`: the message is about to be sent, perhaps over an existing
/// connection.
private func messageStarts(
    _ hint: UnsafeMutablePointer<GSignalInvocationHint>?, count: guint, values: UnsafePointer<GValue>?,
    data: gpointer?
) -> gboolean {
    if let values, let object = g_value_get_object(values) {
        let message = object.assumingMemoryBound(to: GObject.self)
        _ = ConnectionWatch.policy(of: message, at: Soup.address(of: message)?.normalized)
    }
    return 1
}

/// `GSignalEmissionHook` of `SoupMessage::network-event (message, event, connection)`.
private func connectionEvent(
    _ hint: UnsafeMutablePointer<GSignalInvocationHint>?, count: guint, values: UnsafePointer<GValue>?,
    data: gpointer?
) -> gboolean {
    guard count >= 3, let values, let object = g_value_get_object(values) else { return 1 }
    let message = object.assumingMemoryBound(to: GObject.self)
    let uri = Soup.address(of: message)
    let policy = ConnectionWatch.policy(of: message, at: uri?.normalized)
    let connection = g_value_get_object(values + 2)
    guard g_value_get_enum(values + 1) == gint(G_SOCKET_CLIENT_CONNECTING.rawValue), SourceGuard.isEnforced,
        let address = RemoteAddress(of: connection)
    else { return 1 }
    guard let policy else {
        // The connection has no known requester: treat it as one from outside.
        if AddressRange.isPrivate(address.bytes) { RemoteAddress.close(connection) }
        return 1
    }
    if let refusal = policy.refusal(ofConnectionTo: address.bytes, named: address.name, for: uri?.text ?? "") {
        RemoteAddress.close(connection)
        policy.refuse(refusal)
    }
    return 1
}
