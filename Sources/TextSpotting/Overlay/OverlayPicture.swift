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
