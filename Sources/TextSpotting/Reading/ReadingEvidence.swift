/// What a reader saw in a line beyond its best reading: for each step along it, how probable each character is.
///
/// It is what a CTC network puts out (A. Graves et al. 2006, "Connectionist Temporal Classification"), less everything
/// improbable: of a step's thousands of classes one to three matter. A pattern can be laid against it although the
/// best reading has it wrong. A value of some ten bytes a step; a line has 10 to 500 steps.
public struct ReadingEvidence: Hashable, Sendable {
    /// A character at a step, by its scalar; a space stands for a gap between words.
    public struct Candidate: Hashable, Sendable {
        public var scalar: UInt32
        /// Natural logarithm of the probability, at most 0.
        public var logarithm: Float

        public init(scalar: UInt32, logarithm: Float) {
            self.scalar = scalar
            self.logarithm = logarithm
        }
    }

    /// Natural logarithm of the probability that a step holds no character, step by step.
    public private(set) var blanks: [Float] = []
    /// Where each step's candidates end in ``candidates``.
    private var ends: [Int32] = []
    private var candidates: [Candidate] = []
    /// Where each character of the line's words is strongest, in steps from the left edge; in reading order, as many as
    /// the line has characters.
    public var peaks: [Float] = []

    /// Candidates less probable than this are not kept.
    public static let leastProbability: Float = 0.000_5
    /// No more candidates are kept for a step.
    public static let mostCandidates = 8
    /// More steps are not kept: a bound for joined lines.
    public static let mostSteps = 4_000

    public init() {}

    /// How many steps there are.
    public var count: Int { blanks.count }

    /// The characters that a step may hold, in no order.
    public func candidates(at step: Int) -> ArraySlice<Candidate> {
        candidates[(step == 0 ? 0 : Int(ends[step - 1]))..<Int(ends[step])]
    }

    /// Adds a step to the right of the others.
    ///
    /// - Parameters:
    ///   - blank: natural logarithm of the probability that there is no character.
    ///   - found: the probable characters; of more than ``mostCandidates`` the first ones are kept.
    public mutating func append(blank: Float, _ found: some Collection<Candidate>) {
        guard count < Self.mostSteps else { return }
        blanks.append(min(0, blank))
        candidates.append(contentsOf: found.prefix(Self.mostCandidates))
        ends.append(Int32(candidates.count))
    }

    /// The evidence of two lines of which the second goes on where the first ends, with a gap between them.
    ///
    /// - Returns: nil where one has none: what is not known of both cannot be laid over both.
    public static func joined(_ parts: [ReadingEvidence?]) -> ReadingEvidence? {
        var result = ReadingEvidence()
        for (index, part) in parts.enumerated() {
            guard let part, part.count + result.count < mostSteps else { return nil }
            if index > 0 { result.append(blank: -0.7, [Candidate(scalar: 0x20, logarithm: -0.7)]) }
            let offset = Float(result.count)
            for step in 0..<part.count { result.append(blank: part.blanks[step], part.candidates(at: step)) }
            result.peaks += part.peaks.map { $0 + offset }
        }
        return result.count > 0 ? result : nil
    }
}
