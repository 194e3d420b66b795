import Testing
import TextMatching

/// The cost of a doubted match, as `framegrep explain` prints it.
@Suite struct UncertainExplanationTests {
    private func uncertain(_ pattern: String, _ text: String, confidence: Double) throws -> UncertainExplanation? {
        let line = line(text, confidence: confidence)
        return Matcher(patterns: [try Pattern(text: pattern)]).explanations(in: [line], blocks: .consecutive(1)).first?
            .uncertain
    }

    @Test func theSurerTheReaderTheMoreItCosts() throws {
        let weak = try #require(try uncertain("streeting", "a strecting b", confidence: 0.5))
        let sure = try #require(try uncertain("streeting", "a strecting b", confidence: 1))
        #expect(weak.cost < sure.cost)
        #expect(weak.edits == 1 && weak.steps.count == 9)
        let wrong = weak.steps.filter { $0.cost > 0 }
        #expect(wrong.map(\.searched) == ["e"] && wrong.map(\.read) == ["c"])
        #expect(abs(weak.steps.reduce(0) { $0 + $1.cost } - weak.cost) < 1e-4)
        #expect(weak.verdict.hasPrefix("Believed"))
        #expect(sure.verdict.hasPrefix("Not believed"))
    }

    @Test func theVerdictIsThatOfTheSearch() throws {
        for (pattern, text) in [
            ("bubbles", "bubblen"), ("streeting", "strecting"), ("recognition", "recoqnltion"), ("skater", "skate"),
            ("OSCAR", "OMAR"), ("crying", "cyring"), ("Application", "Apqlicotion"), ("exit", "exil"),
        ] {
            for confidence in [0.3, 0.5, 0.7, 0.9, 0.99] {
                let line = line(text, confidence: confidence)
                let explanation = Matcher(patterns: [try Pattern(text: pattern)]).explanations(
                    in: [line], blocks: .consecutive(1))[0]
                guard let uncertain = explanation.uncertain else { continue }
                #expect(
                    uncertain.verdict.hasPrefix("Believed") == !explanation.matches.isEmpty,
                    "\(pattern) in \(text) at \(confidence): \(uncertain.verdict)")
            }
        }
    }

    @Test func thereIsNoneWhereNothingWasMisread() throws {
        #expect(try uncertain("EXIT", "the EXIT sign", confidence: 0.6) == nil)
        #expect(try uncertain("EXIT", "the EX1T sign", confidence: 0.6) == nil)
        #expect(try uncertain("EXIT", "", confidence: 0.6) == nil)
        #expect(try uncertain("completely", "different", confidence: 1) == nil)
    }
}
