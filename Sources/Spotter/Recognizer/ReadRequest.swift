import TextSpotting

/// A request to the recognizer: a part of a stream that ends with a frame worth reading (or with the stream).
struct ReadRequest: Sendable {
    /// The frames since the step before, oldest first, as thumbnails; the last one is the one to be read.
    var frames: [FrameHistory.Frame]
    /// The frame that was read before this step and all since; the last one is the one to be read. What was only read again between
    /// two readings does not count as read.
    var sinceReading: [FrameHistory.Frame] = []
    /// The frame to be read where it is not among ``frames``; nil for the last of these.
    var frame: FrameTime?
    /// The picture to be read; nil at the end, when nothing is left to read.
    var picture: Picture?
    /// The picture of which only lines are to be read that keep changing their letters.
    var reread: DeferredPicture?
    /// The tiles that changed since the step before; nil if there is none to compare with.
    var changed: TileMask?
    /// By how much the rest moved since the step before, in pixels of the thumbnail.
    var displacement = Displacement.none
    /// It is read to make sure of all of it: nothing is taken for known.
    var isThorough = false
    /// Bytes to be given back to the budget once it is joined.
    var budgeted = 0
    var geometry: FrameGeometry
    /// When the frame came.
    var arrival = ContinuousClock.now
    /// When it was taken to be read.
    var begun = ContinuousClock.now
    /// The frame as a thumbnail, where one is wanted besides ``frames``.
    var thumbnail: Picture?
    /// The whole frame as stored, where pictures of it are wanted.
    var shown: Picture?
    /// The picture looks as it did when it was last read: what was known still is.
    var isUnchanged = false
    /// Its lines, where a better reader has read it already.
    var closeLines: [TextLine]?

    /// When the frame to be read is shown; nil where the request has no frame.
    var time: FrameTime? { frame ?? frames.last?.time }

    /// All of the picture was looked at.
    var isComplete: Bool { reread == nil }

    /// The size of its pictures in memory; one that repeats the one before takes nothing.
    var byteCount: Int {
        (picture?.bytes.count ?? 0) + (reread?.byteCount ?? 0) + FrameHistory.distinctBytes(of: frames)
    }
}
