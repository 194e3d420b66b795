public import TextSpotting

/// When each frame of a part is on screen, in a few numbers where frames come evenly.
public struct FrameTimes: Sendable, Hashable {
    /// Frames of which each begins as long after the one before as the others.
    public struct Run: Sendable, Hashable {
        /// When the first begins, in nanoseconds.
        public var start: Int64
        public var count: Int
        /// From the beginning of the first to the end of the last.
        public var span: Int64

        public init(start: Int64, count: Int, span: Int64) {
            (self.start, self.count, self.span) = (start, count, span)
        }
    }

    /// Times may be off by this much, which no output shows.
    static let tolerance: Int64 = 500

    public var runs: [Run]

    public init(runs: [Run] = []) { self.runs = runs }

    public var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// How long the frame counts that counts longest.
    var longest: StreamTime {
        StreamTime(nanoseconds: runs.lazy.filter { $0.count > 0 }.map { $0.span / Int64($0.count) }.max() ?? 0)
    }

    /// The end of the last frame.
    public var end: StreamTime { StreamTime(nanoseconds: runs.last.map { $0.start + $0.span } ?? 0) }

    /// Adds the next frame.
    mutating func append(_ time: FrameTime) {
        let (start, end) = (time.start.nanoseconds, time.end.nanoseconds)
        if var run = runs.last, abs(run.start + run.span - start) <= Self.tolerance {
            let step = Double(run.span) / Double(run.count)
            let whole = Double(end - run.start) / Double(run.count + 1)
            // The more frames, the better the run's own rate is known.
            if abs(Double(start - run.start) - whole * Double(run.count)) <= Double(Self.tolerance),
                abs(step - whole) * Double(run.count) <= Double(2 * Self.tolerance)
            {
                run.count += 1
                run.span = end - run.start
                runs[runs.count - 1] = run
                return
            }
        }
        runs.append(Run(start: start, count: 1, span: end - start))
    }

    /// The time of a frame; nil if there is none of this number.
    public func time(of frame: Int) -> FrameTime? {
        var first = 0
        for run in runs {
            if frame < first + run.count, frame >= first {
                let (start, end) = (run.start(of: frame - first), run.start(of: frame - first + 1))
                return FrameTime(
                    index: frame, start: StreamTime(nanoseconds: start), duration: StreamTime(nanoseconds: end - start))
            }
            first += run.count
        }
        return nil
    }

    /// The frames that begin in `times`.
    public func frames(in times: Range<StreamTime>) -> Range<Int> {
        let (low, high) = (count(before: times.lowerBound), count(before: times.upperBound))
        return low..<max(low, high)
    }

    /// How many frames begin before `time`, give or take what no output shows.
    private func count(before time: StreamTime) -> Int {
        let limit = time.nanoseconds - Self.tolerance
        var total = 0
        for run in runs {
            guard run.start < limit else { break }
            total += (0..<run.count).prefixEnd(while: { run.start(of: $0) < limit })
        }
        return total
    }
}

extension FrameTimes.Run {
    func start(of index: Int) -> Int64 {
        count > 0 ? start + Int64((Double(span) * Double(index) / Double(count)).rounded()) : start
    }
}

/// The text read in a stretch of a recording.
public struct RecordedPart: Sendable, Hashable {
    /// Where the stretch begins and ends, in stream time.
    public var from: StreamTime
    public var to: StreamTime
    public var frames: FrameTimes
    /// Which frames were read, by their numbers in ``frames``.
    public var steps: [Int]
    public var lines: [RecordedLine]
    /// The clock in the picture; its texts are not among the lines.
    public var clock: ClockTrack?

    public init(
        from: StreamTime, to: StreamTime, frames: FrameTimes = FrameTimes(), steps: [Int] = [],
        lines: [RecordedLine] = [], clock: ClockTrack? = nil
    ) {
        self.from = from
        self.to = to
        self.frames = frames
        self.steps = steps
        self.lines = lines
        self.clock = clock
    }
}

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
            (self.id, self.start, self.end) = (id, start, end)
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

    public init(line: TextLine, steps: Range<Int>, words: [Presence], path: LinePath = .none) {
        self.line = line
        self.steps = steps
        self.words = words
        self.path = path
    }
}
