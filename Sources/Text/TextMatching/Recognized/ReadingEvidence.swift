/// The probability of each character at each step along a line: a reader's alternatives to its best reading.
///
/// It is the output of a CTC network (A. Graves et al. 2006, "Connectionist Temporal Classification") without the
/// improbable classes: of the thousands at a step, one to three matter. A pattern can be aligned with it even if the
/// best reading is wrong. It is a value of some ten bytes per step; a line has 10 to 500 steps.
public struct ReadingEvidence: Hashable, Sendable {
    /// A character at a step, as its scalar; a space stands for a gap between words.
    public struct Candidate: Hashable, Sendable {
        public var scalar: UInt32
        /// Natural logarithm of the probability, at most 0.
        public var logarithm: Float

        public init(scalar: UInt32, logarithm: Float) {
            self.scalar = scalar
            self.logarithm = logarithm
        }
    }

    /// Natural logarithm of the probability that a step has no character, step by step.
    public private(set) var blanks: [Float] = []
    /// For each step, the end of its candidates in ``candidates``.
    private(set) var ends: [Int32] = []
    private(set) var candidates: [Candidate] = []
    /// The position at which each character of the line's words is strongest, in steps from the left edge; one for each
    /// character, in reading order.
    public var peaks: [Float] = []
    /// The likelihood that the whole line is in each of some scripts that its reader does not know: the logarithm of
    /// the odds against all that it knows. Empty if the reader does not say.
    public var otherScripts: [Float] = []
    /// The same for each word of the line; empty if the reader does not say, or if the line has one word.
    public var otherScriptsOfWords: [[Float]] = []

    /// The least probability of candidates that are kept.
    public static let leastProbability: Float = 0.000_5
    /// The largest number of candidates that are kept for a step.
    public static let mostCandidates = 8
    /// The largest number of steps, a limit for joined lines.
    public static let mostSteps = 4_000

    public init() {}

    /// The number of steps.
    public var count: Int { blanks.count }

    /// Returns the possible characters of a step, in no particular order.
    public func candidates(at step: Int) -> ArraySlice<Candidate> {
        candidates[(step == 0 ? 0 : Int(ends[step - 1]))..<Int(ends[step])]
    }

    /// Adds a step to the right of the others.
    ///
    /// - Parameters:
    ///   - blank: natural logarithm of the probability that there is no character.
    ///   - found: the probable characters, of which the first ``mostCandidates`` are kept.
    public mutating func append(blank: Float, _ found: some Collection<Candidate>) {
        guard count < Self.mostSteps else { return }
        blanks.append(min(0, blank))
        candidates.append(contentsOf: found.prefix(Self.mostCandidates))
        ends.append(Int32(candidates.count))
    }

    /// Adds a step with no character or with one, as most steps of a sure reading are.
    public mutating func append(blank: Float, only candidate: Candidate? = nil) {
        guard count < Self.mostSteps else { return }
        blanks.append(min(0, blank))
        if let candidate { candidates.append(candidate) }
        ends.append(Int32(candidates.count))
    }

    /// Adds two steps, one with a character and one without: the evidence of a sure letter.
    ///
    /// - Parameters:
    ///   - blank: the natural logarithm, at most 0, of the probability that the first has no character.
    ///   - after: the same for the second.
    public mutating func append(sure candidate: Candidate, besides blank: Float, blank after: Float) {
        guard count + 1 < Self.mostSteps else {
            append(blank: blank, only: candidate)
            append(blank: after)
            return
        }
        blanks.append(blank)
        blanks.append(after)
        candidates.append(candidate)
        let end = Int32(candidates.count)
        ends.append(end)
        ends.append(end)
    }

    /// Adds a gap between words to a step; nothing if there is no such step or its candidates are as many as are kept.
    public mutating func addGap(at step: Int, logarithm: Float) {
        guard blanks.indices.contains(step), candidates(at: step).count < Self.mostCandidates else { return }
        candidates.insert(Candidate(scalar: 0x20, logarithm: logarithm), at: Int(ends[step]))
        for later in step..<count { ends[later] += 1 }
    }

    /// The same as for any collection, without the cost of a generic one.
    public mutating func append(blank: Float, _ found: [Candidate]) {
        guard count < Self.mostSteps else { return }
        blanks.append(min(0, blank))
        for candidate in found.prefix(Self.mostCandidates) { candidates.append(candidate) }
        ends.append(Int32(candidates.count))
    }

    /// Makes room for this many more steps.
    public mutating func reserve(steps: Int) {
        blanks.reserveCapacity(blanks.count + steps)
        ends.reserveCapacity(ends.count + steps)
        candidates.reserveCapacity(candidates.count + steps)
    }

    /// Returns the steps that belong to a character: from halfway to the one before it to halfway to the one after it.
    ///
    /// - Precondition: `index` is that of a peak.
    public func cell(ofCharacter index: Int) -> Range<Int> {
        let (start, end) = (edge(before: index), edge(before: index + 1))
        return start..<max(start, end)
    }

    private func edge(before index: Int) -> Int {
        let middle = index == 0 ? 0 : index == peaks.count ? Float(count) : (peaks[index - 1] + peaks[index]) / 2
        return middle.isFinite ? Int(max(0, min(Float(count), middle.rounded()))) : 0
    }

    /// Returns the evidence of some of the line's characters: the steps from halfway to the character before them to
    /// halfway to the one after them; nil if the peaks do not fit.
    public func part(ofCharacters range: Range<Int>) -> ReadingEvidence? {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= peaks.count else { return nil }
        let steps = (edge(before: range.lowerBound), edge(before: range.upperBound))
        guard steps.0 < steps.1 else { return nil }
        var result = ReadingEvidence()
        for step in steps.0..<steps.1 { result.append(blank: blanks[step], candidates(at: step)) }
        result.peaks = peaks[range].map { $0 - Float(steps.0) }
        result.otherScripts = otherScripts
        return result
    }

    /// Returns the evidence of several lines as if they were one, with gaps between them.
    ///
    /// - Returns: nil if there would be more than ``mostSteps``.
    static func joined(_ parts: [ReadingEvidence]) -> ReadingEvidence? {
        var result = ReadingEvidence()
        for (index, part) in parts.enumerated() {
            guard part.count + result.count < mostSteps else { return nil }
            if index > 0 { result.append(blank: -0.7, [Candidate(scalar: 0x20, logarithm: -0.7)]) }
            let offset = Float(result.count)
            for step in 0..<part.count { result.append(blank: part.blanks[step], part.candidates(at: step)) }
            result.peaks += part.peaks.map { $0 + offset }
        }
        return result.count > 0 ? result : nil
    }
}
