import TextSpotting

/// Generates the same numbers every time: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A luma picture on which words of blocky letters are drawn: each letter is a pattern of 5×7 squares made from its code.
struct Sheet {
    private(set) var picture: Picture

    init(_ width: Int = 320, _ height: Int = 96, background: UInt8 = 40) {
        picture = Picture(
            format: .luma, width: width, height: height, bytes: [UInt8](repeating: background, count: width * height))
    }

    /// To draw on a picture.
    init(showing picture: Picture) { self.picture = picture }

    /// Squares of a letter's pattern have sides of so many pixels; a letter is six squares wide, the last one empty.
    static let square = 3

    /// Returns the place of `text` when it is drawn at a point.
    static func quad(of text: String, at x: Int, _ y: Int) -> Quad {
        Quad(Rect(x: Double(x), y: Double(y), width: Double(text.count * 6 * square), height: Double(7 * square)))
    }

    /// Draws `text`; `opacity` 1 is full contrast.
    mutating func draw(_ text: String, at x: Int, _ y: Int, brightness: Double = 220, opacity: Double = 1) {
        for (index, letter) in text.unicodeScalars.enumerated() where letter != " " {
            var numbers = SeededNumbers(seed: UInt64(letter.value))
            let pattern = numbers.next()
            for bit in 0..<35 where pattern >> UInt64(bit) & 1 == 1 {
                let left = x + (index * 6 + bit % 5) * Self.square
                fill(left, y + bit / 5 * Self.square, brightness, opacity)
            }
        }
    }

    /// Paints an area over.
    mutating func fill(_ area: Rect, brightness: UInt8) {
        for y in max(0, Int(area.minY))..<min(picture.height, Int(area.maxY)) {
            for x in max(0, Int(area.minX))..<min(picture.width, Int(area.maxX)) {
                picture.bytes[y * picture.width + x] = brightness
            }
        }
    }

    private mutating func fill(_ left: Int, _ top: Int, _ brightness: Double, _ opacity: Double) {
        let (rows, columns) = (0..<picture.height, 0..<picture.width)
        for y in (top..<(top + Self.square)).clamped(to: rows) {
            for x in (left..<(left + Self.square)).clamped(to: columns) {
                let old = Double(picture.bytes[y * picture.width + x])
                picture.bytes[y * picture.width + x] = UInt8(clamping: Int(old + (brightness - old) * opacity))
            }
        }
    }

    /// Returns the picture with every pixel changed by up to `amplitude` gray levels.
    func noisy(_ amplitude: Int, seed: UInt64) -> Picture {
        var numbers = SeededNumbers(seed: seed)
        var result = picture
        for index in result.bytes.indices {
            let change = Int(numbers.next() >> 32) % (2 * amplitude + 1) - amplitude
            result.bytes[index] = UInt8(clamping: Int(result.bytes[index]) + change)
        }
        return result
    }
}

extension Picture {
    /// A word on a plain sheet; nil for the empty sheet.
    static func showing(_ word: String?, at x: Int = 40, _ y: Int = 30, opacity: Double = 1) -> Picture {
        var sheet = Sheet()
        if let word { sheet.draw(word, at: x, y, opacity: opacity) }
        return sheet.picture
    }
}

/// The time of frame `index` at 25 frames a second: 40 ms a frame, without rounding.
func frameTime(_ index: Int) -> FrameTime {
    FrameTime(
        index: index, start: StreamTime(nanoseconds: Int64(index) * 40_000_000),
        duration: StreamTime(nanoseconds: 40_000_000))
}

extension Match {
    /// A pattern found as it was searched for, at a place.
    static func of(_ text: String, _ quad: Quad) -> Match {
        Match(
            patternIndex: 0, pattern: text, text: text, line: text, quad: quad, score: 1,
            characterRange: 0..<text.count)
    }
}
