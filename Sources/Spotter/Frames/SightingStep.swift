import TextSpotting

/// The state of a search as soon as a part of the recording has been joined, before its sightings are over.
struct SightingStep: Sendable {
    /// The last frame of it.
    let time: FrameTime
    /// The lines in view then, in pixels of the picture as displayed; nil where nothing was read.
    let lines: [TextLine]?
    /// The sightings that go on, each with its boxes since the step before, in pixels of the picture as displayed.
    let open: [Sighting]
}
