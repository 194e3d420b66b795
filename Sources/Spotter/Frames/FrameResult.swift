public import TextSpotting

/// The complete result of one reading, matched or not: for keeping it to be searched later.
public struct FrameResult: Sendable {
    /// How the pictures that are read lie in the picture that people see.
    public struct Geometry: Sendable, Hashable {
        /// Where the searched part begins, in pixels of the frame as stored.
        public var origin: Point
        /// Width of a displayed pixel divided by its height.
        public var pixelAspect: Double
        /// Size of the thumbnails divided by that of the searched part.
        public var scale: Double
        /// Of the frame as stored, in pixels.
        public var width: Int
        public var height: Int
    }

    /// Of the frame that was read, or of the last one where none was.
    public var time: FrameTime
    public var geometry: Geometry
    /// The lines in view, in pixels of the searched part.
    public var tracks: [TextTrack]
    /// All of the picture was looked at; otherwise only what was read at ``time`` is known to be there.
    public var isComplete = true
    /// The frames since the finding before, up to and including this one, as thumbnails.
    public var frames: [FrameHistory.Frame]
}

extension FrameGeometry {
    var finding: FrameResult.Geometry {
        FrameResult.Geometry(
            origin: origin, pixelAspect: pixelAspectRatio, scale: scale, width: frameWidth, height: frameHeight)
    }
}
