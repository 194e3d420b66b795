/// Finds the text of a line in the recognizer's output: the best class of each step, repetitions joined, blanks dropped
/// (best-path decoding, Graves et al. 2006, "Connectionist Temporal Classification").
enum CTCDecoder {
    /// A character as it was read.
    struct Letter: Hashable {
        var character: Character
        /// Where it is strongest, in steps from the line's left edge; a step's middle is at a half.
        var peak: Double
        /// The mean over its steps of the probability, 0 to 1.
        var confidence: Double
    }

    static func read(_ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary) -> [Letter] {
        let best = (0..<posteriors.steps).map(posteriors.best(at:))
        return read(best, dictionary)
    }

    /// The same from each step's best class and its probability.
    static func read(_ best: [(index: Int, probability: Float)], _ dictionary: CharacterDictionary) -> [Letter] {
        var readings: [Letter] = []
        var start = 0
        while start < best.count {
            var end = start + 1
            while end < best.count, best[end].index == best[start].index { end += 1 }
            if let character = dictionary[best[start].index] {
                var weight = 0.0
                var moment = 0.0
                for step in start..<end {
                    weight += Double(best[step].probability)
                    moment += Double(best[step].probability) * (Double(step) + 0.5)
                }
                readings.append(
                    Letter(
                        character: character, peak: weight > 0 ? moment / weight : Double(start) + 0.5,
                        confidence: weight / Double(end - start)))
            }
            start = end
        }
        return readings
    }
}
