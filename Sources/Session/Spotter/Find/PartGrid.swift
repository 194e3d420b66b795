import TextSpotting

/// The times at which the reading of a recording starts anew, so that its parts can be read side by side.
///
/// They depend on the recording alone, so that it gives the same result on every machine, whether its parts are read
/// side by side or one after the other (docs/decisions/parts-side-by-side.md). The borders are 30 seconds apart; a
/// recording shorter than a minute has none.
struct PartGrid: Sendable, Hashable {
    static let length = StreamTime(seconds: 30)
    private static let shortest = StreamTime(seconds: 60)
    /// Demuxers of containers that state their length, whether they are read from a file or a pipe.
    static let exactDemuxers: Set<String> = ["qtdemux", "matroskademux", "avidemux"]

    /// The end of the first part.
    private let first: StreamTime

    /// - Parameter length: the length that the recording states; nil if it states none, or only an estimate. Then the
    ///   first part is as long as a recording without borders may be.
    init(stating length: StreamTime?) {
        first = length.map { $0 >= Self.shortest } ?? false ? Self.length : Self.shortest
    }

    /// Returns the part in which a frame with this start is read, counted from 0.
    func part(at time: StreamTime) -> Int {
        time < first ? 0 : 1 + Int((time - first).nanoseconds / Self.length.nanoseconds)
    }

    func beginning(of part: Int) -> StreamTime {
        part == 0 ? .zero : first + StreamTime(nanoseconds: Int64(part - 1) * Self.length.nanoseconds)
    }
}
