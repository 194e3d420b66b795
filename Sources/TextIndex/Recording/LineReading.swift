public import TextSpotting

/// The complete result of reading one frame, as ``LineRecorder`` takes it.
public struct LineReading: Sendable {
    /// How the pictures that were read lie in the picture that people see.
    public struct Geometry: Sendable, Hashable {
        /// Where the part that is read begins, in pixels of the frame as stored.
        public var origin: Point
        /// Width of a displayed pixel divided by its height.
        public var pixelAspect: Double
        /// Size of the thumbnails divided by that of the part.
        public var scale: Double
        /// Of the frame, in pixels.
        public var width: Int
        public var height: Int

        public init(origin: Point, pixelAspect: Double, scale: Double, width: Int, height: Int) {
            self.origin = origin
            self.pixelAspect = pixelAspect
            self.scale = scale
            self.width = width
            self.height = height
        }

        func displayed(_ quad: Quad) -> Quad { quad.moved(by: origin).scaled(x: pixelAspect, y: 1) }
    }

    /// A line in view, and the number of its track.
    public struct Line: Sendable {
        public var track: Int
        public var line: TextLine
        /// It was read; otherwise it is assumed to be there as before.
        public var isRead: Bool

        public init(track: Int, line: TextLine, isRead: Bool = true) {
            self.track = track
            self.line = line
            self.isRead = isRead
        }
    }

    /// Of the frame that was read, or of the last one where none was.
    public var time: FrameTime
    public var geometry: Geometry
    /// In pixels of the part that was read.
    public var lines: [Line]
    /// All of the picture was looked at.
    public var isComplete: Bool
    /// The frames since the reading before, up to and including this one.
    public var frames: [FrameHistory.Frame]

    public init(
        time: FrameTime, geometry: Geometry, lines: [Line], isComplete: Bool = true, frames: [FrameHistory.Frame]
    ) {
        self.time = time
        self.geometry = geometry
        self.lines = lines
        self.isComplete = isComplete
        self.frames = frames
    }
}
