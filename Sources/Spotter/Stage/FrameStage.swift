public import GStreamerMedia
public import TextMatching
public import TextSpotting
public import Threads

/// A search in the middle of somebody else's pipeline: it is handed each frame in its order, and says where on it the searched
/// words are when the frame goes on.
///
/// ``take(_:)``, ``isReady(_:)``, ``boxes(on:)`` and ``finish()`` are the stream's, called by one thread at a time; the others are
/// for any thread. What happens is reported from several threads.
public protocol FrameStage: Sendable {
    /// Takes the next frame; the number and time that it says stand for the frame from now on.
    ///
    /// - Throws: `FramegrepError` when the frame cannot be read, now or ever.
    func take(_ sample: borrowing Sample) throws -> FrameTime

    /// Whether all that is to be known about a frame has come: else it is to be held until a later one was taken.
    func isReady(_ frame: FrameTime) -> Bool

    /// The boxes on a frame, each frame once and in their order.
    func boxes(on frame: FrameTime) -> [FollowedBox]

    /// No frame follows: returns when all of them are read and everything is reported.
    func finish()

    /// Ends the search at once: a thread that waits in one of the functions above goes on, what is not read yet is not read any
    /// more, and what is known is reported.
    func interrupt()

    /// Calls `body` when nothing of the search is left, on any thread. To be called after ``finish()`` or ``interrupt()``.
    func whenOver(_ body: @escaping @Sendable () -> Void)

    /// Searches for something else from now on, where that can be done without beginning anew.
    ///
    /// - Returns: whether it could.
    func search(for matcher: Matcher) -> Bool

    /// A frame was shown late.
    func frameWasLate()

    /// How well it keeps up, measured since it was last asked.
    func statistics() -> LiveStatistics
}

/// How a ``FrameStage`` searches.
public struct StageSettings: Sendable {
    /// The part of the picture to search; nil for all of it.
    public var region: RegionOfInterest?
    /// Matches below this score are ignored.
    public var minimumScore = Matcher.usualMinimumScore
    /// How long frames are held, and so which readings their boxes rest on.
    public var timing = OverlayTiming.tracked
    /// Boxes are wanted on the frames.
    public var carriesBoxes = true
    /// At least so much of the stream lies between two readings.
    public var readInterval = StreamTime.zero
    /// Tell every line that is read, besides the matches.
    public var reportsAllText = false
    /// A box whose words were read longer ago is no longer drawn.
    public var maximumAge = StreamTime(seconds: 2)
    /// Makes the reader give way.
    public var rightOfWay = RightOfWay()

    public init() {}
}

/// The callbacks of a ``FrameStage``, called from several threads; neither may block.
public struct StageReport: Sendable {
    /// Called with each event.
    let event: @Sendable (LiveEvent) -> Void
    /// A line of text was on screen, matched or not; its `pattern` is empty.
    let text: @Sendable (Sighting) -> Void

    public init(event: @escaping @Sendable (LiveEvent) -> Void, text: @escaping @Sendable (Sighting) -> Void) {
        self.event = event
        self.text = text
    }
}
