/// All that the reading of one frame found, matched or not: what is searched, and what is kept to be searched later.
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

        public init(origin: Point, pixelAspect: Double, scale: Double, width: Int, height: Int) {
            self.origin = origin
            self.pixelAspect = pixelAspect
            self.scale = scale
            self.width = width
            self.height = height
        }

        /// From the searched part to the picture as displayed.
        public func displayed(_ searched: Quad) -> Quad { searched.moved(by: origin).scaled(x: pixelAspect, y: 1) }
    }

    /// Of the frame that was read, or of the last one where none was.
    public var time: FrameTime
    public var geometry: Geometry
    /// The lines in view, in pixels of the searched part.
    public var tracks: [TextTrack]
    /// All of the picture was looked at; otherwise only what was read at ``time`` is known to be there.
    public var isComplete: Bool
    /// The frames since the result before, up to and including this one, as thumbnails.
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
    /// The matches in it, with quads in pixels of the frame.
    public var matches: [Match]
    /// All lines that are in view in it, in pixels of the frame, so that what took the place of a match is known.
    public var lines: [TextLine]
    /// All of the picture was read; otherwise only ``lines`` were, and the rest is unchanged.
    public var isComplete: Bool
    /// The frames after the previous reading up to and including this one, oldest first, as thumbnails;
    /// empty if none are kept (live), which costs exactness but nothing else.
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
