/// A known line that was found again in a later picture without looking for lines there.
struct CarriedLine: Sendable {
    /// The ``TextTrack/id``.
    var track: Int
    /// How it moved since it was last seen, in pixels of the picture.
    var step: PlanarMotion
    /// The picture shows it otherwise than it was read: larger, or with other noise.
    var isFresh: Bool
    /// Whether it is so much larger, or turned so far, that reading it again is worth it.
    var isClearer: Bool
}
