public import TextSpotting

/// A line of text in a recording: its text, and since when, until when and where each of its words was in view.
///
/// Quads are in pixels of the picture as displayed, as sightings have them.
public struct RecordedLine: Sendable, Hashable {
    /// One word's time: the words of a line may come one after the other.
    public struct Presence: Sendable, Hashable {
        /// Which of the part's appearances it is: a word that two lines (two readings of one) share has the same number.
        public var id: Int
        public var start: StreamTime
        /// Exclusive.
        public var end: StreamTime

        public init(id: Int, start: StreamTime, end: StreamTime) {
            self.id = id
            self.start = start
            self.end = end
        }
    }

    /// As it was read, where it was in the first of the readings that say this.
    public var line: TextLine
    /// Which readings of the part say this: from the first up to behind the last.
    public var steps: Range<Int>
    /// One for each word of ``line``.
    public var words: [Presence]
    /// How it moves.
    public var path: LinePath

    public init(line: TextLine, steps: Range<Int>, words: [Presence], path: LinePath = LinePath()) {
        self.line = line
        self.steps = steps
        self.words = words
        self.path = path
    }
}
