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
