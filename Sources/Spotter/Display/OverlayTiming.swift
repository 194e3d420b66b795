public import TextSpotting

/// When a frame is shown, and with it which boxes there can be on it.
public enum OverlayTiming: Sendable, Hashable {
    /// At once; boxes that were read on an earlier frame are followed to it.
    case tracked
    /// So much later than it came; by then it has been read, or frames on both sides of it.
    case exact(delay: StreamTime)

    /// The default delay of ``exact(delay:)``: longer than two readings take.
    public static let defaultDelay = StreamTime(seconds: 0.35)

    /// How much later than it came a frame is shown.
    public var delay: StreamTime {
        if case .exact(let delay) = self { delay } else { .zero }
    }
}
