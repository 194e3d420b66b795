import CGLib

/// A checksum that identifies contents (FIPS 180-4), in the notation of `sha256sum`. Owns GLib's object.
struct SHA256: ~Copyable {
    private let checksum = g_checksum_new(G_CHECKSUM_SHA256)

    deinit { g_checksum_free(checksum) }

    mutating func add(_ bytes: some Collection<UInt8>) {
        Array(bytes).withUnsafeBufferPointer { g_checksum_update(checksum, $0.baseAddress, $0.count) }
    }

    /// Adds a number with a fixed length, so that two numbers in a row cannot be taken for two others.
    mutating func add(_ number: Int64) {
        add(withUnsafeBytes(of: number.littleEndian, Array.init))
    }

    /// Adds a text with its length before it, for the same reason.
    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        add(Array(text.utf8))
    }

    /// Returns the sum of everything added, in 64 hexadecimal digits. Nothing can be added afterward.
    mutating func finish() -> String { String(cString: g_checksum_get_string(checksum)) }
}
