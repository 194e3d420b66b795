import Foundation

/// Bytes as letters (RFC 4648, section 4).
enum Base64 {
    static func text(of bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
