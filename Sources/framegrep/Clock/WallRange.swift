import Foundation
import TextSpotting

/// The time on the clock that is searched (`--since`, `--until`).
struct WallRange: Sendable {
    var since: Date?
    /// Exclusive.
    var until: Date?

    var isAsked: Bool { since != nil || until != nil }

    /// The part of a recording that lies in the range; nil for none.
    ///
    /// - Parameters:
    ///   - start: the wall clock time of the recording's beginning.
    ///   - length: of the recording; nil if unknown.
    ///   - times: the part that is searched otherwise.
    func part(
        from start: Date, length: StreamTime?, of times: (from: StreamTime?, to: StreamTime?)
    ) -> (from: StreamTime?, to: StreamTime?)? {
        var (from, to) = times
        if let since {
            let first = StreamTime(seconds: since.timeIntervalSince(start))
            if let length, first >= length { return nil }
            if first > .zero { from = max(from ?? .zero, first) }
        }
        if let until {
            let last = StreamTime(seconds: until.timeIntervalSince(start))
            guard last > .zero else { return nil }
            to = min(to ?? last, last)
            // To its end is the same, and needs no length.
            if let length, times.to == nil, last >= length { to = nil }
        }
        if let from, let to, from >= to { return nil }
        return (from, to)
    }
}
