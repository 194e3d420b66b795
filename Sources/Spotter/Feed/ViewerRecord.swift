import Foundation

/// One piece of what the page's server gets from a live job, and a browser from the server: a frame with its boxes, or an event.
///
/// As bytes: how many follow (4), the kind (1), flags (1: decodable by itself), the number of the source (2), how long the head is (4),
/// the head (a JSON object), the frame. Numbers have their highest byte first. docs/PAGE.md tells programs the same.
package struct ViewerRecord: Sendable {
    package enum Kind: UInt8, Sendable {
        case h264 = 1
        case jpeg = 2
        case event = 3
    }

    package var kind: Kind
    package var isKey: Bool
    package var source: Int
    /// JSON.
    package var head: String
    package var body: [UInt8]

    /// Longer ones are none.
    package static let longest = 16 << 20
    /// The bytes before the head.
    package static let prefix = 12

    package init(_ kind: Kind, isKey: Bool = true, source: Int = 0, head: String, body: [UInt8] = []) {
        (self.kind, self.isKey, self.source, self.head, self.body) = (kind, isKey, source, head, body)
    }

    package var bytes: [UInt8] {
        let head = Array(head.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(Self.prefix + head.count + body.count)
        result += Self.number(Self.prefix - 4 + head.count + body.count)
        result += [
            kind.rawValue, isKey ? 1 : 0, UInt8(truncatingIfNeeded: source >> 8), UInt8(truncatingIfNeeded: source),
        ]
        result += Self.number(head.count)
        result += head
        result += body
        return result
    }

    /// Decodes the bytes behind the first four; nil if they are not a record.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.prefix - 4, let kind = Kind(rawValue: bytes[0]) else { return nil }
        let length = Self.number(bytes, 4)
        let end = Self.prefix - 4 + length
        guard end <= bytes.count else { return nil }
        self.init(
            kind, isKey: bytes[1] & 1 == 1, source: Int(bytes[2]) << 8 | Int(bytes[3]),
            head: String(decoding: bytes[(Self.prefix - 4)..<end], as: UTF8.self), body: Array(bytes[end...]))
    }

    package static func number(_ bytes: [UInt8], _ first: Int) -> Int {
        bytes[first..<first + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
