import Testing

@testable import TextSpotting

/// A line as read: words between spaces, each character as wide as the other, all equally sure but those listed.
private func reading(_ text: String, _ confidence: Double = 0.9, unsure: [Int: Double] = [:], at x: Double = 0)
    -> TextLine
{
    var words: [TextWord] = []
    var offset = 0
    for part in text.split(separator: " ") {
        let quad = Quad(Rect(x: x + Double(offset) * 10, y: 0, width: Double(part.count) * 10, height: 16))
        var word = TextWord(text: String(part), quad: quad, confidence: confidence)
        for index in word.characters.indices {
            word.characters[index].confidence = unsure[offset + index] ?? confidence
        }
        words.append(word)
        offset += part.count + 1
    }
    let quad = Quad(Rect(x: x, y: 0, width: Double(text.count) * 10, height: 16))
    return TextLine(quad: quad, words: words, confidence: confidence)
}

private func voted(_ readings: [(TextLine, Double)]) -> String {
    var vote = CharacterVote()
    for (line, sharpness) in readings { vote.add(line, sharpness: sharpness) }
    return String(vote.result().map(\.character))
}

private func voted(_ texts: String...) -> String { voted(texts.map { (reading($0), 1) }) }

@Suite struct CharacterVoteTests {
    @Test func oneReadingIsItself() {
        #expect(voted("EXIT 12") == "EXIT 12")
        #expect(CharacterVote().result().isEmpty)
    }

    @Test func theMajorityWinsCharacterByCharacter() {
        // Each of the three has another error.
        #expect(voted("EX1T 12", "EXIT l2", "FXIT 12") == "EXIT 12")
        #expect(voted("abcdefgh", "abXdefgh", "abcdeYgh") == "abcdefgh")
    }

    @Test func missingAndSurplusCharactersAreOutvoted() {
        #expect(voted("EXIT", "EXT", "EXIT") == "EXIT")
        #expect(voted("EXIT", "EXIIT", "EXIT") == "EXIT")
        #expect(voted("XIT", "EXIT", "EXIT") == "EXIT")
        #expect(voted("EXI", "EXIT", "EXIT") == "EXIT")
    }

    @Test func gapsBetweenWordsAreVotedTo() {
        #expect(voted("GATE 12", "GATE12", "GATE 12") == "GATE 12")
        #expect(voted("GA TE", "GATE", "GATE") == "GATE")
    }

    @Test func theSurerReadingWins() {
        #expect(voted([(reading("EX1T", 0.9, unsure: [2: 0.4]), 1), (reading("EXIT"), 1)]) == "EXIT")
        #expect(voted([(reading("EXIT"), 1), (reading("EX1T", 0.9, unsure: [2: 0.4]), 1)]) == "EXIT")
    }

    @Test func theSharperReadingWins() {
        #expect(voted([(reading("EX1T"), 0.2), (reading("EXIT"), 0.4)]) == "EXIT")
        #expect(voted([(reading("EX1T"), 0.4), (reading("EXIT"), 0.2)]) == "EX1T")
    }

    @Test func confidenceFallsWhereReadingsDisagree() {
        var vote = CharacterVote()
        for text in ["EXIT", "EXIT", "EX1T"] { vote.add(reading(text), sharpness: 1) }
        let sure = vote.result().map(\.confidence)
        #expect(abs(sure[0] - 0.9) < 1e-9)
        #expect(abs(sure[2] - 0.6) < 1e-9)
    }

    @Test func theBlurriestIsForgottenFirst() {
        var vote = CharacterVote()
        vote.add(reading("BLUR"), sharpness: 0.1)
        for _ in 0..<CharacterVote.capacity { vote.add(reading("EXIT"), sharpness: 1) }
        #expect(vote.readings.count == CharacterVote.capacity)
        #expect(vote.count == CharacterVote.capacity + 1)
        #expect(vote.agreeing(with: "EXIT") == CharacterVote.capacity)
    }

    /// Readings with errors at random: the vote of seven is seldom wrong, a reading often is.
    @Test func theVoteBeatsItsReadings() {
        var numbers = SeededNumbers(seed: 7)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        var (right, single) = (0, 0)
        for _ in 0..<100 {
            let truth = String((0..<20).compactMap { $0 % 7 == 6 ? " " : letters.randomElement(using: &numbers) })
            var readings: [(TextLine, Double)] = []
            for _ in 0..<7 {
                var text = Array(truth)
                var unsure: [Int: Double] = [:]
                for index in text.indices where text[index] != " " && Int.random(in: 0..<10, using: &numbers) == 0 {
                    text[index] = letters.randomElement(using: &numbers) ?? "?"
                    unsure[index] = Double.random(in: 0.3...0.9, using: &numbers)
                }
                if String(text) == truth { single += 1 }
                readings.append((reading(String(text), 0.9, unsure: unsure), 1))
            }
            if voted(readings) == truth { right += 1 }
        }
        #expect(single < 250)
        #expect(right >= 95)
    }

    @Test func hostileReadingsDoNotTrap() {
        let long = String(repeating: "long ", count: 100)
        _ = voted("a", "", " ", long, "\u{202E}abc", "e\u{301}")
        var vote = CharacterVote()
        vote.add(reading("EXIT", .nan), sharpness: .nan)
        vote.add(reading("EXIT", -3), sharpness: 0)
        vote.add(reading("EXIT", .infinity), sharpness: .infinity)
        _ = vote.result()
    }
}

@Suite struct VotedLineTests {
    private func corrected(_ read: String, _ wanted: String) -> TextLine {
        reading(read).corrected(to: CharacterVote.tokens(of: reading(wanted, 0.7)))
    }

    @Test func theSameTextKeepsItsPlaces() {
        let result = corrected("EXIT 12", "EXIT 12")
        #expect(result.words.map(\.quad) == reading("EXIT 12").words.map(\.quad))
        #expect(result.words[0].characters[0].confidence == 0.7)
    }

    @Test func anotherCharacterStandsWhereTheWrongOneDid() {
        let result = corrected("EX1T 12", "EXIT 12")
        #expect(result.text == "EXIT 12")
        #expect(result.words[0].quad.bounds == Rect(x: 0, y: 0, width: 40, height: 16))
        #expect(abs(result.words[0].characters[2].start - 0.5) < 1e-9)
        #expect(abs(result.words[0].characters[2].end - 0.75) < 1e-9)
    }

    @Test func aJoinedWordIsCutWhereTheGapBelongs() {
        let result = corrected("GATE12", "GATE 12")
        #expect(result.words.map(\.text) == ["GATE", "12"])
        #expect(result.words[0].quad.bounds == Rect(x: 0, y: 0, width: 40, height: 16))
        #expect(result.words[1].quad.bounds == Rect(x: 40, y: 0, width: 20, height: 16))
        #expect(result.words[1].characters[1].end == 1)
    }

    @Test func aCutWordIsJoined() {
        let result = corrected("GA TE", "GATE")
        #expect(result.words.map(\.text) == ["GATE"])
        #expect(result.words[0].quad.bounds == Rect(x: 0, y: 0, width: 50, height: 16))
    }

    @Test func aSurplusCharacterTakesItsPlaceAlong() {
        let result = corrected("|EXIT", "EXIT")
        #expect(result.words[0].quad.bounds == Rect(x: 10, y: 0, width: 40, height: 16))
    }

    @Test func aMissingCharacterStandsBetweenItsNeighbors() {
        let result = corrected("EXT", "EXIT")
        #expect(result.text == "EXIT")
        let spans = result.words[0].characters
        #expect(spans.allSatisfy { $0.start <= $0.end && $0.start >= 0 && $0.end <= 1 })
        #expect(spans[1].end <= spans[2].start + 1e-9 && spans[2].end <= spans[3].start + 1e-9)
    }

    @Test(arguments: [("a", "completely different words"), ("one two three", "x"), ("same", ""), ("ab cd", " ")])
    func anyTextFindsAPlace(read: String, wanted: String) {
        let result = corrected(read, wanted)
        #expect(!result.words.isEmpty)
        #expect(result.words.allSatisfy { !$0.characters.isEmpty && $0.quad.bounds.width.isFinite })
    }
}
