/// What one reading of a frame found, and the frames that passed since the reading before it.
public struct FrameReading: Sendable {
    /// The frame that was read.
    public var time: FrameTime
    /// The matches in it, with quads in pixels of the frame.
    public var matches: [Match]
    /// The frames after the previous reading up to and including this one, oldest first, as small luma pictures;
    /// empty where none are kept (live), which costs exactness but nothing else.
    public var frames: [PictureTrail.Frame]

    public init(time: FrameTime, matches: [Match], frames: [PictureTrail.Frame] = []) {
        self.time = time
        self.matches = matches
        self.frames = frames
    }
}
