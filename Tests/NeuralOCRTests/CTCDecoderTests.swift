import Testing

@testable import NeuralOCR

struct CTCDecoderTests {
    /// 0 is the blank, 1 is a, 2 is b, 3 is the space.
    let dictionary = CharacterDictionary(lines: "a\nb\n".utf8)

    func text(_ classes: [Int]) -> String {
        String(CTCDecoder.read(classes.map { ($0, 1) }, dictionary).map(\.character))
    }

    @Test func repetitionsAreOneCharacterAndBlanksSeparate() {
        #expect(text([0, 1, 1, 1, 0, 2, 0]) == "ab")
        #expect(text([1, 0, 1]) == "aa")
        #expect(text([1, 2, 1]) == "aba")
        #expect(text([0, 0, 0]) == "")
        #expect(text([]) == "")
        #expect(text([1, 3, 2]) == "a b")
    }

    /// The network's dictionary has one sign for each degree of temperature.
    @Test func theCircleOfADegreeIsReadOnce() {
        let dictionary = CharacterDictionary(lines: "°\n℃\n℉\nC\n".utf8)
        for (classes, expected) in [
            ([1, 2], "°C"), ([1, 0, 3], "°F"), ([1, 4], "°C"), ([2], "℃"), ([1, 5, 2], "° ℃"),
        ] {
            #expect(String(CTCDecoder.read(classes.map { ($0, 1) }, dictionary).map(\.character)) == expected)
        }
    }

    @Test func aCharacterStandsWhereItIsStrongest() throws {
        let readings = CTCDecoder.read([(0, 0.9), (1, 0.2), (1, 0.6), (0, 0.9), (2, 0.5)], dictionary)
        #expect(readings.count == 2)
        #expect(abs(readings[0].peak - (0.2 * 1.5 + 0.6 * 2.5) / 0.8) < 1e-6)
        #expect(abs(readings[0].confidence - 0.4) < 1e-6)
        #expect(readings[1].peak == 4.5)
    }

    @Test(arguments: [5, 16, 17, 100])
    func theBestClassIsFoundInRowsOfAnyLength(classes: Int) {
        for best in 0..<classes {
            var values = [Float](repeating: 0.001, count: 2 * classes)
            values[classes + best] = 0.7
            values.withUnsafeBufferPointer {
                let posteriors = CTCPosteriors(values: $0, steps: 2, classes: classes)
                #expect(posteriors.best(at: 1).index == best)
                #expect(posteriors.best(at: 1).probability == 0.7)
                #expect(posteriors.best(at: 0).index == 0)
            }
        }
    }
}

struct CharacterDictionaryTests {
    @Test func classesAreBlankThenLinesThenSpace() {
        let dictionary = CharacterDictionary(lines: "x\r\né\n\u{2028}\n漢\n".utf8)
        #expect(dictionary.classCount == 6)
        #expect(dictionary[0] == nil)
        #expect(dictionary[1] == "x")
        #expect(dictionary[2] == "é")
        #expect(dictionary[3] == "\u{2028}")
        #expect(dictionary[4] == "漢")
        #expect(dictionary[5] == " ")
        #expect(dictionary[6] == nil)
    }

    @Test func aMissingFileIsNamed() {
        let error = #expect(throws: (any Error).self) { try CharacterDictionary(reading: "/nowhere/dictionary.txt") }
        #expect("\(error.map { "\($0)" } ?? "")".contains("/nowhere/dictionary.txt"))
    }
}
