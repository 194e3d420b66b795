import Testing
import TextSpotting

/// Reading a sequence in parts gives what reading each picture whole gives.
@Suite struct PartialReadingTests {
    private struct Word: Hashable {
        var text: String
        var x: Int
        var y: Int
    }

    /// The changes of the words on a sheet from one picture to the next.
    private enum Change: CaseIterable { case none, add, remove, replace, oneLetter, grow, moveOne, scroll, pan, clear }

    private static let columns = [10, 240, 470]
    private static let pitch = 30

    private static func word(_ numbers: inout SeededNumbers) -> String {
        String(
            (0..<Int.random(in: 3...9, using: &numbers)).compactMap { _ in
                SheetReader.letters.randomElement(using: &numbers)
            })
    }

    private static func change(_ words: inout [Word], _ numbers: inout SeededNumbers) {
        let chosen = words.indices.randomElement(using: &numbers)
        switch Change.allCases.randomElement(using: &numbers) ?? .none {
        case .none: break
        case .add:
            let row = Int.random(in: 0..<10, using: &numbers)
            let column = Int.random(in: 0..<3, using: &numbers)
            let place = Word(text: word(&numbers), x: columns[column], y: 4 + row * pitch)
            let isFree = !words.contains { abs($0.y - place.y) < 24 && abs($0.x - place.x) < 200 }
            if isFree { words.append(place) }
        case .remove: if let chosen { words.remove(at: chosen) }
        case .replace: if let chosen { words[chosen].text = word(&numbers) }
        case .oneLetter:
            guard let chosen, let letter = SheetReader.letters.randomElement(using: &numbers) else { return }
            var text = Array(words[chosen].text)
            text[Int.random(in: text.indices, using: &numbers)] = letter
            words[chosen].text = String(text)
        case .grow:
            guard let chosen, words[chosen].text.count < 10, words[chosen].x < 440 else { return }
            if let letter = SheetReader.letters.randomElement(using: &numbers) { words[chosen].text.append(letter) }
        case .moveOne:
            guard let chosen else { return }
            let y = 4 + Int.random(in: 0..<10, using: &numbers) * pitch
            let x = words[chosen].x
            if !words.contains(where: { abs($0.y - y) < 24 && abs($0.x - x) < 200 }) { words[chosen].y = y }
        case .scroll:
            for index in words.indices { words[index].y -= pitch }
            words.removeAll { $0.y < 0 }
        case .pan:
            let dx = Int.random(in: -6...6, using: &numbers)
            for index in words.indices { words[index].x += dx }
            words.removeAll { $0.x < 2 || $0.x + $0.text.count * 6 * Sheet.square > 638 }
        case .clear: if words.count > 14 { words = [] }
        }
    }

    private static func picture(_ words: [Word]) -> Picture {
        var sheet = Sheet(640, 320)
        for word in words { sheet.draw(word.text, at: word.x, word.y) }
        return sheet.picture
    }

    private func described(_ lines: [TextLine]) -> [String] {
        lines.map { line in
            let box = line.quad.bounds
            return "\(line.text) at \(Int(box.x.rounded())),\(Int(box.y.rounded()))"
        }.sorted()
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func partsGiveWhatTheWholeGives(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let reader = SheetReader.reader()
        var settings = ChangeGate.Settings()
        settings.minimumInterval = .zero
        settings.motionInterval = .zero
        settings.steadyInterval = .zero
        settings.settlingFrames = .max
        var gate = ChangeGate(settings: settings)
        var tracker = TextTracker()
        var words = (0..<9).map { Word(text: Self.word(&numbers), x: Self.columns[$0 % 3], y: 64 + $0 / 3 * 60) }
        var frames: [FrameHistory.Frame] = []
        var (read, known) = (0, 0)
        for index in 0..<60 {
            Self.change(&words, &numbers)
            let picture = Self.picture(words)
            let decision = gate.consider(picture, at: frameTime(index))
            frames.append(FrameHistory.Frame(time: frameTime(index), picture: picture))
            guard let changed = decision.reads else { continue }
            let before = tracker
            let since = decision.reason == .age ? [] : frames
            frames = [frames[frames.count - 1]]
            tracker = try await reader.read(
                picture, at: frameTime(index),
                after: PreviousReading(
                    changed: index == 0 ? nil : changed, displacement: decision.displacement, frames: since
                ) { before })
            let whole = try await reader.read(picture)
            #expect(described(tracker.lines) == described(whole), "picture \(index)")
            read += tracker.linesRead
            known += tracker.linesKnown
        }
        #expect(known > read, "most lines need no reading: \(read) read, \(known) known")
    }

    @Test func whatMovedIsNotReadAgain() async throws {
        let reader = SheetReader.reader()
        let words = (0..<8).map { Word(text: "AB\(SheetReader.letters[$0])", x: 60, y: 40 + $0 * 30) }
        var tracker = TextTracker()
        for (index, dx) in [0, 7, 30, 90, 200].enumerated() {
            let picture = Self.picture(words.map { Word(text: $0.text, x: $0.x + dx, y: $0.y - index) })
            let before = tracker
            tracker = try await reader.read(
                picture, at: frameTime(5 * index), after: PreviousReading(changed: nil) { before })
            #expect(tracker.linesRead == (index == 0 ? 8 : 0))
            #expect(tracker.lines.map(\.text) == words.map(\.text))
            #expect(tracker.lines.allSatisfy { abs($0.quad.bounds.x - Double(60 + dx)) < 0.5 })
            #expect(tracker.visible.map(\.id) == Array(1...8))
        }
    }

    @Test func aKnownLineIsReadAgainWhenItIsOld() async throws {
        let reader = SheetReader.reader()
        let picture = Self.picture([Word(text: "ABC", x: 60, y: 40)])
        var tracker = TextTracker()
        var read: [Int] = []
        for second in 0..<12 {
            let before = tracker
            tracker = try await reader.read(
                picture, at: frameTime(25 * second), after: PreviousReading(changed: nil) { before })
            if tracker.linesRead > 0 { read.append(second) }
        }
        #expect(read == [0, 5, 10])
    }
}
