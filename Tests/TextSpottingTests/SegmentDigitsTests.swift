import Testing

@testable import TextSpotting

/// Displays of seven-segment digits are read exactly or not at all, and nothing else is taken for one.
@Suite struct SegmentDigitsTests {
    /// Draws displays as meters and scoreboards show them.
    private struct Display {
        var height = 60
        var ink = 220
        var ground = 20
        /// How many columns the top is moved to the right for each row.
        var lean = 0.0
        /// The gap between two bars, in pixels.
        var gap = 2
        var noise = 0
        /// The thickness of the horizontal bars, divided by that of the others.
        var flatness = 1.0
        /// How often the picture is smoothed.
        var blur = 0

        private static let bars: [Character: String] = [
            "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg", "6": "acdefg", "7": "abc",
            "8": "abcdefg", "9": "abcdfg", "-": "g",
        ]

        func levels(of text: String, seed: UInt64 = 1) -> (levels: [UInt8], width: Int) {
            let (wide, thick) = (height / 2, height / 10)
            let (width, tall) = (40 + Int(lean * Double(height)) + text.count * (wide * 7 / 5), height + 40)
            var numbers = SeededNumbers(seed: seed)
            var levels = (0..<width * tall).map { _ in
                UInt8(clamping: ground + (noise == 0 ? 0 : Int.random(in: -noise...noise, using: &numbers)))
            }
            func fill(_ x: Range<Int>, _ y: Range<Int>) {
                for row in y {
                    let moved = Int((lean * Double(height - row)).rounded())
                    for column in x { levels[(20 + row) * width + column + moved] = UInt8(ink) }
                }
            }
            var left = 20
            let half = height / 2
            let flat = max(2, Int(flatness * Double(thick)))
            for character in text {
                if character == "." {
                    fill(left - wide / 4..<left - wide / 4 + thick, height - thick..<height)
                    left += wide / 5
                    continue
                }
                let inner = left + thick + gap / 2..<left + wide - thick - gap / 2
                for bar in Self.bars[character] ?? "" {
                    switch bar {
                    case "a": fill(inner, 0..<flat)
                    case "g": fill(inner, half - flat / 2..<half + (flat + 1) / 2)
                    case "d": fill(inner, height - flat..<height)
                    case "b": fill(left + wide - thick..<left + wide, thick..<half - gap)
                    case "c": fill(left + wide - thick..<left + wide, half + gap..<height - thick)
                    case "f": fill(left..<left + thick, thick..<half - gap)
                    default: fill(left..<left + thick, half + gap..<height - thick)
                    }
                }
                left += wide * 7 / 5
            }
            for _ in 0..<blur { levels = Self.smooth(levels, width) }
            return (levels, width)
        }

        private static func smooth(_ levels: [UInt8], _ width: Int) -> [UInt8] {
            levels.indices.map { at in
                let beside = [-1, 0, 1].flatMap { row in [-1, 0, 1].map { at + row * width + $0 } }
                    .filter(levels.indices.contains)
                return UInt8(beside.reduce(0) { $0 + Int(levels[$1]) } / beside.count)
            }
        }

        func read(_ text: String, seed: UInt64 = 1) -> String? {
            let (levels, width) = levels(of: text, seed: seed)
            return SegmentDigits(levels, width: width)?.text
        }
    }

    @Test(arguments: [
        "8", "3", "0", "1", "7", "4", "-7", "-1", "4.1", "71", "17", "12.5", "1.25", "-12.5", "0.01", "1013",
    ])
    func isRead(_ text: String) {
        #expect(Display().read(text) == text)
        #expect(Display(lean: 0.1).read(text) == text)
        #expect(Display(ink: 40, ground: 190).read(text) == text, "dark on light")
    }

    /// Wide gaps do not make colons out of bars, and thin bars are not overlooked.
    @Test(arguments: ["0", "10", "00", "-0", "1.0", "97", "49", "71", "3", "67"])
    func barsAreNotMistaken(_ text: String) {
        for height in stride(from: 26, through: 98, by: 8) {
            for gap in 2...6 {
                for flatness in [0.4, 0.6, 0.8, 1.0] {
                    let result = Display(height: height, gap: gap, flatness: flatness).read(text)
                    #expect(result == text || result == nil, "\(height) \(gap) \(flatness)")
                }
            }
        }
    }

    /// A display that is cut off, or that has dimmer ink beside it, may show more than its bright digits.
    @Test func nothingIsReadOfAPart() {
        let (levels, width) = Display().levels(of: "97")
        let height = levels.count / width
        for rows in 21..<50 {
            #expect(SegmentDigits(Array(levels[rows * width..<levels.count]), width: width) == nil)
            #expect(SegmentDigits(Array(levels[..<((height - rows) * width)]), width: width) == nil)
        }
        for level in [60, 80, 110] as [UInt8] {
            var dim = levels
            for row in 60..<66 { for column in width - 14..<width - 8 { dim[row * width + column] = level } }
            #expect(SegmentDigits(dim, width: width) == nil)
        }
    }

    @Test func randomDisplaysAreReadExactlyOrNotAtAll() {
        var numbers = SeededNumbers(seed: 4)
        var read = 0
        for seed in 0..<200 as Range<UInt64> {
            var text = String(
                (0..<Int.random(in: 1...5, using: &numbers)).map { _ in
                    "0123456789".randomElement(using: &numbers) ?? "0"
                })
            if text.count > 2, Bool.random(using: &numbers) {
                text.insert(".", at: text.index(text.startIndex, offsetBy: 2))
            }
            if Bool.random(using: &numbers) { text = "-" + text }
            let display = Display(
                height: Int.random(in: 24...150, using: &numbers), ink: Int.random(in: 90...250, using: &numbers),
                lean: Double.random(in: 0...0.15, using: &numbers), gap: Int.random(in: 2...4, using: &numbers),
                noise: Int.random(in: 0...6, using: &numbers), flatness: Double.random(in: 0.6...1.2, using: &numbers),
                blur: Int.random(in: 0...2, using: &numbers))
            let result = display.read(text, seed: seed)
            #expect(result == text || result == nil, "\(display)")
            if result == text { read += 1 }
        }
        #expect(read >= 80, "\(read) of 200")
    }

    @Test(arguments: ["frame", "bar", "bars", "block", "noise", "nothing"])
    func nothingElseIs(_ what: String) {
        let width = 100
        var levels = [UInt8](repeating: 20, count: width * 100)
        func fill(_ x: Range<Int>, _ y: Range<Int>, _ level: UInt8 = 220) {
            for row in y { for column in x { levels[row * width + column] = level } }
        }
        switch what {
        case "frame":
            fill(30..<60, 20..<80)
            fill(36..<54, 26..<74, 20)
        case "bar": fill(40..<46, 20..<80)
        case "bars":
            fill(20..<26, 20..<80)
            fill(50..<56, 20..<80)
        case "block": fill(30..<60, 20..<80)
        case "noise":
            var numbers = SeededNumbers(seed: 2)
            for index in levels.indices { levels[index] = UInt8.random(in: 0...255, using: &numbers) }
        default: break
        }
        #expect(SegmentDigits(levels, width: width)?.text == nil)
    }

    /// Bars at random places, in pictures of any size.
    @Test func anyPictureIsExamined() {
        var numbers = SeededNumbers(seed: 9)
        var found = 0
        for _ in 0..<3000 {
            let (width, height) = (Int.random(in: 1...120, using: &numbers), Int.random(in: 1...90, using: &numbers))
            var levels = [UInt8](repeating: 20, count: width * height)
            let thick = Int.random(in: 2...10, using: &numbers)
            for _ in 0..<Int.random(in: 0...14, using: &numbers) {
                let isFlat = Bool.random(using: &numbers)
                let (left, top) = (
                    Int.random(in: 0..<width, using: &numbers), Int.random(in: 0..<height, using: &numbers)
                )
                let long = Int.random(in: 1...40, using: &numbers)
                for row in top..<min(height, top + (isFlat ? thick : long)) {
                    for column in left..<min(width, left + (isFlat ? long : thick)) {
                        levels[row * width + column] = 220
                    }
                }
            }
            if SegmentDigits(levels, width: width) != nil { found += 1 }
        }
        #expect(found <= 3)
    }
}
