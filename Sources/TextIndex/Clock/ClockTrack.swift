public import Foundation
public import TextSpotting

/// The course of a clock in the picture over a stretch of a recording: one value for all the texts that it showed.
public struct ClockTrack: Sendable, Hashable {
    /// A time through which the clock went as the recording did.
    public struct Piece: Sendable, Hashable {
        public var start: StreamTime
        public var end: StreamTime
        /// The clock's time less the recording's, at the piece's beginning and at its end, in milliseconds. The clock's time counts from
        /// 1970 in its own place, or from midnight where it has no date.
        public var offset: Int64
        public var lastOffset: Int64

        public init(start: StreamTime, end: StreamTime, offset: Int64, lastOffset: Int64) {
            (self.start, self.end, self.offset, self.lastOffset) = (start, end, offset, lastOffset)
        }
    }

    public var hasDate: Bool
    /// In order. More than one where the clock was set, or the recording paused.
    public var pieces: [Piece]
    /// Where it stands, in pixels of the picture as displayed.
    public var quad: Quad

    public init(hasDate: Bool, pieces: [Piece], quad: Quad) {
        (self.hasDate, self.pieces, self.quad) = (hasDate, pieces, quad)
    }

    /// The deviation that does not count as setting the clock: readings are exact to a second, and clocks drift.
    static let tolerance: Int64 = 1_600
    private static let mostPieces = 1_000

    /// Appends the course of the clock afterwards.
    mutating func append(_ next: ClockTrack) {
        guard next.hasDate == hasDate else { return }
        for piece in next.pieces where pieces.count < Self.mostPieces {
            if let last = pieces.last, abs(piece.offset - last.lastOffset) <= Self.tolerance {
                pieces[pieces.count - 1].end = piece.end
                pieces[pieces.count - 1].lastOffset = piece.lastOffset
            } else {
                pieces.append(piece)
            }
        }
    }

    /// The wall clock time of the recording's beginning, in the local time zone; nil if the clock has no date, was set meanwhile, or runs
    /// at another speed than the recording.
    public var wallStart: Date? {
        guard hasDate, pieces.count == 1, abs(drift ?? 0) <= Self.mostDrift else { return nil }
        return Self.date(ofLocal: Double(pieces[0].offset) / 1000)
    }

    /// A clock that drifts more than this, in seconds an hour, is rejected: either it is not one, or the recording is not played at its own
    /// speed.
    private static let mostDrift = 20.0

    /// By how many seconds an hour it is fast, or slow (less than 0); nil if too little of it was read to say so.
    public var drift: Double? {
        guard let longest = pieces.max(by: { $0.end - $0.start < $1.end - $1.start }) else { return nil }
        let hours = (longest.end - longest.start).seconds / 3600
        let off = Double(longest.lastOffset - longest.offset) / 1000
        // Each end is true to a second at most.
        return abs(off) >= 2 && hours > 0 ? off / hours : nil
    }

    /// Where it was set, or the recording paused, and by how many seconds.
    public var jumps: [(at: StreamTime, seconds: Double)] {
        zip(pieces, pieces.dropFirst()).map { ($1.start, Double($1.offset - $0.lastOffset) / 1000) }
    }

    /// A time of this place as a date.
    static func date(ofLocal seconds: Double) -> Date? {
        let whole = seconds.rounded(.down)
        guard abs(whole) < 1e11 else { return nil }
        var time = time_t(whole)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return nil }
        parts.tm_isdst = -1
        let local = mktime(&parts)
        return local == -1 ? nil : Date(timeIntervalSince1970: Double(local) + seconds - whole)
    }
}
