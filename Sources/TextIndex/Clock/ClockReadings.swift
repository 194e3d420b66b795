import TextSpotting

/// Collects the texts read at one place that may be a clock, in order, and decides whether it is one. A value.
///
/// It is one if its times grow as those of the recording do. A text that stands still, a log that scrolls past and a recording that is
/// played at another speed are rejected.
struct ClockReadings {
    struct Reading {
        /// When the picture was, in seconds.
        var time: Double
        /// The time that was read, in seconds.
        var value: Double
        /// The clock's time less the recording's: up to a second less than it is.
        var offset: Double { value - time }
    }

    private struct Piece {
        var readings: [Reading]

        /// The offset according to the last few readings.
        var offset: Double {
            let last = readings.suffix(5).map(\.offset).sorted()
            return last[last.count / 2]
        }
    }

    /// As far as offsets of one clock may differ: it shows whole seconds, and is read a moment late.
    private static let tolerance = 1.6
    /// The fewest readings that make a clock, and the seconds that they must cover.
    private static let fewest = 4
    private static let shortest = 3.0
    /// The share of all readings that must be its own.
    private static let share = 0.7

    private var pieces: [Piece] = []
    /// Read since the last one that went with the piece.
    private var strays: [Reading] = []
    private var count = 0

    /// Takes the next reading; returns nothing, because its meaning is known only later.
    mutating func add(_ reading: Reading) {
        count += 1
        if let piece = pieces.last, abs(piece.offset - reading.offset) <= Self.tolerance {
            pieces[pieces.count - 1].readings.append(reading)
            strays = []
            return
        }
        strays.append(reading)
        let alike = strays.filter { abs($0.offset - reading.offset) <= Self.tolerance }
        guard alike.count >= Self.fewest, reading.time - alike[0].time >= Self.shortest,
            Set(alike.map(\.value)).count >= Self.fewest - 1
        else {
            if strays.count > 50 { strays.removeFirst() }
            return
        }
        pieces.append(Piece(readings: alike))
        strays = []
    }

    /// Whether a reading agrees with the clock at that time.
    func holds(_ reading: Reading) -> Bool {
        pieces.contains { piece in
            guard let first = piece.readings.first, let last = piece.readings.last else { return false }
            let offset = reading.time <= (first.time + last.time) / 2 ? Self.first(piece) : piece.offset
            return (first.time - 0.5...last.time + 0.5).contains(reading.time)
                && abs(offset - reading.offset) <= 2 * Self.tolerance
        }
    }

    private static func first(_ piece: Piece) -> Double {
        let some = piece.readings.prefix(5).map(\.offset).sorted()
        return some[some.count / 2]
    }

    /// The pieces, in milliseconds; nil if it is no clock.
    var found: [ClockTrack.Piece]? {
        let own = pieces.reduce(0) { $0 + $1.readings.count }
        guard own > 0, Double(own) >= Self.share * Double(count) else { return nil }
        return pieces.map { piece in
            let readings = piece.readings
            return ClockTrack.Piece(
                start: StreamTime(seconds: readings[0].time),
                end: StreamTime(seconds: readings[readings.count - 1].time),
                offset: Self.offset(readings.prefix(30)), lastOffset: Self.offset(readings.suffix(30)))
        }
    }

    /// Each reading says that the offset is at least as shown, and less than a second more.
    private static func offset(_ readings: ArraySlice<Reading>) -> Int64 {
        let sorted = readings.map(\.offset).sorted()
        // A misread second here and there.
        let (low, high) = (sorted[sorted.count * 9 / 10], sorted[sorted.count / 10] + 1)
        let span = (readings.last?.time ?? 0) - (readings.first?.time ?? 0)
        // Where it is read whenever it changes, one of the readings is that of the frame in which it did.
        let isFollowed = Double(readings.count) >= 0.7 * span
        let best = high <= low ? low : isFollowed ? low : (low + high) / 2
        return Int64((best * 1000).rounded())
    }
}
