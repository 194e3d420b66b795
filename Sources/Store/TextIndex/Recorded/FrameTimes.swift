public import TextSpotting

/// The times at which each frame of a part is on screen, in a few numbers if the frames are evenly spaced.
public struct FrameTimes: Sendable, Hashable {
    /// Consecutive frames that are evenly spaced.
    public struct Run: Sendable, Hashable {
        /// The start of the first frame, in nanoseconds.
        public var start: Int64
        public var count: Int
        /// The time from the start of the first frame to the end of the last, in nanoseconds.
        public var span: Int64

        public init(start: Int64, count: Int, span: Int64) {
            (self.start, self.count, self.span) = (start, count, span)
        }
    }

    /// The tolerance for times, in nanoseconds, which no output shows.
    static let tolerance: Int64 = 500

    public var runs: [Run]

    public init(runs: [Run] = []) { self.runs = runs }

    public var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// Whether they are those of a still picture: one frame, shown for as long as one without a duration is. A recording
    /// of one frame a second that has only one looks the same.
    var areOfStill: Bool { runs == [Run(start: 0, count: 1, span: FrameTime.stillDuration.nanoseconds)] }

    /// The longest duration of a frame.
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
            // The more frames there are, the better the rate of the run is known.
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

    /// Returns the time of a frame; nil if there is no frame of this number.
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

    /// Returns the frames that begin in `times`.
    public func frames(in times: Range<StreamTime>) -> Range<Int> {
        let (low, high) = (count(before: times.lowerBound), count(before: times.upperBound))
        return low..<max(low, high)
    }

    /// Returns the number of frames that begin before `time`, within the tolerance.
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
    /// The beginning of the stretch, in stream time.
    public var from: StreamTime
    public var to: StreamTime
    public var frames: FrameTimes
    /// The frames that were read, as indices into ``frames``.
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

/// A line of text in a recording: its text, and the times and the place at which each of its words was in view.
///
/// Quads are in pixels of the picture as displayed, as for sightings.
public struct RecordedLine: Sendable, Hashable {
    /// The time of one word: the words of a line may appear one after the other.
    public struct Presence: Sendable, Hashable {
        /// The number of the appearance within the part: a word that two lines (two readings of one line) share has the
        /// same number.
        public var id: Int
        public var start: StreamTime
        /// The end, exclusive.
        public var end: StreamTime

        public init(id: Int, start: StreamTime, end: StreamTime) {
            (self.id, self.start, self.end) = (id, start, end)
        }
    }

    /// The line as it was read, at its place in the first of the readings with this text.
    public var line: TextLine
    /// The readings of the part with this text: from the first up to after the last.
    public var steps: Range<Int>
    /// The presence of each word of ``line``.
    public var words: [Presence]
    /// The movement of the line.
    public var path: LinePath

    public init(line: TextLine, steps: Range<Int>, words: [Presence], path: LinePath = .none) {
        self.line = line
        self.steps = steps
        self.words = words
        self.path = path
    }
}
