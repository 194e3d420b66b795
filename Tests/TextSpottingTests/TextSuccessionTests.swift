import Testing

@testable import TextSpotting

/// A text that replaces another, or continues it: typed text is one line, any other is a separate text.
@Suite struct TextSuccessionTests {
    /// A text at a place, in some frames.
    struct State: CustomStringConvertible {
        var text: String
        var x: Int
        var y = 30
        var frames: Range<Int>

        var description: String { "\(text) \(x),\(y) \(frames)" }

        var line: TextLine {
            var words: [TextWord] = []
            var place = 0
            for word in text.split(separator: " ", omittingEmptySubsequences: false) {
                if !word.isEmpty {
                    words.append(
                        TextWord(
                            text: String(word), quad: Sheet.quad(of: String(word), at: x + place * 18, y),
                            confidence: 0.97))
                }
                place += word.count + 1
            }
            return TextLine(quad: Sheet.quad(of: text, at: x, y), words: words, confidence: 0.97)
        }
    }

    private static let width = 640

    private func picture(_ states: [State], _ index: Int, noise: Int) -> Picture {
        var sheet = Sheet(Self.width, 120)
        for state in states where state.frames.contains(index) { sheet.draw(state.text, at: state.x, state.y) }
        return noise > 0 ? sheet.noisy(noise, seed: UInt64(index)) : sheet.picture
    }

    /// The sightings of whole lines, each frame of `reads` being read; in those of `loose` the boxes are a quarter of
    /// their height too large.
    private func sightings(_ states: [State], reads: [Int], loose: Set<Int> = [], noise: Int = 0) -> [Sighting] {
        var tracker = TextTracker()
        var playback = Playback { picture(states, $0, noise: noise) }
        for index in reads {
            let lines = states.filter { $0.frames.contains(index) }.map(\.line).map { line in
                loose.contains(index) ? line.mapped { Quad($0.bounds.grown(by: $0.height / 4)) } : line
            }
            tracker.add(lines, in: picture(states, index, noise: noise), at: frameTime(index))
            playback.read(index, tracker.visible.map { Match(wholeLineOf: $0) }, lines: tracker.lines)
        }
        return playback.end((states.map(\.frames.upperBound).max() ?? 0) + 20).sorted { $0.start < $1.start }
    }

    /// Readings as the gate requests them: where something changed, or up to five frames later, and rarely where
    /// nothing does.
    private func reads(_ states: [State], late: Int) -> [Int] {
        let bounds = Set(states.flatMap { [$0.frames.lowerBound, $0.frames.upperBound] }).sorted()
        let changes = bounds.enumerated().map { number, bound in
            number + 1 < bounds.count ? min(bound + late, bounds[number + 1] - 1) : bound + late
        }
        return Array(Set([0] + changes)).sorted()
    }

    private func told(_ states: [State], late: Int, noise: Int = 0) -> [String] {
        sightings(states, reads: reads(states, late: late), noise: noise).map { "\($0.text) \($0.frames)" }
    }

    enum Layout: CaseIterable {
        case left, middle, right

        func x(_ text: String) -> Int {
            switch self {
            case .left: 40
            case .middle: (TextSuccessionTests.width - text.count * 18) / 2
            case .right: TextSuccessionTests.width - 40 - text.count * 18
            }
        }
    }

    static let pairs = [
        ("What", "What No"), ("I know", "I know what you did"), ("No", "What No"), ("you did", "I know what you did"),
        ("No", "not after what happened"), ("what", "I know what you did"), ("Part 1", "Part 12"), ("12", "125"),
        ("Go", "Gone now"), ("Wait", "Wait for me"), ("E", "Musee du LOUVRE"), ("I am", "I am not"),
        ("12.5", "-12.5"), ("12.5", "125"),
    ]

    @Test(arguments: pairs, Layout.allCases) func oneTextInsideItsNeighborIsTwo(pair: (String, String), layout: Layout)
    {
        for (first, second) in [pair, (pair.1, pair.0)] {
            for (blank, late, noise) in [(0, 0, 0), (0, 4, 8), (3, 2, 0), (12, 0, 8), (7, 4, 0)] {
                let states = [
                    State(text: first, x: layout.x(first), frames: 10..<35),
                    State(text: second, x: layout.x(second), frames: 35 + blank..<80),
                ]
                let found = sightings(states, reads: reads(states, late: late), noise: noise)
                #expect(
                    found.map { "\($0.text) \($0.frames)" } == states.map { "\($0.text) \($0.frames)" },
                    "\(states) read \(late) frames later, noise \(noise)")
                guard found.count == 2 else { continue }
                #expect(found[1].course?.replaced == [found[0].id])
            }
        }
    }

    /// A caption that comes back. Its box is too large at first, as a detector's is while the picture changes, so its
    /// readings do not agree on its place.
    @Test(arguments: pairs.filter { !$0.1.contains(where: \.isNumber) }, Layout.allCases)
    func aTextThatComesBackIsAThird(pair: (String, String), layout: Layout) {
        for texts in [[pair.0, pair.1, pair.0], [pair.1, pair.0, pair.1]] {
            for (each, blank, noise) in [(30, 0, 0), (30, 1, 8), (14, 2, 0), (30, 5, 8)] {
                let states = texts.enumerated().map { number, text in
                    let start = 10 + number * (each + blank)
                    return State(text: text, x: layout.x(text), frames: start..<start + each)
                }
                let starts = states.map(\.frames.lowerBound)
                let reads = [0] + starts.flatMap { [$0, $0 + 6] } + [10 + 3 * (each + blank)]
                let found = sightings(states, reads: reads, loose: Set(starts), noise: noise)
                #expect(
                    found.map { "\($0.text) \($0.frames)" } == states.map { "\($0.text) \($0.frames)" },
                    "\(states), noise \(noise)")
                guard found.count == 3 else { continue }
                #expect(found[1].course?.replaced == [found[0].id] && found[2].course?.replaced == [found[1].id])
            }
        }
    }

    /// A line that drifts leaves its places by and by: another reading of it is no other text.
    @Test(arguments: [1, 2, 3, 5]) func aMisreadLineThatDriftsIsNoOtherText(framesForAPixel: Int) {
        let text = "I know what you did"
        func state(_ index: Int, _ text: String) -> State {
            State(text: text, x: 40 + (index - 10) / framesForAPixel, frames: 10..<90)
        }
        var playback = Playback {
            $0 < 10 || $0 >= 90 ? Sheet(Self.width, 120).picture : picture([state($0, text)], $0, noise: 8)
        }
        var tracker = TextTracker()
        for index in stride(from: 10, to: 90, by: 5) {
            let read = index == 50 ? "I knaw what you did" : text
            tracker.add(
                [state(index, read).line], in: picture([state(index, text)], index, noise: 8), at: frameTime(index))
            playback.read(index, tracker.visible.map { Match(wholeLineOf: $0) }, lines: tracker.lines)
        }
        let found = playback.end(110)
        #expect(found.allSatisfy { $0.course?.replaced.isEmpty == true && $0.course?.replacedAt == nil })
    }

    @Test func eachOfManyStepsThatStandIsATextOfItsOwn() {
        let states = ["Wait", "Wait for", "Wait for me", "Wait for"].enumerated().map { number, text in
            State(text: text, x: 40, frames: 10 + 25 * number..<35 + 25 * number)
        }
        #expect(told(states, late: 3) == states.map { "\($0.text) \($0.frames)" })
    }

    /// - Parameters:
    ///   - each: frames for a step.
    ///   - pause: the steps before which somebody stops to think, for `rest` frames.
    private func typing(_ steps: [String], each: Int, pause: Set<Int> = [], rest: Int = 40) -> [State] {
        var frame = 10
        return steps.enumerated().map { number, text in
            let length = number == steps.count - 1 ? 60 : pause.contains(number) ? rest : each
            defer { frame += length }
            return State(text: text, x: 40, frames: frame..<frame + length)
        }
    }

    private static let sentence = "The quick brown fox"
    private static let letters = (1...sentence.count).map { String(sentence.prefix($0)) }.filter { $0.last != " " }
    private static let words = ["The", "The quick", "The quick brown", "The quick brown fox"]

    @Test(arguments: [1, 2, 3, 6, 12]) func whatIsTypedByLettersIsOneLine(each: Int) {
        for noise in [0, 8] {
            let states = typing(Self.letters, each: each)
            let end = states.last?.frames.upperBound ?? 0
            let every = Array(stride(from: 0, through: end, by: 5))
            let found = sightings(states, reads: every, noise: noise)
            #expect(found.map { "\($0.text) \($0.frames)" } == ["\(Self.sentence) \(10..<end)"], "noise \(noise)")
        }
    }

    @Test(arguments: [4, 8, 12]) func soIsWhatIsTypedByWords(each: Int) {
        let states = typing(Self.words, each: each)
        #expect(told(states, late: 1).map { String($0.prefix(19)) } == [Self.sentence])
    }

    /// A reading in the middle of typing misses the word that came just before it: the next word still counts as a
    /// step.
    @Test func aWordThatWasReadLateIsAStepToo() {
        let states = typing(Self.words, each: 8)
        var tracker = TextTracker()
        var playback = Playback { picture(states, $0, noise: 8) }
        for (index, state) in [(0, nil), (20, 1), (28, 1), (31, 2), (38, 3), (60, 3)] {
            let lines = state.map { [State(text: states[$0].text, x: 40, frames: 0..<1).line] } ?? []
            tracker.add(lines, in: picture(states, index, noise: 8), at: frameTime(index))
            playback.read(index, tracker.visible.map { Match(wholeLineOf: $0) }, lines: tracker.lines)
        }
        #expect(playback.end(90).map { String($0.text.prefix(19)) } == [Self.sentence])
    }

    /// A pause between two letters, and one between words of which some have come already.
    @Test func pausesEndNoTyping() {
        let letters = typing(Self.letters, each: 2, pause: [4])
        let end = letters.last?.frames.upperBound ?? 0
        #expect(sightings(letters, reads: Array(stride(from: 0, through: end, by: 5))).map(\.text) == [Self.sentence])
        #expect(told(typing(Self.words, each: 8, pause: [2], rest: 40), late: 1).count == 1)
    }

    @Test func whatIsErasedByLettersIsOneLine() {
        let states = typing(Self.letters + Self.letters.reversed().dropFirst().prefix(9), each: 2)
        let end = states.last?.frames.upperBound ?? 0
        #expect(sightings(states, reads: Array(stride(from: 0, through: end, by: 5))).map(\.text) == [Self.sentence])
    }

    /// The pictures are the same: one of the readings is incomplete.
    @Test func aReadingOfAPartIsNoOtherText() {
        let whole = State(text: "I know what you did", x: 40, frames: 10..<80)
        let part = State(text: "I know", x: 40, frames: 10..<80)
        var playback = Playback { picture([whole], $0, noise: 8) }
        var tracker = TextTracker()
        for (index, read) in [(10, part), (20, whole), (40, part), (60, whole)] {
            tracker.add([read.line], in: picture([whole], index, noise: 8), at: frameTime(index))
            playback.read(index, tracker.visible.map { Match(wholeLineOf: $0) }, lines: tracker.lines)
        }
        let found = playback.end(100)
        #expect(found.allSatisfy { $0.course?.replaced.isEmpty == true && $0.course?.replacedAt == nil })
        #expect(found.map(\.start).min() == frameTime(10).start)
    }

    /// The bar of a text cursor is sometimes read as a letter; the line without it is there most of the time.
    @Test func aCursorIsNoLetter() {
        let states = [
            State(text: "close of day", x: 40, frames: 10..<40), State(text: "close of dayl", x: 40, frames: 40..<52),
            State(text: "close of day", x: 40, frames: 52..<200),
        ]
        #expect(told(states, late: 2) == ["close of day 10..<200"])
        let typed = [
            State(text: "cal", x: 40, frames: 10..<14), State(text: "call", x: 40, frames: 14..<100),
        ]
        #expect(told(typed, late: 1) == ["call 10..<100"])
    }

    /// A cursor that blinks evenly is there as long as it is not.
    @Test(arguments: ["|", " |", "■", "_", "l"]) func aCursorThatBlinksEvenlyIsNoLetter(cursor: String) {
        let states = (0..<8).map { number in
            State(
                text: "close of day" + (number % 2 == 0 ? cursor : ""), x: 40,
                frames: 10 + 13 * number..<23 + 13 * number)
        }
        #expect(told(states, late: 1) == ["close of day 10..<114"])
    }

    /// It is a letter of the text, typed or erased once, or always there.
    @Test(arguments: ["l", "I", "1", "|", "■"]) func aBarThatDoesNotBlinkStays(bar: String) {
        let (with, without) = ("cal" + bar, "cal")
        for texts in [[with], [without, with], [with, without]] {
            let states = texts.enumerated().map { State(text: $1, x: 40, frames: 10 + 30 * $0..<40 + 30 * $0) }
            #expect(told(states, late: 1) == ["\(with) 10..<\(10 + 30 * texts.count)"], "\(texts)")
        }
    }

    static let numbers = [
        ("12.5", "-12.5"), ("12.5", "+12.5"), ("3.6", "-3.6"), ("15 °C", "-15 °C"), ("12.8", "128"), ("271", "-271"),
    ]

    /// A sign, a point or a digit at either end that comes and goes.
    @Test(arguments: numbers, Layout.allCases) func threeNumbersInARowAreThree(
        pair: (String, String), layout: Layout
    ) {
        for texts in [[pair.0, pair.1, pair.0], [pair.1, pair.0, pair.1]] {
            let states = texts.enumerated().map { number, text in
                State(text: text, x: layout.x(text), frames: 10 + 30 * number..<40 + 30 * number)
            }
            #expect(told(states, late: 2) == states.map { "\($0.text) \($0.frames)" })
        }
    }

    /// Readers often miss marks, so only a line that pictures show elsewhere is another text for one.
    @Test(arguments: [("Run", "Run!"), ("Why?", "Why"), ("Stop now", "Stop now!"), ("Yes", "Yes...")])
    func aMarkMakesAnotherTextOfALineThatMoved(pair: (String, String)) {
        for layout in Layout.allCases {
            let states = [
                State(text: pair.0, x: layout.x(pair.0), frames: 10..<35),
                State(text: pair.1, x: layout.x(pair.1), frames: 35..<80),
            ]
            let found = told(states, late: 2, noise: 8)
            if layout == .left {
                #expect(found.count == 1)
            } else {
                #expect(found == states.map { "\($0.text) \($0.frames)" })
            }
        }
    }

    /// Words of random letters, one of which holds the other.
    @Test func randomNeighborsAreTwo() {
        var numbers = SeededNumbers(seed: 48)
        let letters = Array("abcdefghknopqrstuvwxyzABDEFGHKMNPRSTUVWXYZ")
        for round in 0..<60 {
            func word() -> String {
                String(
                    (0..<Int.random(in: 2...6, using: &numbers)).map { _ in
                        letters.randomElement(using: &numbers) ?? "a"
                    })
            }
            let words = (0..<Int.random(in: 2...4, using: &numbers)).map { _ in word() }
            let first = Int.random(in: 0..<words.count, using: &numbers)
            let last = Int.random(in: first..<words.count, using: &numbers)
            guard last - first + 1 < words.count else { continue }
            let (whole, part) = (words.joined(separator: " "), words[first...last].joined(separator: " "))
            let layout = Layout.allCases[round % 3]
            let (a, b) = round % 2 == 0 ? (part, whole) : (whole, part)
            let blank = [0, 0, 2, 5, 11].randomElement(using: &numbers) ?? 0
            let turn = 10 + Int.random(in: 16...60, using: &numbers)
            let states = [
                State(text: a, x: layout.x(a), frames: 10..<turn),
                State(text: b, x: layout.x(b), frames: turn + blank..<turn + blank + 40),
            ]
            let late = Int.random(in: 0...4, using: &numbers)
            let found = told(states, late: late, noise: round % 4 == 0 ? 8 : 0)
            #expect(found == states.map { "\($0.text) \($0.frames)" }, "round \(round): \(states), late \(late)")
        }
    }
}
