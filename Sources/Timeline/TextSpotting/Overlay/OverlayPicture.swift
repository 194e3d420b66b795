/// A sentence shown above the status line for a while.
public struct OverlayNotice: Hashable, Sendable {
    public enum Kind: Sendable {
        /// Something was done.
        case done
        /// Something that the user could do for a better result.
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

/// A list of keys and what each does.
public struct OverlayHelp: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        /// The key's name: `space`, `s`, `+ -`, `click`.
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

/// All that is drawn over one picture.
public struct OverlayContent: Hashable, Sendable {
    /// The searched words that were found.
    public var boxes: [OverlayBox]
    /// Where other text was read, in pixels of the picture: drawn thin.
    public var otherText: [Quad] = []
    /// Where there is other text that labels are not to cover, in pixels of the picture.
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

    /// The same with all that stands somewhere in the picture put elsewhere.
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

/// A small drawn piece of an overlay, ready to be blended onto a picture.
///
/// A value: copying it shares the bytes.
public struct OverlayPatch: Sendable, Hashable {
    /// The left edge in pixels of the picture it is blended onto.
    public let x: Int
    /// The top edge in pixels of the picture it is blended onto.
    public let y: Int
    /// In pixels.
    public let width: Int
    /// In pixels.
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
