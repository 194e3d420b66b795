/// A pattern seen over time: from when to when, where, and how sure.
public struct Sighting: Sendable, Hashable {
    /// Where the matched words are in one frame.
    public struct Box: Sendable, Hashable {
        public var time: FrameTime
        /// The matched words only, in pixels of the frame as stored.
        public var quad: Quad

        public init(time: FrameTime, quad: Quad) {
            self.time = time
            self.quad = quad
        }
    }

    /// What is known of it besides its best frame.
    public struct Course: Sendable, Hashable {
        /// The frames of the first and the last reading that found it.
        public var readTimes: ClosedRange<StreamTime>
        /// Where it was in the first and in the last frame that showed it, in pixels of the frame.
        public var first: Quad
        public var last: Quad

        public init(readTimes: ClosedRange<StreamTime>, first: Quad, last: Quad) {
            self.readTimes = readTimes
            self.first = first
            self.last = last
        }
    }

    /// Counts the sightings of one search from 1, in the order in which they appeared.
    public var id: Int
    /// Place of the pattern in the search's list of patterns.
    public var patternIndex: Int
    /// The pattern as the user wrote it.
    public var pattern: String
    /// The matched words as they were read in the best reading.
    public var text: String
    /// The whole line as it was read in the best reading.
    public var line: String
    /// The first moment at which the words are visible.
    public var start: StreamTime
    /// The first moment at which they no longer are.
    public var end: StreamTime
    /// How sure the best reading is, 0 to 1.
    public var score: Double
    /// The best reading's frame, and where the words were in it.
    public var peak: Box
    /// Every frame in which the words are visible, in order; empty unless the timeline was asked to keep them.
    public var boxes: [Box]
    /// How much earlier than said the words may have come and gone, because only some pictures were looked at. Nil if all were.
    public var slack: StreamTime? = nil
    /// Where it came from and went to; nil where that is not known.
    public var course: Course? = nil
    /// The lines mean what was asked for, whatever their words are.
    public var isByMeaning = false

    public init(
        id: Int, patternIndex: Int, pattern: String, text: String, line: String, start: StreamTime, end: StreamTime,
        score: Double, peak: Box, boxes: [Box] = []
    ) {
        self.id = id
        self.patternIndex = patternIndex
        self.pattern = pattern
        self.text = text
        self.line = line
        self.start = start
        self.end = end
        self.score = score
        self.peak = peak
        self.boxes = boxes
    }
}
