/// A sentence shown above the status line for a while.
public struct OverlayNotice: Hashable, Sendable {
    public enum Kind: Sendable {
        /// Something was done.
        case done
        /// Something the user could do for a better result.
        case advice
        /// Something failed.
        case failure
    }

    public var text: String
    public var kind: Kind

    public init(_ text: String, kind: Kind = .done) {
        self.text = text
        self.kind = kind
    }
}

/// A list of keys and their effects.
public struct OverlayHelp: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        /// The name of the key: `space`, `s`, `+ -`, `click`.
        public var key: String
        /// Its effect, in a few words.
        public var meaning: String

        public init(_ key: String, _ meaning: String) {
            self.key = key
            self.meaning = meaning
        }
    }

    public var rows: [Row]

    public init(rows: [Row]) {
        self.rows = rows
    }
}

/// Everything that is drawn over one picture.
public struct OverlayContent: Hashable, Sendable {
    /// The searched words that were found.
    public var boxes: [OverlayBox]
    /// The places of other text that was read, in pixels of the picture; drawn thin.
    public var otherText: [Quad] = []
    /// The places of other text that labels must not cover, in pixels of the picture.
    public var textPlaces: [Quad] = []
    /// The recording being played; nil for none.
    public var player: OverlayPlayer?
    /// The line at the bottom; nil for none.
    public var status: OverlayStatus?
    /// Sentences above the status line, the last one at the bottom.
    public var notices: [OverlayNotice] = []
    /// The list of keys; nil for none.
    public var help: OverlayHelp?

    public init(boxes: [OverlayBox] = [], status: OverlayStatus? = nil) {
        self.boxes = boxes
        self.status = status
    }

    /// Returns the content with everything that has a place in the picture moved.
    public func mapped(_ place: (Point) -> Point) -> OverlayContent {
        var result = self
        result.boxes = boxes.map { box in
            var box = box
            box.quad = box.quad.mapped(place)
            return box
        }
        result.otherText = otherText.map { $0.mapped(place) }
        result.textPlaces = textPlaces.map { $0.mapped(place) }
        return result
    }
}

/// A found text to be marked in one picture.
public struct OverlayBox: Hashable, Sendable {
    /// The place of the matched words, in pixels of the picture.
    public var quad: Quad
    /// The text of the label, usually the pattern; ``OverlayText`` makes it safe to draw. An empty text makes a box
    /// without a label.
    public var text: String
    /// The confidence of the match, 0 to 1; shown as a percentage if given.
    public var score: Double?
    /// How far the box has faded: 0 if it was just confirmed, 1 if it is about to disappear.
    public var age: Double
    /// The index of the pattern among those searched for, which determines the color.
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
    /// The number of boxes shown.
    public var matches: Int
    /// Whether the shown picture has not been read yet, so that the absence of boxes means nothing.
    public var isFirstReading = false
    public var state: State
    /// The number of frames read per second; nil until it is known.
    public var readingsPerSecond: Double?
    /// The age of the last reading relative to the shown picture, in seconds; nil before the first.
    public var readingAge: Double?
    /// Another activity, such as `reading closely…`; nil for none.
    public var activity: String?
    /// The word being typed, shown instead of those searched for; nil if none is.
    public var typed: String?
    /// The index of the character before which typed text is inserted; nil for the end.
    public var cursor: Int?
    /// Whether the whole text is selected, so that typed text replaces it.
    public var isAllChosen = false
    /// An earlier search that is offered while a word is typed; nil for none.
    public var offered: String?

    public init(searched: [String], matches: Int, state: State = .running, readingsPerSecond: Double? = nil) {
        self.searched = searched
        self.matches = matches
        self.state = state
        self.readingsPerSecond = readingsPerSecond
    }
}

/// A small drawn piece of an overlay, ready to be blended onto a picture.
///
/// A value: copying it shares the bytes.
public struct OverlayPatch: Sendable, Hashable {
    /// The left edge, in pixels of the picture it is blended onto.
    public let x: Int
    /// The top edge, in pixels of the picture it is blended onto.
    public let y: Int
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// Blue, green, red and alpha bytes, colors multiplied by alpha; rows from the top, no padding between rows.
    public let bgra: [UInt8]

    /// - Precondition: `bgra` has exactly `width * height * 4` elements.
    public init(x: Int, y: Int, width: Int, height: Int, bgra: [UInt8]) {
        precondition(bgra.count == width * height * 4, "a patch's bytes must fill it")
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.bgra = bgra
    }
}
