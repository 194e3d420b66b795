public import Speech
public import TextSpotting
public import Threads

/// How the live job shows and judges what it reads.
public struct LiveSettings: Sendable {
    public var reading = ReadingPlan()
    /// Which frame the boxes are drawn on.
    public var overlay = OverlayTiming.tracked
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
    /// Nothing is marked: what is found is hidden, and no frame goes on that was not read. Then events have no text, no viewer gets frames
    /// but the window and the pipeline's own outputs, and settings about boxes, pictures and readings mean nothing.
    public var hiding: RunningHidingSettings?
    /// Listens to the person at the window; nil if there is no microphone.
    public var voice: LiveVoice?
    /// Told in a sentence which properties of a description of the person's own are set to other values; nil if that is not wanted.
    public var hearChange: (@Sendable (String) -> Void)?
    /// The searches made before, offered while a word is typed; nil to offer only those of this run.
    public var history: SearchHistory?

    public init() {}
}

/// When a frame is shown, and with it which boxes there can be on it.
public enum OverlayTiming: Sendable, Hashable {
    /// At once; boxes that were read on an earlier frame are followed to it.
    case tracked
    /// So much later than it came; by then it has been read, or frames on both sides of it.
    case exact(delay: StreamTime)

    /// The default delay of ``exact(delay:)``: longer than two readings take.
    public static let defaultDelay = StreamTime(seconds: 0.35)

    /// More frames than these do not wait for their boxes, to bound memory at high rates: a second at 120 frames a second.
    public static let mostHeld = 120

    /// How much later than it came a frame is shown.
    public var delay: StreamTime {
        if case .exact(let delay) = self { delay } else { .zero }
    }
}

/// How what is found in a running picture is hidden.
public struct RunningHidingSettings: Sendable {
    /// All that is on the picture is read anew after its bound on age, however little seems to change.
    public var reading = ReadingPlan(minimumScore: ReadingPlan.hidingScore)
    /// Of kinds of content too, no more of a line is hidden than what was read as theirs.
    public var hidesOnlyWords = false
    public var style = HidingStyle.black
    /// So much later than it came a frame goes on, at least. Half of it is for what comes after the frame and says what is on it.
    public var delay = OverlayTiming.defaultDelay
    /// Frames that cannot be read in time are refused; else their source waits.
    public var refusesFrames = false

    public init() {}
}

/// How the window listens.
public struct LiveVoice: Sendable {
    /// Listens and understands.
    public var ear: VoiceEar
    /// Listens from the start.
    public var beginsListening: Bool
    /// Lines that may be meant besides those on the picture, likelier ones first: those of an index. May take its time.
    public var otherLines: @Sendable () -> [String]

    public init(_ ear: VoiceEar, beginsListening: Bool = false, otherLines: @escaping @Sendable () -> [String] = { [] })
    {
        self.ear = ear
        self.beginsListening = beginsListening
        self.otherLines = otherLines
    }
}
