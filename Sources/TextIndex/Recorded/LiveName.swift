public import Foundation

/// The index's name for an hour of a camera or a stream: the source's name and the time of its beginning, such as
/// `rtsp://camera/stream@2026-11-20T14:05:09.123Z`.
///
/// The name says all that is known of it, so that a catalog that was lost is made anew from the segments.
public struct LiveName: Sendable, Hashable {
    /// The camera or the stream, without passwords.
    public var source: String
    /// To the millisecond.
    public var start: Date

    /// - Parameter start: is rounded to the millisecond.
    public init(source: String, start: Date) {
        self.source = source
        self.start = Date(timeIntervalSince1970: (start.timeIntervalSince1970 * 1000).rounded() / 1000)
    }

    /// Nil if it is no such name.
    public init?(_ text: String) {
        guard let mark = text.lastIndex(of: "@"),
            let start = try? Self.style.parse(String(text[text.index(after: mark)...]))
        else { return nil }
        self.init(source: String(text[..<mark]), start: start)
    }

    /// As the catalog has it.
    public var text: String {
        // What a millisecond is as a number lies a little below or above it, and the style cuts off.
        source + "@" + (start + 0.000_5).formatted(Self.style)
    }

    /// The manner of reading, of which this says that it was live.
    public static func manner(_ manner: String) -> String { prefix + manner }

    /// Whether a manner is that of a live job.
    static func isManner(_ manner: String) -> Bool { manner.hasPrefix(prefix) }

    private static let prefix = "live "
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
