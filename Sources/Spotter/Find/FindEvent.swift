public import Errors
public import TextSpotting

/// An event of a running search, in order.
public enum FindEvent: Sendable {
    /// A sighting is over and will not change any more; quads are in pixels of the picture as displayed.
    case sighting(Sighting)
    /// A line of text was on screen, matched or not; only when all text was asked for. Its `pattern` is empty.
    case text(Sighting)
    /// The source turns out to be one picture, so that times mean nothing; before anything is found in it. Only of a source that could
    /// not be looked at before.
    case onePicture
    /// A frame was read; only when findings were asked for.
    case finding(FrameResult)
    /// How far the search is, in stream time.
    case progress(StreamTime, of: StreamTime?)
    /// Something is not as it should be, but the search goes on.
    case warning(FramegrepError)
}
