import Foundation
public import GStreamerMedia
public import TextSpotting

/// Receives each frame of a running picture with its boxes, in addition to a window or recording.
///
/// Called by the display thread, so it must not block.
public protocol FrameViewer: Sendable {
    /// Whether anyone is looking. If not, no frame is delivered, and no box is followed for it.
    var isLooking: Bool { get }

    /// Takes a frame and returns at once. Called with one frame at a time.
    func see(_ frame: consuming sending ViewedFrame)
}

/// A frame and its findings.
public struct ViewedFrame: ~Copyable, Sendable {
    /// The frame. Cameras have few buffers, so release it soon.
    public let sample: Sample
    public let time: StreamTime
    /// The time at which it arrived from the source.
    public let arrival: ContinuousClock.Instant
    public let boxes: [ViewedBox]
}

/// The words of a pattern where they are in one frame.
public struct ViewedBox: Sendable, Hashable {
    /// The identifier of the sighting.
    public var id: Int
    public var pattern: String
    public var text: String
    /// The index of the pattern, which determines the color.
    public var patternIndex: Int
    public var score: Double
    /// The age of the box: 0 if it was just read, 1 if it is about to disappear.
    public var age: Double
    /// The place, in pixels of the picture as displayed.
    public var quad: Quad
}

/// A command from the page's server to a live job: one line of JSON on its standard input.
package struct ViewerCommand: Codable, Sendable, Hashable {
    /// The encodings that viewers want; others are not produced.
    package struct Look: Codable, Sendable, Hashable {
        package var kinds: Set<FrameEncoder.Kind>
        /// The largest size of the longer side, in pixels.
        package var longestSide: Int

        package init(kinds: Set<FrameEncoder.Kind> = [], longestSide: Int = 1280) {
            (self.kinds, self.longestSide) = (kinds, longestSide)
        }
    }

    package var look: Look?
    /// The search from now on.
    package var words: JobPlan.Search?
    /// Whether the next frame must be decodable by itself.
    package var needsKey: Bool?
    /// Whether to write everything read so far to the index now; an event `kept` follows when that is done.
    package var keep: Bool?

    package init(look: Look? = nil, words: JobPlan.Search? = nil, needsKey: Bool? = nil, keep: Bool? = nil) {
        (self.look, self.words, self.needsKey, self.keep) = (look, words, needsKey, keep)
    }

    package func line() -> [UInt8] { ((try? JSONEncoder().encode(self)).map { Array($0) } ?? []) + [0x0A] }
}

/// One record that the page's server gets from a live job, and a browser from the server: a frame with its boxes, or an
/// event.
///
/// Layout in bytes: the number of bytes that follow (4), the kind (1), flags (1: decodable by itself), the number of
/// the source (2), the length of the head (4), the head (a JSON object), the frame. Numbers are big-endian.
/// docs/PAGE.md documents the format for programs.
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

    /// The largest record; anything longer is not a record.
    package static let longest = 16 << 20
    /// The number of bytes before the head.
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

    /// Decodes the bytes after the first four; nil if they are not a record.
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
