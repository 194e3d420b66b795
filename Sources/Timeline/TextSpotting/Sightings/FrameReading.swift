/// Everything found in reading one frame, matched or not: it is searched now and kept so that it can be searched later.
public struct FrameResult: Sendable {
    /// Maps the pictures that are read to the picture as displayed.
    public struct Geometry: Sendable, Hashable {
        /// The origin of the searched part, in pixels of the frame as stored.
        public var origin: Point
        /// The width of a displayed pixel divided by its height.
        public var pixelAspect: Double
        /// The size of the thumbnails divided by that of the searched part.
        public var scale: Double
        /// The width of the frame as stored, in pixels.
        public var width: Int
        public var height: Int

        public init(origin: Point, pixelAspect: Double, scale: Double, width: Int, height: Int) {
            self.origin = origin
            self.pixelAspect = pixelAspect
            self.scale = scale
            self.width = width
            self.height = height
        }

        /// Converts from the searched part to the picture as displayed.
        public func displayed(_ searched: Quad) -> Quad { searched.moved(by: origin).scaled(x: pixelAspect, y: 1) }
    }

    /// The time of the frame that was read, or of the last frame if none was read.
    public var time: FrameTime
    public var geometry: Geometry
    /// The lines in view, in pixels of the searched part.
    public var tracks: [TextTrack]
    /// Whether the whole picture was looked at; if not, only the text that was read at ``time`` is known to be there.
    public var isComplete: Bool
    /// The frames since the previous result, up to and including this one, as thumbnails.
    public var frames: [FrameHistory.Frame]

    public init(
        time: FrameTime, geometry: Geometry, tracks: [TextTrack], isComplete: Bool = true,
        frames: [FrameHistory.Frame]
    ) {
        self.time = time
        self.geometry = geometry
        self.tracks = tracks
        self.isComplete = isComplete
        self.frames = frames
    }
}

/// The result of reading one frame, and the frames that passed since the reading before it.
public struct FrameReading: Sendable {
    /// The frame that was read.
    public var time: FrameTime
    /// The matches in the frame, with quads in pixels of the frame.
    public var matches: [Match]
    /// All lines in view in the frame, in pixels of the frame, from which the text that replaced a match is known.
    public var lines: [TextLine]
    /// Whether the whole picture was read; if not, only ``lines`` were read and the rest is unchanged.
    public var isComplete: Bool
    /// The frames after the previous reading up to and including this one, oldest first, as thumbnails. Empty if none
    /// are kept (live); only the exactness of times suffers from that.
    public var frames: [FrameHistory.Frame]

    public init(
        time: FrameTime, matches: [Match], lines: [TextLine] = [], isComplete: Bool = true,
        frames: [FrameHistory.Frame] = []
    ) {
        self.time = time
        self.matches = matches
        self.lines = lines
        self.isComplete = isComplete
        self.frames = frames
    }
}
