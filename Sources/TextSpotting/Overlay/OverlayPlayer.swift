/// The controls of a recording that is being played: a bar with the time and the sightings.
public struct OverlayPlayer: Hashable, Sendable {
    /// A sighting on the bar, in seconds of the recording.
    public struct Mark: Hashable, Sendable {
        public var start: Double
        public var end: Double
        /// Chooses the color, as that of its boxes.
        public var patternIndex: Int

        public init(start: Double, end: Double, patternIndex: Int) {
            self.start = start
            self.end = end
            self.patternIndex = patternIndex
        }
    }

    /// How long the recording is, in seconds.
    public var duration: Double
    /// Where it is shown, in seconds.
    public var position: Double
    public var marks: [Mark]
    /// The parts that have been read, in seconds.
    public var read: [ClosedRange<Double>]
    /// How fast it is played; 1 is its own speed.
    public var speed: Double
    /// It begins again at its end.
    public var isLooping: Bool

    public init(
        duration: Double, position: Double, marks: [Mark] = [], read: [ClosedRange<Double>] = [], speed: Double = 1,
        isLooping: Bool = false
    ) {
        self.duration = duration
        self.position = position
        self.marks = marks
        self.read = read
        self.speed = speed
        self.isLooping = isLooping
    }

    /// The place on a bar of this width that stands for a time, in pixels from its left edge.
    func place(of time: Double, in width: Double) -> Double {
        guard duration > 0, time.isFinite else { return 0 }
        return max(0, min(1, time / duration)) * width
    }

    /// `0:07`, `1:02:03`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds.isFinite ? seconds : 0))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let tail = "\(two(whole % 60))"
        return whole < 3600 ? "\(whole / 60):\(tail)" : "\(whole / 3600):\(two(whole / 60 % 60)):\(tail)"
    }

    /// `×2`, `×0.25`.
    public static func factor(_ speed: Double) -> String {
        let hundredths = Int((speed * 100).rounded())
        if hundredths % 100 == 0 { return "×\(hundredths / 100)" }
        let part = hundredths % 100
        return "×\(hundredths / 100)." + (part % 10 == 0 ? "\(part / 10)" : part < 10 ? "0\(part)" : "\(part)")
    }
}
