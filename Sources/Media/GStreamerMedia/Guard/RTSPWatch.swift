import CGStreamer
import Errors
import Synchronization

/// Checks every RTSP connection, because a server may answer any request with another address, which `rtspsrc` then
/// opens by itself.
///
/// Two hooks work together, both on the thread that connects. GIO reports each connection before it is made
/// (`GSocketClient::event`), but not for which source; `rtspsrc` reports each request before it is sent
/// (`rtspsrc::before-send`), when the connection exists already. So the thread's first connection is checked before its
/// first request. From then on it is known for which source the thread works, and every later connection is checked
/// before it is made.
enum RTSPWatch {
    /// The state of a thread that sends requests to servers.
    private struct Asking {
        var address: RemoteAddress?
        /// The policy of the source for which it works; 0 before its first request.
        var policy: UInt = 0
    }

    private static let began = Mutex(false)
    private static let threads = Mutex<[UInt: Asking]>([:])
    /// The number at which threads that connected but never sent a request are forgotten.
    private static let limit = 256

    /// Starts to watch. Call it when `rtspsrc` is loaded.
    ///
    /// - Parameter source: the class of `rtspsrc`.
    /// - Throws: ``FramegrepError`` (`missingPlugin`) if the connections cannot be watched; then nothing is opened
    ///   either.
    static func begin(_ source: GType) throws {
        try began.withLock { began in
            guard !began else { return }
            // Signals exist once their class does; the class stays, as the hooks do.
            guard g_type_class_ref(g_socket_client_get_type()) != nil, g_type_class_ref(source) != nil,
                case let connects = g_signal_lookup("event", g_socket_client_get_type()), connects != 0,
                case let sends = g_signal_lookup("before-send", source), sends != 0
            else {
                throw FramegrepError(
                    .missingPlugin,
                    "RTSP cannot be opened safely here, because GStreamer's plugin for it is of an unknown version. "
                        + "Install the package gstreamer1.0-plugins-good.")
            }
            g_signal_add_emission_hook(connects, 0, clientEvent, nil, nil)
            g_signal_add_emission_hook(sends, 0, requestIsSent, nil, nil)
            began = true
        }
    }

    /// Handles a closed source, whose threads may now work for others.
    static func forget(_ policy: UInt) { threads.withLock { $0 = $0.filter { $0.value.policy != policy } } }

    /// Checks a connection that this thread is about to make; returns the reason if it is refused.
    fileprivate static func connects(to address: RemoteAddress) -> (SourcePolicy, FramegrepError)? {
        let number = threads.withLock { threads in
            if threads.count >= limit { threads = threads.filter { $0.value.policy != 0 } }
            threads[thread, default: Asking()].address = address
            return threads[thread]?.policy ?? 0
        }
        return SourceGuard.policy(number).flatMap { policy in
            refusal(by: policy, of: address).map { (policy, $0) }
        }
    }

    /// Checks a request that this thread is about to send for a source; returns the reason if it is refused.
    fileprivate static func asks(for policy: SourcePolicy) -> FramegrepError? {
        let address = threads.withLock { threads in
            threads[thread, default: Asking()].policy = policy.number
            return threads[thread]?.address
        }
        return address.flatMap { refusal(by: policy, of: $0) }
    }

    private static func refusal(by policy: SourcePolicy, of address: RemoteAddress) -> FramegrepError? {
        policy.refusal(ofConnectionTo: address.bytes, named: address.name, for: "rtsp://\(address.name)")
    }

    private static var thread: UInt { UInt(bitPattern: g_thread_self()) }
}

/// `GSignalEmissionHook` of `GSocketClient::event (client, event, connectable, connection)`.
private func clientEvent(
    _ hint: UnsafeMutablePointer<GSignalInvocationHint>?, count: guint, values: UnsafePointer<GValue>?,
    data: gpointer?
) -> gboolean {
    guard count >= 4, let values, g_value_get_enum(values + 1) == gint(G_SOCKET_CLIENT_CONNECTING.rawValue),
        // HTTP connections are watched separately, by code that knows for which source they are.
        !isForHTTP(g_value_get_object(values + 2)), SourceGuard.isEnforced,
        let address = RemoteAddress(of: g_value_get_object(values + 3)),
        let (policy, refusal) = RTSPWatch.connects(to: address)
    else { return 1 }
    RemoteAddress.close(g_value_get_object(values + 3))
    policy.refuse(refusal)
    return 1
}

private func isForHTTP(_ connectable: gpointer?) -> Bool {
    guard let address = fgst_as_network_address(connectable), let scheme = g_network_address_get_scheme(address) else {
        return false
    }
    return ["http", "https"].contains(String(cString: scheme))
}

/// `GSignalEmissionHook` of `rtspsrc::before-send (source, message)`.
private func requestIsSent(
    _ hint: UnsafeMutablePointer<GSignalInvocationHint>?, count: guint, values: UnsafePointer<GValue>?,
    data: gpointer?
) -> gboolean {
    guard count >= 1, let values, SourceGuard.isEnforced, let element = fgst_as_element(g_value_get_object(values)),
        let policy = SourceRefusal.policy(of: element)
    else { return 1 }
    // The first address is the one that the user named; this only notes whether it is inside a private network.
    if let refusal = RTSPWatch.asks(for: policy) { policy.refuse(refusal) }
    return 1
}

/// The address of a GIO connection that is about to be made.
struct RemoteAddress: Sendable {
    /// 4 or 16 bytes, in network byte order.
    let bytes: [UInt8]
    /// The address in readable form.
    let name: String

    /// Returns nil if it is not an internet connection, and for a connection to a proxy that the user has set up, which
    /// makes the connections on our behalf and may refuse them.
    init?(of connection: gpointer?) {
        guard let connection = fgst_as_connection(connection),
            let address = g_socket_connection_get_remote_address(connection, nil)
        else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(address)) }
        guard fgst_is_proxy_address(address) == 0, let inet = fgst_as_inet_address(address),
            let host = g_inet_socket_address_get_address(inet)
        else { return nil }
        bytes = Array(
            UnsafeBufferPointer(
                start: g_inet_address_to_bytes(host), count: Int(g_inet_address_get_native_size(host))))
        name = String(takingOwnershipOf: g_inet_address_to_string(host)) ?? "an address"
    }

    /// Ends a connection before it is made.
    static func close(_ connection: gpointer?) {
        if let connection = fgst_as_connection(connection) {
            g_socket_close(g_socket_connection_get_socket(connection), nil)
        }
    }
}
