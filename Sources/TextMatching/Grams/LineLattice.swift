import Glibc

/// Everything that a line may say, unit by unit: its best reading, and the alternatives in its evidence.
///
/// Between two places of the line stand arcs, each a piece of a skeleton: the one that was read, others that a reader
/// thought probable, none where the letter may be no letter at all. A gram of any way through them is a gram of the line.
struct LineLattice {
    /// One possible text at one place.
    private struct Arc {
        var scalars: [UInt32]
        /// It is an alternative.
        var isOther: Bool
    }

    /// For each unit the arcs from before it to behind it.
    private var arcs: [[Arc]] = []
    /// The letters that may have been lost at each place: before each unit, and behind the last.
    private var lost: [[UInt32]] = []

    /// A candidate less probable than this is no alternative. A guess, which the searches of docs/INDEX.md hold.
    static let leastProbability: Float = 0.01
    /// More alternatives of one letter are not kept.
    static let mostAlternatives = 3
    /// A gram holds at most this many alternatives.
    static let mostOthers = 2
    /// A line has at most this many grams: a bound for hostile input.
    static let mostGrams = 20_000

    /// - Parameter withAlternatives: use the evidence, too.
    init(_ line: FoldedLine, withAlternatives: Bool = true) {
        arcs = line.units.map { [Arc(scalars: Self.skeleton($0.code), isOther: false)] }
        lost = [[UInt32]](repeating: [], count: line.units.count + 1)
        guard withAlternatives else { return }
        for evidence in line.evidence where evidence.peaks.count == line.letters.count { add(evidence, of: line) }
    }

    /// All grams of all ways.
    func grams() -> Set<Gram> {
        var found = Set<Gram>()
        for place in arcs.indices {
            for arc in arcs[place] where !arc.scalars.isEmpty {
                for offset in arc.scalars.indices {
                    follow(Array(arc.scalars[offset...]), place + 1, others: arc.isOther ? 1 : 0, &found)
                }
            }
        }
        for place in lost.indices {
            for code in lost[place] { follow(Self.skeleton(code), place, others: 1, &found, mayBeLost: false) }
        }
        return found
    }

    private func follow(
        _ scalars: [UInt32], _ place: Int, others: Int, _ found: inout Set<Gram>, mayBeLost: Bool = true
    ) {
        guard found.count < Self.mostGrams else { return }
        if let gram = Gram(scalars[...]) { found.insert(gram) }
        guard scalars.count < 3, place < arcs.count else { return }
        for arc in arcs[place] where !arc.isOther || others < Self.mostOthers {
            follow(scalars + arc.scalars, place + 1, others: others + (arc.isOther ? 1 : 0), &found)
        }
        guard mayBeLost, others < Self.mostOthers else { return }
        for code in lost[place] {
            follow(scalars + Self.skeleton(code), place, others: others + 1, &found, mayBeLost: false)
        }
    }

    // MARK: Alternatives

    private mutating func add(_ evidence: ReadingEvidence, of line: FoldedLine) {
        var unitOf: [Int: Int] = [:]
        for (index, unit) in line.units.enumerated() where unitOf[Int(unit.character)] == nil {
            unitOf[Int(unit.character)] = index
        }
        for letter in line.letters.indices {
            guard let unit = unitOf[letter] else { continue }
            let cell = evidence.cell(ofCharacter: letter)
            // A letter made of several units is taken as a whole or not at all.
            let isSingle = unit + 1 == line.units.count || Int(line.units[unit + 1].character) != letter
            guard isSingle else { continue }
            var strongest: Float = 0
            for step in cell {
                for candidate in evidence.candidates(at: step) {
                    guard let code = line.folding.code(of: candidate.scalar) else { continue }
                    let probability = exp(candidate.logarithm)
                    if code == line.units[unit].code {
                        strongest = max(strongest, probability)
                    } else if probability >= Self.leastProbability {
                        place(code, at: step, in: cell, peak: evidence.peaks[letter], unit)
                    }
                }
            }
            if strongest < 1 - Self.leastProbability { add(Arc(scalars: [], isOther: true), at: unit) }
        }
    }

    /// A candidate stands for the letter itself, or for one that was lost beside it.
    private mutating func place(_ code: UInt32, at step: Int, in cell: Range<Int>, peak: Float, _ unit: Int) {
        add(Arc(scalars: Self.skeleton(code), isOther: true), at: unit)
        let distance = Float(step) - peak
        guard abs(distance) >= 1 else { return }
        let place = distance < 0 ? unit : unit + 1
        guard lost[place].count < Self.mostAlternatives, !lost[place].contains(code) else { return }
        lost[place].append(code)
    }

    private mutating func add(_ arc: Arc, at unit: Int) {
        guard arcs[unit].count <= Self.mostAlternatives, !arcs[unit].contains(where: { $0.scalars == arc.scalars })
        else { return }
        arcs[unit].append(arc)
    }

    static func skeleton(_ code: UInt32) -> [UInt32] {
        let (first, second) = Confusable.skeleton(code)
        return second.map { [first, $0] } ?? [first]
    }
}
