/// A found text to be marked in one picture.
public struct OverlayBox: Hashable, Sendable {
    /// Where the matched words stand, in pixels of the picture.
    public var quad: Quad
    /// The label's text, usually the pattern; drawn as ``OverlayText`` makes it safe. Empty: a box without a label.
    public var text: String
    /// How sure the match is, 0 to 1; shown as percent where given.
    public var score: Double?
    /// How far the box has faded: 0 was just confirmed, 1 is about to go.
    public var age: Double
    /// Chooses the color: the index of the pattern among those searched for.
    public var patternIndex: Int

    public init(quad: Quad, text: String, score: Double? = nil, age: Double = 0, patternIndex: Int = 0) {
        self.quad = quad
        self.text = text
        self.score = score
        self.age = age
        self.patternIndex = patternIndex
    }
}

/// The contents of the line at the bottom of the picture.
public struct OverlayStatus: Hashable, Sendable {
    /// The state of the source; the raw values are the words of the events' `state`.
    public enum State: String, Sendable, CaseIterable {
        case opening, running, stalled, reconnecting, paused, ended, failed
    }

    /// The patterns searched for.
    public var searched: [String]
    /// How many boxes are shown now.
    public var matches: Int
    /// The shown picture has not been read yet: the absence of boxes means nothing.
    public var isFirstReading = false
    public var state: State
    /// How many frames a second are read; nil while it is not known.
    public var readingsPerSecond: Double?
    /// How much older than the picture being shown the last reading is, in seconds; nil before the first.
    public var readingAge: Double?
    /// Another activity: `reading closely…`; nil for none.
    public var activity: String?
    /// The word being typed instead of those searched for; nil when none is.
    public var typed: String?
    /// The index of the character before which typed text is put; nil for its end.
    public var cursor: Int?
    /// All of it is selected: typed text replaces it.
    public var isAllChosen = false
    /// An earlier search that can be had again while a word is typed; nil for none.
    public var offered: String?

    public init(searched: [String], matches: Int, state: State = .running, readingsPerSecond: Double? = nil) {
        self.searched = searched
        self.matches = matches
        self.state = state
        self.readingsPerSecond = readingsPerSecond
    }
}
