import Glibc
import TextMatching
import TextSpotting

/// Extracts the evidence that is kept with a line from the network's output.
enum CTCEvidence {
    /// Collects the probable characters at each step of the line; the filling to its right is left out.
    ///
    /// - Parameter steps: how many steps the line itself covers.
    static func of(_ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary, steps: Int) -> ReadingEvidence {
        var evidence = ReadingEvidence()
        var found: [ReadingEvidence.Candidate] = []
        for step in 0..<min(steps, posteriors.steps) {
            found.removeAll(keepingCapacity: true)
            posteriors.probable(at: step, least: ReadingEvidence.leastProbability) { index, probability in
                guard let scalar = dictionary.scalar(index) else { return }
                found.append(ReadingEvidence.Candidate(scalar: scalar, logarithm: log(probability)))
            }
            if found.count > ReadingEvidence.mostCandidates { found.sort { $0.logarithm > $1.logarithm } }
            let blank = posteriors[step][CharacterDictionary.blank]
            evidence.append(blank: log(max(blank, .leastNormalMagnitude)), found)
        }
        return evidence
    }
}
