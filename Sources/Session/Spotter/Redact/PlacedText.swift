import TextSpotting

/// A text that was found at a place: tells where its letters are.
struct PlacedText {
    let quad: Quad
    let letters: Letters
    /// The mean width of a character, in pixels.
    private let width: Double
    /// Whether the edge of the picture cuts it off.
    private let isCut: Bool

    init(_ track: HiddenTrack, at quad: Quad, in picture: Rect) {
        (self.quad, letters) = (quad, Letters(track.text))
        let (place, inside) = (quad.bounds, picture.grown(by: -Self.edge))
        isCut =
            place.minX < inside.minX || place.minY < inside.minY || place.maxX > inside.maxX || place.maxY > inside.maxY
        width = isCut && track.letterWidth > 0 ? track.letterWidth : quad.width / Double(max(1, letters.length))
    }

    /// A text that fills a place.
    init(_ text: String, at quad: Quad) {
        (self.quad, letters, isCut) = (quad, Letters(text), false)
        width = quad.width / Double(max(1, letters.length))
    }

    /// The distance from the edge within which a place may be cut off, in pixels.
    private static let edge = 5.0

    /// Compares the text of a line with it.
    func part(_ text: String) -> Part {
        let own = Letters(text)
        return Part(text: own, runs: own.longestRuns(in: letters), whole: self)
    }

    /// The letters and figures of a text, and where they are in it.
    struct Letters {
        let letters: [(letter: Character, index: Int)]
        /// The number of all characters.
        let length: Int

        init(_ text: String) {
            letters = text.enumerated().flatMap { index, character in
                CutLines.letters(String(character)).map { ($0, index) }
            }
            length = text.count
        }

        /// Returns the longest runs of letters that it has in common with another text, as positions in the letters of both.
        func longestRuns(in whole: Letters) -> [Run] {
            var lengths = [Int](repeating: 0, count: whole.letters.count + 1)
            var result: [Run] = []
            for (index, own) in letters.enumerated() {
                var before = 0
                for (place, other) in whole.letters.enumerated() {
                    let above = lengths[place + 1]
                    lengths[place + 1] = own.letter == other.letter ? before + 1 : 0
                    let length = lengths[place + 1]
                    if length > result.first?.count ?? 0 { result.removeAll() }
                    if length > 0, length >= result.first?.count ?? 0 {
                        result.append(Run(own: index - length + 1, whole: place - length + 1, count: length))
                    }
                    before = above
                }
            }
            return result
        }
    }

    /// Letters that two texts have in common: the positions of the first one, and how many there are.
    struct Run {
        let own, whole, count: Int
    }

    /// A line with letters of the text.
    struct Part {
        let text: Letters
        fileprivate let runs: [Run]
        fileprivate let whole: PlacedText

        /// The number of letters in a row that both have.
        var count: Int { runs.first?.count ?? 0 }

        /// Whether the line shows the text or a part of it, and not only a few letters that both happen to have.
        var isSameText: Bool {
            let shorter = min(text.letters.count, whole.letters.letters.count)
            return count >= 3 && Double(count) >= Self.same * Double(shorter)
        }

        /// Returns whether the letters are where they are in the text when the line is at a place. A text that moves, turns or
        /// gets larger has them elsewhere, also where it is cut off and one of its ends stays.
        func isInPlace(at place: Quad) -> Bool {
            let (quad, along) = (whole.quad, whole.quad.direction)
            let step = place.width / Double(max(1, text.length))
            let tolerance = Self.tolerance.height * quad.height + Self.tolerance.width * quad.width
            let height = Self.tolerance.height * max(place.height, quad.height)
            func middle(_ a: Point, _ b: Point) -> Point { a.interpolated(to: b, at: 0.5) }
            let begins = (middle(place.topLeft, place.bottomLeft), middle(quad.topLeft, quad.bottomLeft))
            let end = middle(quad.topRight, quad.bottomRight)
            func fits(_ own: Int, _ other: Int) -> Bool {
                let (own, other) = (text.letters[own].index, whole.letters.letters[other].index)
                let letter = begins.0 + place.direction * (Double(own) * step)
                let fromBegin = letter - (begins.1 + along * (Double(other) * whole.width))
                let fromEnd = letter - (end - along * (Double(whole.letters.length - other) * whole.width))
                // Of a cut text it is not known which end is in the picture.
                return (whole.isCut ? [fromBegin, fromEnd] : [fromBegin]).contains { offset in
                    abs(offset.x * along.x + offset.y * along.y) < tolerance
                        && abs(offset.y * along.x - offset.x * along.y) < height
                }
            }
            return runs.contains { run in
                fits(run.own, run.whole) && fits(run.own + run.count - 1, run.whole + run.count - 1)
            }
        }

        /// How far letters may be from where they would be if all had the same width, as shares of the text's height and
        /// width.
        private static let tolerance = (height: 0.5, width: 0.06)
        /// The least share of the shorter text's letters.
        private static let same = 0.85
    }
}

/// The lines near a finding's place that show its text at other places, before it or after it: what changes at the place is
/// then the text on its way, and not its last traces. Two texts cannot be read at one place.
struct TextElsewhere {
    private let whole: PlacedText
    private var lines: [(line: LineHistory.Line, parts: [(index: Int, part: PlacedText.Part)])] = []

    /// - Parameter frames: the frames of interest.
    init(_ whole: PlacedText, _ history: LineHistory, in frames: ClosedRange<Int>) {
        self.whole = whole
        for line in history.all where line.last >= frames.lowerBound && line.places[0].index <= frames.upperBound {
            guard line.places.contains(where: { $0.quad.isInRow(of: whole.quad) }) else { continue }
            let parts = line.texts.map { (index: $0.index, part: whole.part($0.text)) }
            if parts.contains(where: \.part.isSameText) { lines.append((line, parts)) }
        }
    }

    /// Returns whether the text's letters were at another place in a frame, over or under the finding's.
    func isSeen(at index: Int) -> Bool {
        lines.contains { line, parts in
            guard (line.places[0].index...line.last).contains(index),
                let part = (parts.last { $0.index <= index } ?? parts.first)?.part, part.isSameText
            else { return false }
            let place = line.quad(at: index)
            return place.isInRow(of: whole.quad) && !part.isInPlace(at: place)
        }
    }
}

extension Quad {
    /// Returns whether two places are in one row and of similar height, and the middle of one is within the other.
    fileprivate func isInRow(of other: Quad) -> Bool {
        height < 2 * other.height && other.height < 2 * height
            && (holdsPoint(other.center) || other.holdsPoint(center))
    }
}
