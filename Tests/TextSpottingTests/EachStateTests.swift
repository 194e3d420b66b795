import Testing

@testable import TextSpotting

/// Text that stands still for two frames or more is read, however often its place changes, and whatever moves around it.
@Suite struct EachStateTests {
    enum Ground: CaseIterable { case still, scrolling, moving, rough }

    /// A place whose text changes after some frames, over a ground that stands or moves.
    private struct Scene {
        let ground: Ground
        let place: (x: Int, y: Int)
        /// Each text and in which frames it stands.
        let states: [(text: String, frames: Range<Int>)]
        private let texture: [UInt8]
        /// The side of the texture's blocks, in pixels.
        private let grain: Int
        private let speed: (x: Int, y: Int)
        /// The width of the box around the text, in pixels.
        private let margin: Double
        static let (width, height) = (640, 352)

        init(_ ground: Ground, seed: UInt64, frames: Int = 90) {
            var numbers = SeededNumbers(seed: seed)
            self.ground = ground
            place = (Int.random(in: 20...400, using: &numbers), Int.random(in: 20...300, using: &numbers))
            let letters = SheetReader.letters
            var states: [(text: String, frames: Range<Int>)] = []
            while states.last?.frames.upperBound ?? 0 < frames {
                let begin = states.last?.frames.upperBound ?? 0
                let count = Int.random(in: 2...(seed % 2 == 0 ? 6 : 25), using: &numbers)
                // As values do: some letters stay, and over rough grounds there are more or fewer of the others.
                var text = ""
                repeat {
                    let others = ground == .rough ? Int.random(in: 1...3, using: &numbers) : 2
                    text =
                        String(letters[0..<3])
                        + String((0..<others).map { _ in letters.randomElement(using: &numbers) ?? "A" })
                } while text == states.last?.text
                states.append((text, begin..<begin + count))
            }
            self.states = states
            let sign = Bool.random(using: &numbers) ? 1 : -1
            if ground == .rough {
                grain = Int.random(in: 2...4, using: &numbers)
                speed = (sign * Int.random(in: 1...13, using: &numbers), Int.random(in: -7...7, using: &numbers))
                margin = Double(Int.random(in: 10...20, using: &numbers))
            } else {
                grain = 8
                speed = (sign * Int.random(in: 2...5, using: &numbers), ground == .moving ? 2 : 0)
                margin = 16
            }
            // Blocks darker than text.
            var blocks: [UInt8] = []
            for _ in 0..<128 * 64 { blocks.append(UInt8.random(in: 0...100, using: &numbers)) }
            texture = blocks
        }

        var count: Int { states.last?.frames.upperBound ?? 0 }

        func frame(_ index: Int) -> FrameHistory.Frame {
            FrameHistory.Frame(time: frameTime(index), picture: picture(index))
        }

        func picture(_ index: Int) -> Picture {
            var sheet = Sheet(Self.width, Self.height)
            let text = states.first { $0.frames.contains(index) }?.text ?? ""
            let box = Sheet.quad(of: text, at: place.x, place.y).bounds.grown(by: margin)
            guard ground != .still else {
                sheet.draw(text, at: place.x, place.y)
                return sheet.picture
            }
            var picture = sheet.picture
            for y in 0..<Self.height {
                // Of a moving picture a part stands.
                let moved = ground == .moving && y < 120 ? (x: 0, y: 0) : (x: index * speed.x, y: index * speed.y)
                let row = ((y + moved.y + 8 * Self.height) / grain & 63) * 128
                for x in 0..<Self.width {
                    picture.bytes[y * Self.width + x] = texture[row + (x + moved.x + 8 * Self.width) / grain & 127]
                }
            }
            var drawn = Sheet(showing: picture)
            drawn.fill(box, brightness: 30)
            drawn.draw(text, at: place.x, place.y)
            return drawn.picture
        }
    }

    /// The texts at a scene's place by its readings, in their order, each with the frame that was read.
    private func readings(_ scene: Scene) async throws -> [(frame: Int, text: String)] {
        let reader = SheetReader.reader()
        var (gate, tracker) = (ChangeGate(), TextTracker())
        var found: [(frame: Int, text: String)] = []
        var last: Picture?
        let frames = (0..<scene.count).map(scene.frame)
        func read(
            _ picture: Picture, _ index: Int, _ changed: TileMask?, _ moved: Displacement, isRereading: Bool = false
        )
            async throws
        {
            let before = tracker
            tracker = try await reader.read(
                picture, at: frameTime(index),
                after: PreviousReading(
                    changed: index == 0 ? nil : changed, displacement: moved,
                    frames: isRereading ? Array(frames[index - 1...min(index + 1, scene.count - 1)]) : [],
                    isRereading: isRereading
                ) { before })
            found += tracker.visible.filter { $0.read == frameTime(index) }.map { (index, $0.line.text) }
        }
        for index in 0..<scene.count {
            let picture = frames[index].picture
            let decision = gate.consider(picture, at: frameTime(index))
            if let last {
                if let mask = decision.readsPrevious {
                    try await read(last, index - 1, mask, decision.previousDisplacement)
                }
                if let lost = decision.rereadsPrevious {
                    try await read(last, index - 1, lost, .none, isRereading: true)
                }
            }
            if let mask = decision.reads { try await read(picture, index, mask, decision.displacement) }
            last = picture
        }
        if let last {
            if let mask = gate.unreadChange {
                try await read(last, scene.count - 1, mask, gate.unreadDisplacement)
            } else if let lost = gate.unseenTiles {
                try await read(last, scene.count - 1, lost, .none, isRereading: true)
            }
        }
        return found
    }

    @Test(arguments: Ground.allCases, Array<UInt64>(1...4)) func eachStateOfAPlaceIsRead(ground: Ground, seed: UInt64)
        async throws
    {
        let scene = Scene(ground, seed: seed)
        let found = try await readings(scene)
        let missed = scene.states.filter { state in
            !found.contains { state.frames.contains($0.frame) && $0.text == state.text }
        }
        #expect(missed.isEmpty, "\(missed) of \(scene.states.count) states at \(scene.place)")
    }

    @Test func whatReturnsToWhatWasReadIsReadAgain() async throws {
        var gate = ChangeGate()
        // Read at 0; another text for three frames, before the next reading is due.
        let texts = (0..<30).map { (1..<4).contains($0) ? "DOOR" : "EXIT" }
        var seen: [String] = []
        for (index, text) in texts.enumerated() {
            let decision = gate.consider(.showing(text), at: frameTime(index))
            if decision.readsPrevious != nil || decision.rereadsPrevious != nil { seen.append(texts[index - 1]) }
            if decision.reads != nil { seen.append(text) }
        }
        #expect(seen == ["EXIT", "DOOR", "EXIT"])
    }

    @Test func aStillPictureAndANoisyOneHaveNoLostStates() {
        for amplitude in [0, 3] {
            var sheet = Sheet()
            sheet.draw("EXIT", at: 40, 30)
            var gate = ChangeGate()
            let lost = (0..<60).filter {
                gate.consider(sheet.noisy(amplitude, seed: UInt64($0)), at: frameTime($0)).rereadsPrevious != nil
            }
            #expect(lost == [])
        }
    }

    /// Beyond the bound nothing is read again, and that is known.
    @Test func whatIsLeftOutIsCounted() async throws {
        let reader = SheetReader.reader()
        let grid = TileGrid(width: 640, height: 320, side: 16)
        let letters = SheetReader.letters
        func picture(_ step: Int) -> Picture {
            var sheet = Sheet(640, 320)
            for line in 0..<4 {
                sheet.draw(String(letters[step + line..<step + line + 4]) + "7", at: 40, 30 + 60 * line)
            }
            return sheet.picture
        }
        var settings = TextTracker.Settings()
        settings.mostRereadings = 3
        var tracker = try await reader.read(
            picture(0), at: frameTime(0),
            after: PreviousReading(changed: nil) { [settings] in TextTracker(settings: settings) })
        #expect(tracker.lines.count == 4 && tracker.leftOut == nil)
        let all = TileMask.all(of: grid)
        func standing(_ step: Int) -> [FrameHistory.Frame] {
            (0...1).map { FrameHistory.Frame(time: frameTime($0), picture: picture(step)) }
        }
        let before = tracker
        tracker = try await reader.read(
            picture(5), at: frameTime(1),
            after: PreviousReading(changed: all, frames: standing(5), isRereading: true) { before })
        #expect(tracker.visible.filter { $0.read == frameTime(1) }.count == 3)
        #expect(tracker.leftOut?.places.count == 1 && tracker.leftOut?.time == frameTime(1))
        // A second later there is room again.
        let then = tracker
        tracker = try await reader.read(
            picture(9), at: frameTime(26),
            after: PreviousReading(changed: all, frames: standing(9), isRereading: true) { then })
        #expect(tracker.visible.filter { $0.read == frameTime(26) }.count == 3)
    }
}
