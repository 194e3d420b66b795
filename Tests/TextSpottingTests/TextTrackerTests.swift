import Testing
import TextSpotting

/// A sheet with words on it, and what an engine would read of it.
private struct Scene {
    struct Word {
        var text: String
        var x: Int
        var y: Int
        var opacity = 1.0
        /// The reading, if that is another text.
        var read: String?
        var confidence = 0.97
        /// Of single characters.
        var unsure: [Int: Double] = [:]
    }

    var words: [Word]
    var noise: UInt64?

    init(_ words: [Word], noise: UInt64? = nil) {
        self.words = words
        self.noise = noise
    }

    var picture: Picture {
        var sheet = Sheet(640, 320)
        for word in words { sheet.draw(word.text, at: word.x, word.y, opacity: word.opacity) }
        return noise.map { sheet.noisy(12, seed: $0) } ?? sheet.picture
    }

    /// Words that are faint, or not in the picture as a whole, are not read.
    var lines: [TextLine] {
        words.filter {
            $0.opacity > 0.3 && $0.x >= 0 && $0.y >= 0 && $0.x + $0.text.count * 18 <= 640 && $0.y + 21 <= 320
        }
        .map { word in
            let quad = Sheet.quad(of: word.text, at: word.x, word.y)
            var read = TextWord(text: word.read ?? word.text, quad: quad, confidence: word.confidence)
            for (index, confidence) in word.unsure { read.characters[index].confidence = confidence }
            return TextLine(quad: quad, words: [read], confidence: word.confidence)
        }
    }
}

extension TextTracker {
    /// A reading of all of a scene.
    fileprivate mutating func read(_ scene: Scene, _ index: Int) {
        add(scene.lines, in: scene.picture, at: frameTime(index))
    }

    /// Each line in view with its track's number, from the top down.
    fileprivate var described: [String] { visible.map { "\($0.id) \($0.line.text)" } }
}

@Suite struct TextTrackerTests {
    private func table(_ rows: Range<Int>, up: Int = 0) -> Scene {
        Scene(rows.map { Scene.Word(text: "ITEM\(UnicodeScalar(UInt8(65 + $0)))", x: 60, y: 20 + 30 * $0 - up) })
    }

    // MARK: Which line is which

    @Test func whatStaysKeepsItsIdentity() {
        var tracker = TextTracker()
        for index in 0..<5 { tracker.read(table(0..<5), 5 * index) }
        #expect(tracker.described == ["1 ITEMA", "2 ITEMB", "3 ITEMC", "4 ITEMD", "5 ITEME"])
    }

    @Test func linesInAnyOrderAreTheSameTracks() {
        var tracker = TextTracker()
        let scene = table(0..<5)
        tracker.read(scene, 0)
        tracker.add(scene.lines.reversed(), in: scene.picture, at: frameTime(5))
        #expect(tracker.described == ["1 ITEMA", "2 ITEMB", "3 ITEMC", "4 ITEMD", "5 ITEME"])
    }

    @Test(arguments: [7, 30, 60, 45])
    func aScrolledTableKeepsEachRowsIdentity(step: Int) {
        var tracker = TextTracker()
        tracker.read(table(0..<10), 0)
        tracker.read(table(0..<10, up: step), 5)
        tracker.read(table(0..<10, up: 2 * step), 10)
        let gone = (2 * step - 20 + 29) / 30
        #expect(
            tracker.described
                == (max(0, gone)..<10).map { "\($0 + 1) ITEM\(UnicodeScalar(UInt8(65 + $0)))" })
    }

    /// By exactly one row: each row now stands where one that differs in a letter was. Told by text and place only.
    @Test func aTableScrolledByOneRowIsToldWithoutPicturesToo() {
        var tracker = TextTracker()
        tracker.add(table(0..<8).lines, in: nil, at: frameTime(0))
        tracker.add(table(1..<9, up: 30).lines, in: nil, at: frameTime(5))
        #expect(tracker.visible.map(\.line.text) == (1..<9).map { "ITEM\(UnicodeScalar(UInt8(65 + $0)))" })
        let ids = tracker.visible.map(\.id)
        #expect(Set(ids).count == 8)
        #expect(!tracker.visible.contains { $0.line.text == "ITEMB" && $0.id == 1 })
    }

    @Test func equalWordsSideBySideStayApart() {
        var tracker = TextTracker()
        func pair(_ dx: Int) -> Scene {
            Scene([.init(text: "OKAY", x: 40 + dx, y: 60), .init(text: "OKAY", x: 140 + dx, y: 60)])
        }
        for (index, dx) in [0, 4, 20, 50].enumerated() { tracker.read(pair(dx), 5 * index) }
        #expect(tracker.described == ["1 OKAY", "2 OKAY"])
        // The left one vanishes: the right one is not taken for it.
        tracker.read(Scene([.init(text: "OKAY", x: 190, y: 60)]), 20)
        #expect(tracker.described == ["2 OKAY"])
    }

    @Test func aWordThatTakesAnothersPlaceIsAnotherTrack() {
        var tracker = TextTracker()
        tracker.read(Scene([.init(text: "DOOR", x: 40, y: 60)]), 0)
        tracker.read(Scene([.init(text: "EXIT", x: 40, y: 60)]), 5)
        #expect(tracker.described == ["2 EXIT"])
    }

    @Test func soIsOneThatDiffersInALetter() {
        var tracker = TextTracker()
        for (index, text) in ["GATEA", "GATEA", "GATEB", "GATEB", "GATEC"].enumerated() {
            tracker.read(Scene([.init(text: text, x: 40, y: 60)], noise: UInt64(index)), 5 * index)
        }
        #expect(tracker.described == ["3 GATEC"])
    }

    @Test func aLineThatGrowsKeepsItsIdentity() {
        var tracker = TextTracker()
        for (index, count) in [3, 4, 6, 9].enumerated() {
            tracker.read(Scene([.init(text: String("CONFIGURE".prefix(count)), x: 40, y: 60)]), 5 * index)
        }
        #expect(tracker.described == ["1 CONFIGURE"])
        #expect(tracker.visible.first?.growths == 3)
    }

    // MARK: Occlusion, leaving, fading

    private let sign = Scene([.init(text: "EXIT", x: 40, y: 60), .init(text: "EXAT", x: 40, y: 100)])

    @Test func coveredForAMomentItIsTheSameAgain() {
        var tracker = TextTracker()
        tracker.read(sign, 0)
        for index in [5, 10, 15] {
            tracker.read(Scene([sign.words[1]]), index)
            #expect(tracker.described == ["2 EXAT"])
        }
        tracker.read(sign, 20)
        #expect(tracker.described == ["1 EXIT", "2 EXAT"])
    }

    @Test func movedWhileCoveredItIsTheSameAgain() {
        var tracker = TextTracker()
        tracker.read(sign, 0)
        tracker.read(Scene([.init(text: "EXAT", x: 52, y: 100)]), 5)
        tracker.read(Scene([.init(text: "EXIT", x: 64, y: 60), .init(text: "EXAT", x: 64, y: 100)]), 10)
        #expect(tracker.described == ["1 EXIT", "2 EXAT"])
    }

    @Test func coveredForLongItIsAnother() {
        var tracker = TextTracker()
        tracker.read(sign, 0)
        // Frames last 40 ms; a track is remembered for two seconds.
        for index in stride(from: 10, through: 70, by: 10) { tracker.read(Scene([sign.words[1]]), index) }
        #expect(tracker.tracks.count == 1)
        tracker.read(sign, 80)
        #expect(tracker.described == ["3 EXIT", "2 EXAT"])
    }

    @Test func whatLeavesThePictureEndsAndDoesNotStickToItsNeighbor() {
        var tracker = TextTracker()
        for (index, x) in [400, 480, 560, 640].enumerated() {
            tracker.read(Scene([.init(text: "EXIT", x: x, y: 60), .init(text: "EXAT", x: x - 320, y: 60)]), 5 * index)
        }
        #expect(tracker.described == ["2 EXAT"])
        #expect(tracker.tracks.first { $0.id == 1 }?.isInView == false)
    }

    @Test func aListScrolledOutRowByRowEndsRowByRow() {
        var tracker = TextTracker()
        for index in 0..<8 {
            tracker.read(table(0..<8, up: 30 * index), 5 * index)
            #expect(tracker.visible.map(\.id) == Array((index + 1)...8))
        }
    }

    /// One row is covered just while the list moves by a row: the one that comes to its place is not taken for it.
    @Test func aCoveredRowOfAScrolledListIsNotTheOneInItsPlace() {
        var tracker = TextTracker()
        tracker.read(table(0..<8), 0)
        var covered = table(0..<8, up: 30)
        covered.words.remove(at: 3)
        tracker.read(covered, 5)
        #expect(tracker.visible.map(\.id) == [2, 3, 5, 6, 7, 8])
        tracker.read(table(0..<8, up: 30), 10)
        #expect(tracker.visible.map(\.id) == [2, 3, 4, 5, 6, 7, 8])
        #expect(tracker.visible.map { $0.line.text.last } == Array("BCDEFGH"))
    }

    @Test func whatFadesIsGoneWhenItCannotBeRead() {
        var tracker = TextTracker()
        for (index, opacity) in [1, 0.8, 0.6, 0.4, 0.2, 0].enumerated() {
            tracker.read(Scene([.init(text: "EXIT", x: 40, y: 60, opacity: opacity)]), 5 * index)
            #expect(tracker.described == (opacity > 0.3 ? ["1 EXIT"] : []))
        }
    }

    // MARK: What the readings say together

    @Test func aMisreadingIsOutvoted() {
        var tracker = TextTracker()
        let reads: [(String?, [Int: Double])] = [
            ("EX1T", [2: 0.5]), (nil, [:]), (nil, [:]), ("FXIT", [0: 0.6]), (nil, [:]),
        ]
        for (index, (read, unsure)) in reads.enumerated() {
            tracker.read(
                Scene([.init(text: "EXIT", x: 40, y: 60, read: read, unsure: unsure)], noise: UInt64(index)), 5 * index)
        }
        #expect(tracker.described == ["1 EXIT"])
        #expect(tracker.visible.first?.readings == 5)
    }

    @Test func theSamePictureAgainIsNoEvidence() {
        var tracker = TextTracker()
        let wrong = Scene([.init(text: "EXIT", x: 40, y: 60, read: "EX1T", unsure: [2: 0.6])], noise: 1)
        for index in 0..<6 { tracker.read(wrong, 5 * index) }
        #expect(tracker.visible.first?.readings == 1)
        tracker.read(Scene([.init(text: "EXIT", x: 40, y: 60)], noise: 2), 30)
        #expect(tracker.described == ["1 EXIT"])
    }

    @Test func whatIsSureAndLooksTheSameIsReadAgainLaterThanWhatIsDoubtful() {
        var settings = TextTracker.Settings()
        settings.maximumAge = StreamTime(seconds: 1)
        settings.settledAge = StreamTime(seconds: 10)
        var tracker = TextTracker(settings: settings)
        let scene = Scene([
            .init(text: "EXIT", x: 40, y: 60), .init(text: "DOOR", x: 40, y: 120, unsure: [1: 0.6]),
        ])
        tracker.read(scene, 0)
        let quads = scene.lines.map(\.quad)
        func regions(at index: Int) -> [Quad] {
            var looking = tracker
            return looking.look(at: quads, in: scene.picture, at: frameTime(index), isChanged: { _ in true }).regions
        }
        #expect(regions(at: 10) == [])
        #expect(regions(at: 60) == [quads[1]])
        #expect(regions(at: 600) == quads)
    }

    @Test func readingsThatSurelySayOtherwiseTwiceAreBelieved() {
        var tracker = TextTracker()
        for index in 0..<5 {
            tracker.read(
                Scene([.init(text: "EXIT", x: 40, y: 60, read: index < 3 ? nil : "EXAT")], noise: UInt64(index)),
                5 * index)
        }
        #expect(tracker.visible.map(\.line.text) == ["EXAT"])
    }

    @Test func theYardstickTakesEachReadingAsItIs() {
        var settings = TextTracker.Settings()
        settings.votes = false
        var tracker = TextTracker(settings: settings)
        for (index, read) in ["EXIT", "EXIT", "EX1T"].enumerated() {
            tracker.read(
                Scene([.init(text: "EXIT", x: 40, y: 60, read: read, unsure: [2: 0.5])], noise: UInt64(index)),
                5 * index)
        }
        #expect(tracker.visible.map(\.line.text) == ["EX1T"])
    }

    @Test func manyLinesAndOddOnesAreNoTrouble() {
        var tracker = TextTracker()
        var numbers = SeededNumbers(seed: 3)
        for index in 0..<6 {
            let lines = (0..<300).map { _ in
                let box = Rect(
                    x: .random(in: -100...700, using: &numbers), y: .random(in: -100...400, using: &numbers),
                    width: .random(in: 0...300, using: &numbers), height: .random(in: 0...40, using: &numbers))
                return TextLine(
                    quad: Quad(box), words: [TextWord(text: "same", quad: Quad(box), confidence: 0.5)], confidence: 0.5)
            }
            tracker.add(lines, in: Scene([]).picture, at: frameTime(5 * index))
            #expect(tracker.visible.count == 300)
        }
        let nan = Quad(Rect(x: .nan, y: 0, width: .infinity, height: -5))
        tracker.add(
            [TextLine(quad: nan, words: [TextWord(text: "x", quad: nan, confidence: .nan)], confidence: .nan)],
            in: Scene([]).picture, at: frameTime(40))
    }
}
