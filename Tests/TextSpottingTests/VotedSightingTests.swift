import Testing
import TextMatching
import TextSpotting

/// From readings to sightings by way of the vote.
@Suite struct VotedSightingTests {
    private let matcher: Matcher

    init() throws {
        matcher = Matcher(patterns: [try Pattern(text: "KLM")])
    }

    /// A word that stands from frame 3 to frame 29 in noise; every fifth frame is read, as `reads` says.
    private func sightings(_ reads: [String?], votes: Bool = true) -> [Sighting] {
        func picture(_ index: Int) -> Picture {
            var sheet = Sheet()
            if (3..<30).contains(index) { sheet.draw("KLM", at: 40, 30) }
            return sheet.noisy(12, seed: UInt64(index))
        }
        var settings = TextTracker.Settings()
        settings.votes = votes
        var tracker = TextTracker(settings: settings)
        var playback = Playback(picture)
        for (number, read) in reads.enumerated() {
            let index = 5 * number
            let quad = Sheet.quad(of: "KLM", at: 40, 30)
            var lines: [TextLine] = []
            if let read {
                var word = TextWord(text: read, quad: quad, confidence: 0.95)
                // Misreadings have a low confidence.
                for place in word.characters.indices where !"KLM".contains(word.characters[place].character) {
                    word.characters[place].confidence = 0.5
                }
                lines = [TextLine(quad: quad, words: [word], confidence: 0.95)]
            }
            tracker.add(lines, in: picture(index), at: frameTime(index))
            playback.read(index, matcher.matches(in: tracker.lines))
        }
        return playback.end(5 * reads.count)
    }

    @Test func aWordFoundLateThanksToTheVoteBeginsWhereItFirstShowed() throws {
        // Never read right in one piece.
        let reads: [String?] = [nil, "KXM", "XLM", "KLX", "KXM", "KLX", nil, nil]
        #expect(sightings(reads, votes: false).isEmpty)
        let found = sightings(reads)
        #expect(found.count == 1)
        #expect(found.first?.frames == 3..<30)
        #expect(found.first?.text == "KLM")
    }

    @Test func aWordOnceMisreadIsOneSighting() {
        let found = sightings([nil, "KLM", "KLM", "KXM", "KLM", "KLM", nil, nil])
        #expect(found.map(\.frames) == [3..<30])
    }

    @Test func allReadingsOfALineAreOneText() {
        func picture(_ index: Int) -> Picture {
            var sheet = Sheet()
            sheet.draw("KLM", at: 40, 30)
            return sheet.noisy(12, seed: UInt64(index))
        }
        var tracker = TextTracker()
        var playback = Playback(picture)
        for (number, read) in ["XLM", "KLM", "KXX", "KLM", "KLM", "XXX", "KLM"].enumerated() {
            let quad = Sheet.quad(of: "KLM", at: 40, 30)
            var word = TextWord(text: read, quad: quad, confidence: 0.95)
            for place in word.characters.indices where word.characters[place].character == "X" {
                word.characters[place].confidence = 0.5
            }
            tracker.add(
                [TextLine(quad: quad, words: [word], confidence: 0.9)], in: picture(5 * number),
                at: frameTime(5 * number))
            playback.read(5 * number, tracker.visible.map { Match(wholeLineOf: $0) })
        }
        #expect(playback.end(35).map(\.text) == ["KLM"])
    }

    /// Returns the findings in a picture with one line.
    ///
    /// - Parameters:
    ///   - shown: the text in each frame; empty for none.
    ///   - read: the frames that are read.
    private func found(_ shown: @escaping (Int) -> String, read: some Sequence<Int>, until end: Int) -> [Sighting] {
        func picture(_ index: Int) -> Picture {
            var sheet = Sheet()
            sheet.draw(shown(index), at: 40, 30)
            return sheet.picture
        }
        var tracker = TextTracker()
        var playback = Playback(picture)
        for index in read {
            let quad = Sheet.quad(of: shown(index), at: 40, 30)
            let word = TextWord(text: shown(index), quad: quad, confidence: 0.95)
            let lines = shown(index).isEmpty ? [] : [TextLine(quad: quad, words: [word], confidence: 0.95)]
            tracker.add(lines, in: picture(index), at: frameTime(index))
            playback.read(index, tracker.visible.map { Match(wholeLineOf: $0) }, lines: lines)
        }
        return playback.end(end)
    }

    /// Letters are typed from frame 4 on, one a frame; the first reading comes when four are there.
    @Test(arguments: [nil, "ABX"])
    func aTypedLineBeginsWithItsFirstLetter(before: String?) {
        let text = "ABCDEFGH"
        let found = found(
            { $0 < 4 ? $0 < 3 ? before ?? "" : "" : String(text.prefix($0 - 3)) }, read: [0, 7, 9, 15, 20], until: 24)
        #expect(found.filter { $0.text == text }.map(\.frames) == [4..<24])
    }

    /// A number that gained a digit is another text, however often it was read before the line grew again.
    @Test func aLineThatReplacedAnotherDoesNotBeginWithItsFirstLetter() {
        let found = found(
            { $0 < 20 ? "AB1" : $0 < 40 ? "AB12" : "AB12C" }, read: stride(from: 0, to: 60, by: 5), until: 60)
        #expect(found.map(\.text) == ["AB1", "AB12C"])
        #expect(found.map(\.frames) == [0..<20, 20..<60])
    }
}
