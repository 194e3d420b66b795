public import Speech
public import TextSpotting
public import Threads

/// Settings for how the live job displays and judges its readings.
public struct LiveSettings: Sendable {
    public var reading = ReadingPlan()
    /// Which frame the boxes are drawn on.
    public var overlay = OverlayTiming.tracked
    /// The time without a frame after which a source counts as stalled.
    public var stallTime = Duration.seconds(4)
    /// Whether to report the boxes that are drawn in each frame.
    public var reportsBoxes = false
    /// Whether to report every line that is read, in addition to the matches, and each state of a line that grows.
    public var reportsAllText = false
    public var reportsEachChange = false
    /// The destination of pictures of sightings; nil for none.
    public var pictures: SightingPictures?
    /// Receives every frame with its boxes while someone looks; nil if there is never a viewer.
    public var viewer: (any FrameViewer)?
    /// Whether to draw the line with the searched words, the state and the reading speed.
    public var showsStatus = true
    /// The source's name in the window's title; never holds credentials.
    public var sourceName = ""
    /// Whether a recording in a window has player controls and stays open at its end.
    public var playsRecordings = false
    /// The folder for pictures that the user saves.
    public var snapshotFolder = "."
    /// Creates a better reader for a picture that stands still; nil to read it like any other. Called at most once,
    /// when the picture is first frozen.
    public var closeReader: (@Sendable () async throws -> any TextReader)?
    /// Makes the reader yield: the display reports each frame that is shown late. Readers that do not use it never
    /// yield.
    public var rightOfWay = RightOfWay()
    /// If set, findings are hidden rather than marked, and no frame passes that was not read. Events then have no text,
    /// frames go only to the window and the pipeline's own outputs, and settings for boxes, pictures and readings have
    /// no effect.
    public var hiding: RunningHidingSettings?
    /// Listens to the user at the window; nil if there is no microphone.
    public var voice: LiveVoice?
    /// Called with a sentence naming the properties of the user's own description that were changed; nil if that is not
    /// wanted.
    public var hearChange: (@Sendable (String) -> Void)?
    /// The searches made before, which are offered while a word is typed; nil to offer only those of this run.
    public var history: SearchHistory?

    public init() {}
}

/// Determines when a frame is shown, and so which boxes can be on it.
public enum OverlayTiming: Sendable, Hashable {
    /// At once; boxes that were read on an earlier frame are followed to it.
    case tracked
    /// A fixed time after it arrived; by then it has been read, or frames on both sides of it have.
    case exact(delay: StreamTime)

    /// The default delay of ``exact(delay:)``: longer than two readings take.
    public static let defaultDelay = StreamTime(seconds: 0.35)

    /// The largest number of frames waiting for their boxes, which bounds memory: a second at 120 frames per second.
    public static let mostHeld = 120

    /// The time by which a frame is shown later than it arrived.
    public var delay: StreamTime {
        if case .exact(let delay) = self { delay } else { .zero }
    }
}

/// Settings for hiding findings in a running picture.
public struct RunningHidingSettings: Sendable {
    /// How the picture is read. Everything in it is read again after the bound on age, however little seems to change.
    public var reading = ReadingPlan(minimumScore: ReadingPlan.hidingScore)
    /// Whether, for kinds of content too, only the words that were read are hidden rather than the line.
    public var hidesOnlyWords = false
    public var style = HidingStyle.black
    /// The least delay of a frame. Half of it is for later frames, which may show what is on this one.
    public var delay = OverlayTiming.defaultDelay
    /// Whether frames that cannot be read in time are refused; otherwise their source waits.
    public var refusesFrames = false

    public init() {}
}

/// Settings for voice search at the window.
public struct LiveVoice: Sendable {
    /// Listens and recognizes speech.
    public var ear: VoiceEar
    /// Whether to listen from the start.
    public var beginsListening: Bool
    /// Returns other lines that the user may mean besides those in the picture, such as those of an index, the most
    /// likely first. May be slow.
    public var otherLines: @Sendable () -> [String]

    public init(_ ear: VoiceEar, beginsListening: Bool = false, otherLines: @escaping @Sendable () -> [String] = { [] })
    {
        self.ear = ear
        self.beginsListening = beginsListening
        self.otherLines = otherLines
    }
}
