import Glibc

/// Aligns a pattern with a CTC network's output along a line: computes how much less probable it is than the best
/// reading of the same steps.
///
/// It finds the best path through blank, letter, blank, letter, … (A. Graves et al. 2006, section 4.1, with the maximum
/// instead of the sum), with a free beginning and end. Steps outside the path do not count.
struct EvidenceAlignment {
    /// The log ratios of the blank and of the letters to the best of them, at each step.
    private var blanks: [Float] = []
    private var letters: [(code: UInt32, ratio: Float)] = []
    /// For each step, the end of its letters in ``letters``.
    private var ends: [Int32] = []
    private let peaks: [Float]

    /// The log ratio of a letter that is not among a step's candidates.
    static let absent: Float = -8.5

    /// The limit for evidence that rules a pattern out, so that another reading can still support it.
    static let least: Float = -20

    /// Creates an alignment for each reading of a line; leaves out readings whose evidence does not belong to its
    /// characters.
    static func all(of line: FoldedLine) -> [EvidenceAlignment] {
        line.evidence.compactMap { EvidenceAlignment($0, of: line) }
    }

    private init?(_ evidence: ReadingEvidence, of line: FoldedLine) {
        guard evidence.count > 0, evidence.peaks.count == line.letters.count else { return nil }
        let silent = Set(line.partingMarks.flatMap { Self.steps(of: $0, evidence) })
        let (all, allEnds) = (evidence.candidates, evidence.ends)
        peaks = evidence.peaks
        blanks.reserveCapacity(evidence.count)
        letters.reserveCapacity(evidence.count)
        ends.reserveCapacity(evidence.count)
        // Most steps are sure, and those of one line are equally sure.
        var last: SureStep?
        var begin = 0
        for step in 0..<evidence.count {
            let end = Int(allEnds[step])
            let blank = evidence.blanks[step]
            if begin == end {
                blanks.append(0)
            } else if silent.isEmpty, end - begin == 1, let last,
                let code = last.code(of: all[begin], blank: blank, folding: line.folding)
            {
                blanks.append(last.ratios.blank)
                letters.append((code, last.ratios.letter))
            } else {
                let first = letters.count
                blanks.append(
                    Self.add(
                        all[begin..<end], blank: blank, isSilent: silent.contains(step), folding: line.folding,
                        to: &letters))
                if end - begin == 1, letters.count == first + 1 {
                    last = SureStep(
                        blank: blank, letter: all[begin].logarithm, ratios: (blanks[step], letters[first].ratio))
                }
            }
            begin = end
            ends.append(Int32(letters.count))
        }
    }

    /// A step with one letter, and the log ratios of its blank and its letter.
    private struct SureStep {
        let blank: Float
        let letter: Float
        let ratios: (blank: Float, letter: Float)

        /// Returns the code of the one letter of another step, if that is as sure as this one.
        func code(of only: ReadingEvidence.Candidate, blank: Float, folding: TextFolding) -> UInt32? {
            guard only.scalar != 0x20, only.logarithm == letter, blank == self.blank else { return nil }
            return folding.code(of: only.scalar)
        }
    }

    /// Adds the letters of a step with their log ratios.
    ///
    /// - Parameter isSilent: whether a mark that divides a word or a code there counts as nothing.
    /// - Returns: the log ratio of the blank.
    private static func add(
        _ candidates: ArraySlice<ReadingEvidence.Candidate>, blank: Float, isSilent: Bool, folding: TextFolding,
        to letters: inout [(code: UInt32, ratio: Float)]
    ) -> Float {
        var blank = exp(blank)
        let first = letters.count
        for candidate in candidates {
            let probability = exp(candidate.logarithm)
            if candidate.scalar == 0x20 || isSilent && CodeMark.mayPart(FoldingTable.plain(candidate.scalar)) {
                blank += probability
            } else if let code = folding.code(of: candidate.scalar) {
                if let same = letters[first...].firstIndex(where: { $0.code == code }) {
                    letters[same].ratio += probability
                } else {
                    letters.append((code, probability))
                }
            }
        }
        let best = max(letters[first...].reduce(blank) { max($0, $1.ratio) }, .leastNormalMagnitude)
        for index in first..<letters.count { letters[index].ratio = logRatio(of: letters[index].ratio, to: best) }
        return logRatio(of: blank, to: best)
    }

    private static func logRatio(of probability: Float, to best: Float) -> Float {
        max(absent, log(max(probability, .leastNormalMagnitude) / best))
    }

    /// Returns the mean of ``ratio(of:about:)`` over the readings: readings of one line have similar errors, so two of
    /// them say little more than one. Nil if there is none.
    static func ratio(
        of wanted: [FoldedText.Unit], about places: Range<Int>, by readings: [EvidenceAlignment]
    ) -> Float? {
        guard !readings.isEmpty else { return nil }
        let ratios = readings.map { max(least, $0.ratio(of: wanted, about: places)) }
        return ratios.reduce(0, +) / Float(ratios.count)
    }

    /// Returns the log ratio, at most 0, of `wanted` to the best reading around the characters `places`; -∞ if it is
    /// not above ``least``. Takes time in proportion to the product of their lengths.
    func ratio(of wanted: [FoldedText.Unit], about places: Range<Int>) -> Float {
        let first = places.lowerBound > 0 ? peaks[places.lowerBound - 1] : 0
        let last = places.upperBound < peaks.count ? peaks[places.upperBound] : Float(blanks.count)
        // Peaks come from outside and may not be in ascending order.
        let start = Self.clamped(first, blanks.count)
        let end = max(start, Self.clamped(last + 1, blanks.count))
        return best(of: wanted, in: start..<end, above: Self.least).ratio
    }

    /// Finds the place in the whole line at which `wanted` is most probable: its characters, which may be none, and its
    /// log ratio to the best reading; nil if there is no evidence or no such place.
    ///
    /// - Parameter bound: places that are no better than this are ignored.
    func place(of wanted: [FoldedText.Unit], above bound: Float) -> (places: Range<Int>, ratio: Float)? {
        let best = best(of: wanted, in: 0..<blanks.count, above: bound)
        guard best.ratio > -.infinity else { return nil }
        let first = peaks.firstIndex { $0 >= Float(best.steps.lowerBound) } ?? peaks.count
        let end = peaks.lastIndex { $0 < Float(best.steps.upperBound) + 1 }.map { $0 + 1 } ?? 0
        return (first..<max(first, end), best.ratio)
    }

    /// A path through some steps that has reached a letter.
    private struct Way {
        static let none = Way(ratio: -.infinity, start: 0)
        var ratio: Float
        /// The step at which it begins.
        var start: Int
    }

    /// Returns the best path through all letters that is better than `bound`.
    private func best(
        of wanted: [FoldedText.Unit], in steps: Range<Int>, above bound: Float
    ) -> (steps: Range<Int>, ratio: Float) {
        guard !wanted.isEmpty else { return (0..<0, -.infinity) }
        // Most of the time of an index search is spent here, so arrays are accessed without bounds checks.
        return blanks.withUnsafeBufferPointer { blanks in
            ends.withUnsafeBufferPointer { ends in
                letters.withUnsafeBufferPointer { letters in
                    wanted.withUnsafeBufferPointer { wanted in
                        withUnsafeTemporaryAllocation(of: Way.self, capacity: 2 * wanted.count) { ways in
                            ways.initialize(repeating: .none)
                            return Table(
                                blanks: blanks, ends: ends, letters: letters, wanted: wanted, bound: bound,
                                atLetter: UnsafeMutableBufferPointer(rebasing: ways[..<wanted.count]),
                                atBlank: UnsafeMutableBufferPointer(rebasing: ways[wanted.count...])
                            ).best(in: steps)
                        }
                    }
                }
            }
        }
    }

    /// The work on one pattern, with memory that is valid during one call.
    private struct Table {
        let blanks: UnsafeBufferPointer<Float>
        let ends: UnsafeBufferPointer<Int32>
        let letters: UnsafeBufferPointer<(code: UInt32, ratio: Float)>
        let wanted: UnsafeBufferPointer<FoldedText.Unit>
        let bound: Float
        /// For each letter, the best path that ends in it, and in the blank after it.
        let atLetter: UnsafeMutableBufferPointer<Way>
        let atBlank: UnsafeMutableBufferPointer<Way>

        func best(in steps: Range<Int>) -> (steps: Range<Int>, ratio: Float) {
            var best: (steps: Range<Int>, ratio: Float) = (0..<0, -.infinity)
            // A path only gets worse. Paths below the bound are abandoned, so that usually only a few letters have one.
            var reached = 0
            for step in steps {
                // Paths that are no better than the best so far are abandoned, too.
                reached = advance(over: step, reached, above: max(bound, best.ratio))
                let whole = atLetter[wanted.count - 1]
                guard whole.ratio > best.ratio else { continue }
                best = (whole.start..<step + 1, whole.ratio)
                // It is as good as the best reading, so nothing can be better.
                if best.ratio >= 0 { break }
            }
            return best
        }

        /// Goes one step further; returns how many letters have a path after it, given how many had one before.
        @inline(__always)
        private func advance(over step: Int, _ before: Int, above bound: Float) -> Int {
            let candidates = (step == 0 ? 0 : Int(ends[step - 1]))..<Int(ends[step])
            let blank = blanks[step]
            var reached = 0
            // Go from the last to the first, so that the values before are still those of the previous step.
            var index = min(before, wanted.count - 1)
            while index >= 0 {
                let code = wanted[index].code
                var ratio = EvidenceAlignment.absent
                for candidate in candidates where letters[candidate].code == code { ratio = letters[candidate].ratio }
                var way = atLetter[index]
                var silent = atBlank[index]
                if way.ratio > silent.ratio { silent = way }
                silent.ratio += blank
                atBlank[index] = silent.ratio <= bound ? .none : silent
                if index == 0 {
                    way = Way(ratio: 0, start: step)
                } else {
                    let last = atBlank[index - 1]
                    if last.ratio > way.ratio { way = last }
                    if wanted[index - 1].code != code, atLetter[index - 1].ratio > way.ratio {
                        way = atLetter[index - 1]
                    }
                }
                way.ratio += ratio
                atLetter[index] = way.ratio > bound ? way : .none
                if reached == 0, max(way.ratio, atBlank[index].ratio) > bound { reached = index + 1 }
                index -= 1
            }
            return reached
        }
    }

    private static func steps(of character: Int, _ evidence: ReadingEvidence) -> Range<Int> {
        let peaks = evidence.peaks
        let first = character > 0 ? (peaks[character - 1] + peaks[character]) / 2 : 0
        let end =
            character + 1 < peaks.count ? (peaks[character] + peaks[character + 1]) / 2 : Float(evidence.count)
        let start = clamped(first, evidence.count)
        return start..<max(start, clamped(end.rounded(.up), evidence.count))
    }

    private static func clamped(_ value: Float, _ count: Int) -> Int {
        value.isFinite ? Int(max(0, min(Float(count), value))) : 0
    }
}
