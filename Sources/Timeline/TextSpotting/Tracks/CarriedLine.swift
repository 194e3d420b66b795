/// A known line that was found again in a later picture without looking for lines there.
struct CarriedLine: Sendable {
    /// The ``TextTrack/id`` of the line.
    var track: Int
    /// The motion of the line since it was last seen, in pixels of the picture.
    var step: PlanarMotion
    /// Whether the picture differs from the one that was read: larger, or with other noise.
    var isFresh: Bool
    /// Whether the line is so much larger, or turned so far, that reading it again is worthwhile.
    var isClearer: Bool
}
