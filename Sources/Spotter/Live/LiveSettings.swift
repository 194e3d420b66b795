import TextMatching
public import TextSpotting
public import Threads

/// How the live job shows and judges what it reads.
public struct LiveSettings: Sendable {
    /// The part of the picture to search; nil for all of it.
    public var region: RegionOfInterest?
    /// Matches below this score are ignored.
    public var minimumScore = Matcher.usualMinimumScore
    /// Which frame the boxes are drawn on.
    public var overlay = OverlayTiming.tracked
    /// Text that seems not to change is read again after this time, and a box whose words were read longer ago is no longer
    /// drawn.
    public var maximumAge = StreamTime(seconds: 2)
    /// A source without a frame for this long counts as stalled.
    public var stallTime = Duration.seconds(4)
    /// Report the boxes that are drawn in every frame.
    public var reportsBoxes = false
    /// Report every line that is read, besides the matches, and of a line that grows each state.
    public var reportsAllText = false
    public var reportsEachChange = false
    /// Where a picture of each sighting goes; nil for nowhere.
    public var pictures: SightingPictures?
    /// Sees every frame with its boxes while it looks; nil if there is never a viewer.
    public var viewer: (any FrameViewer)?
    /// Draw the line with the searched words, the state and the reading speed.
    public var showsStatus = true
    /// The source's name in the window's title; never holds credentials.
    public var sourceName = ""
    /// A recording is a player in a window: the person goes back and forth in it, and it stays open at its end.
    public var playsRecordings = false
    /// Where pictures go that the person keeps.
    public var snapshotFolder = "."
    /// Makes a better reader for a picture that stands still; nil to read that as any other. Called at most once, when the
    /// picture is first frozen.
    public var closeReader: (@Sendable () async throws -> any TextReader)?
    /// Makes the reader give way: the display reports to it each frame that is shown late. A reader that does not use it does not give way.
    public var rightOfWay = RightOfWay()
    /// Nothing is marked: what is found is hidden, and no frame goes on that was not read. Then what is told has no text, nobody sees frames
    /// but the window and the pipeline's own outputs, and settings about boxes, pictures and readings mean nothing.
    public var hiding: RunningHidingSettings?
    /// Listens to the person at the window; nil where nobody can be.
    public var voice: LiveVoice?
    /// The searches made before, offered while a word is typed; nil to offer only those of this run.
    public var history: SearchHistory?

    public init() {}
}
