import CGStreamer

/// Where a connection of GIO's leads that is about to be made.
struct RemoteAddress: Sendable {
    /// 4 or 16, in the order of the network.
    let bytes: [UInt8]
    /// As a user reads it.
    let name: String

    /// Nil if it is not a connection of the internet's, and for one to a proxy that the user has set up: that connects in our place,
    /// to where it may.
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
