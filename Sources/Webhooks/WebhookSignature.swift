import CGStreamer

/// Proves to a receiver that a notice comes from a holder of the key, unchanged: HMAC-SHA256 (RFC 2104) of its body.
public enum WebhookSignature {
    /// - Returns: 64 hexadecimal digits in small letters.
    public static func hexadecimal(of body: [UInt8], key: [UInt8]) -> String {
        let text = g_compute_hmac_for_data(G_CHECKSUM_SHA256, key, gsize(key.count), body, gsize(body.count))
        guard let text else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
