/// A reading of all places, with the picture it was made of.
struct ReadPicture: Sendable {
    var time: FrameTime
    /// In pixels of the frame.
    var lines: [TextLine]
    /// Luma, smaller than the frame by the timeline's scale.
    var picture: Picture
}

/// One text that took the place of another between two readings: which letters differ, and in which frame they changed.
///
/// At one place there is one text at a time. Where two readings say different things of a place and the pictures agree that
/// the letters which differ changed, each frame between them belongs to the text whose differing letters it resembles more.
/// Two readings of which one is a mistake show the same letters, so that nothing changed.
struct TextChange {
    /// A letter that differs, in pixels of the thumbnail that was read first.
    private let cells: [Cell]
    private let old: Picture
    private let new: Picture
    /// The mean squared difference of letters that stayed the same.
    private let noise: Float
    /// By how much the place moved from the first reading to the second, in pixels of the thumbnails.
    private let motion: Point

    /// Whole pixels.
    fileprivate struct Cell {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    /// Where a text stood when it was read, and where it should stand now if it only moved; in pixels of the frame.
    struct Place {
        var before: Quad
        var now: Quad
    }

    /// - Returns: nil if nothing was read at the place, or the pictures show the same letters.
    init?(at place: Place, from before: ReadPicture, to now: ReadPicture, scale: Double) {
        let earlier = PlacedLetter.letters(of: before.lines, in: place.before)
        let later = PlacedLetter.letters(of: now.lines, in: place.now)
        guard !earlier.isEmpty, !later.isEmpty else { return nil }
        old = before.picture
        new = now.picture
        let offset = place.now.topLeft - place.before.topLeft
        motion = offset * scale
        let sources = CharacterAlignment.sources(of: later.map(\.character), in: earlier.map(\.character))
        // Of a line that comes in over the picture's edge a part was seen: it is higher now, and its middle elsewhere.
        let direction = place.before.direction
        let mostApart = Self.sameSpot * max(place.before.height, place.now.height)
        var same: [Cell] = []
        var differing: [Cell] = []
        for (letter, source) in zip(later, sources) {
            let there = letter.quad.bounds.moved(by: Point(0, 0) - offset)
            guard let before = source.map({ earlier[$0] }) else {
                differing.append(Cell(there, scale))
                continue
            }
            let was = before.quad.bounds
            let shift = there.center - was.center
            if before.character != letter.character {
                differing.append(Cell(there.union(was), scale))
            } else if abs(shift.x * direction.x + shift.y * direction.y) > mostApart {
                // The same letter elsewhere in the line: other letters stand in both spots.
                differing += [Cell(there, scale), Cell(was, scale)]
            } else if letter.character.isLetter || letter.character.isNumber {
                // Of a mark's place the letters beside it take a good part.
                same.append(Cell(there.union(was), scale))
            }
        }
        let kept = Set(sources.compactMap { $0 })
        if Self.isTyped(later, sources, earlier, kept: kept.count) { return nil }
        differing += earlier.indices.filter { !kept.contains($0) }.map { Cell(earlier[$0].quad.bounds, scale) }
        let noises = same.map { [old, new, motion] in $0.difference(old, new, motion) }.sorted()
        noise = noises.isEmpty ? 0 : noises[noises.count / 2]
        cells = Self.changed(differing, beside: same, noise: noise, old: old, new: new, motion: motion)
        if cells.isEmpty { return nil }
    }

    /// All that was there and more, with letters: what is typed, whose pictures tell well enough when the rest came. Digits, signs and points
    /// that only came before what was there make another number.
    private static func isTyped(
        _ later: [PlacedLetter], _ sources: [Int?], _ earlier: [PlacedLetter], kept: Int
    ) -> Bool {
        guard kept == earlier.count, later.count > earlier.count, later.contains(where: { $0.character.isLetter }),
            zip(later, sources).allSatisfy({ letter, source in
                source.map { earlier[$0].character == letter.character } ?? true
            })
        else { return false }
        return sources[sources.count - 1] == nil
            || zip(later, sources).contains { $1 == nil && $0.character.isLetter }
    }

    /// Something was read at the place.
    static func isRead(_ reading: ReadPicture, at place: Quad) -> Bool {
        !PlacedLetter.letters(of: reading.lines, in: place).isEmpty
    }

    /// Those of the letters that the pictures show to be other letters: they differ by more than letters that stayed the same do.
    private static func changed(
        _ differing: [Cell], beside same: [Cell], noise: Float, old: Picture, new: Picture, motion: Point
    ) -> [Cell] {
        let contrast =
            (same + differing).map { max($0.variance(old, Point(0, 0)), $0.variance(new, motion)) }.max() ?? 0
        func differs(_ cell: Cell, ratio: Float, share: Float) -> Bool {
            let difference = cell.difference(old, new, motion)
            return difference > ratio * noise && difference - noise > share * contrast
        }
        // One of two readings that say the same may be wrong, where a few letters surely changed among others that did not.
        let misread = same.count < 4 ? [] : same.filter { differs($0, ratio: misreadRatio, share: misreadShare) }
        return differing.filter { differs($0, ratio: leastRatio, share: leastShare) }
            + (2 * misread.count < same.count ? misread : [])
    }

    /// Places of one letter in two readings are less than this apart along the line, in heights of the line.
    private static let sameSpot = 0.1
    /// Chosen on the clocks of `render-clips --values`, as shares of the contrast.
    private static let leastShare: Float = 0.1
    private static let leastRatio: Float = 1.3
    private static let misreadShare: Float = 0.3
    private static let misreadRatio: Float = 3

    /// Which of the frames between the readings are the first that no longer shows all of the earlier text, and the first that shows
    /// all of the later one. They are the same but where letters change one after the other, as when they are typed, or where frames
    /// between them show neither.
    ///
    /// - Parameter frames: those after the first reading, up to and including the second.
    /// - Returns: places in `frames`.
    func turn(in frames: [FrameHistory.Frame]) -> (begins: Int, ends: Int) {
        guard frames.count > 1 else { return (0, 0) }
        let steps = cells.map { Step(cell: $0, old: old, new: new, motion: motion) }
        // Along each letter's way: 0 where a frame shows the old one, its length where it shows the new one.
        var along = steps.map { _ in [Float]() }
        var showsOld: [Bool] = []
        var showsNew: [Bool] = []
        for (number, frame) in frames.enumerated() {
            if number > 0, motion == Point(0, 0), frame.picture.sharesBytes(with: frames[number - 1].picture) {
                for index in steps.indices { along[index].append(along[index][number - 1]) }
                showsOld.append(showsOld[number - 1])
                showsNew.append(showsNew[number - 1])
                continue
            }
            // It may have moved evenly, or at once with the change: a number with a digit more in front of it.
            let evenly = motion * (Double(number + 1) / Double(frames.count))
            let offsets = motion == Point(0, 0) ? [motion] : [evenly, Point(0, 0), motion]
            let ways = steps.map { $0.way(to: frame.picture, offsets, noise: noise) }
            for index in steps.indices { along[index].append(ways[index].along) }
            showsOld.append(ways.allSatisfy(\.mayBeOld))
            showsNew.append(ways.allSatisfy(\.mayBeNew))
        }
        // Another text may have come and gone between the two.
        let lost = showsOld.firstIndex(of: false) ?? frames.count
        let shown = showsNew.lastIndex(of: false).map { $0 + 1 } ?? 0
        let (begins, ends) = turn(steps, along)
        return (min(begins, lost), min(frames.count - 1, max(ends, shown)))
    }

    private func turn(_ steps: [Step], _ along: [[Float]]) -> (begins: Int, ends: Int) {
        let own = zip(along, steps).map {
            Self.split($0.0.map { [length = $0.1.length] in length > 0 ? $0 / length : 1 })
        }
        guard let first = own.min(), let last = own.max(), last - first <= Self.sameMoment else {
            return (own.min() ?? 0, own.max() ?? 0)
        }
        let length = steps.reduce(0) { $0 + $1.length }
        let together = Self.split(
            along[0].indices.map { frame in
                length > 0 ? along.reduce(0) { $0 + $1[frame] } / length : 1
            })
        return (together, together)
    }

    /// Letters that change within this many frames change at once: encoders bring some blocks of a picture later than others.
    private static let sameMoment = 2

    /// Where the frames before are most like 0 and those from there on most like 1; the last is 1.
    private static func split(_ shares: [Float]) -> Int {
        let shares = shares.map { max(0, min(1, $0)) }
        var best = (cost: Float.infinity, place: shares.count - 1)
        var cost = shares.reduce(0) { $0 + (1 - $1) }
        for place in shares.indices {
            if cost < best.cost { best = (cost, place) }
            cost += 2 * shares[place] - 1
        }
        return best.place
    }

    /// From one letter's pixels to another's.
    private struct Step {
        let cell: Cell
        let before: [Float]
        let step: [Float]
        /// The sum of the steps' squares.
        let length: Float

        init(cell: Cell, old: Picture, new: Picture, motion: Point) {
            self.cell = cell
            before = cell.pixels(old, Point(0, 0))
            step = zip(cell.pixels(new, motion), before).map { $0 - $1 }
            length = step.reduce(0) { $0 + $1 * $1 }
        }

        /// How far along the way a frame is, and whether it may show one of the letters: it differs from that by little more than the letters
        /// differ from themselves.
        ///
        /// - Parameter offsets: by how much it may have moved; that counts at which it is most like one of the letters.
        func way(to picture: Picture, _ offsets: [Point], noise: Float)
            -> (along: Float, mayBeOld: Bool, mayBeNew: Bool)
        {
            let likest = offsets.map { distances(of: picture, movedBy: $0) }
                .min { min($0.fromOld, $0.fromNew) < min($1.fromOld, $1.fromNew) }
            guard let likest else { return (0, false, false) }
            let usual = noise * Float(step.count)
            let most = Self.other * max(0, length - usual) + 1.2 * usual
            return (likest.along, likest.fromOld <= most, likest.fromNew <= most)
        }

        private func distances(of picture: Picture, movedBy offset: Point)
            -> (along: Float, fromOld: Float, fromNew: Float)
        {
            let there = cell.pixels(picture, offset)
            var (sum, fromOld, fromNew): (Float, Float, Float) = (0, 0, 0)
            for index in step.indices {
                let difference = there[index] - before[index]
                sum += difference * step[index]
                fromOld += difference * difference
                fromNew += (difference - step[index]) * (difference - step[index])
            }
            return (sum, fromOld, fromNew)
        }

        /// A third letter is as far from each of two as they are from each other; one that is half changed is a quarter.
        private static let other: Float = 0.45
    }
}

/// A letter, a digit or what makes other words or numbers of them: a sign in front of a number, a mark within a word.
private struct PlacedLetter {
    /// In one case: readers take one for the other.
    var character: Character
    var quad: Quad

    private static func counts(_ index: Int, of word: [Character]) -> Bool {
        func isLetter(_ index: Int) -> Bool {
            word.indices.contains(index) && (word[index].isLetter || word[index].isNumber)
        }
        return isLetter(index) || isLetter(index - 1) && isLetter(index + 1) || NumberMark.isMark(index, of: word)
    }

    /// Those of the line that stands in `place`, as far as they stand in it.
    static func letters(of lines: [TextLine], in place: Quad) -> [PlacedLetter] {
        let area = place.bounds
        let line = lines.map { (line: $0, shared: $0.quad.bounds.intersection(area).area) }
            .filter { $0.shared > 0.3 * min(area.area, $0.line.quad.bounds.area) }
            .max { $0.shared < $1.shared }?.line
        guard let line else { return [] }
        let direction = place.direction
        let (width, height) = (place.width, place.height)
        return line.words.flatMap { word in
            let characters = word.characters.map(\.character)
            return word.characters.enumerated().compactMap { index, span -> PlacedLetter? in
                guard counts(index, of: characters) else { return nil }
                let quad = word.quad.slice(from: span.start, to: max(span.end, span.start + 0.01))
                let offset = quad.center - place.center
                let along = offset.x * direction.x + offset.y * direction.y
                let across = offset.y * direction.x - offset.x * direction.y
                guard abs(along) < width / 2 + 0.35 * height, abs(across) < 0.6 * height else { return nil }
                return PlacedLetter(character: Character(span.character.lowercased()), quad: quad)
            }
        }
    }
}

extension TextChange.Cell {
    fileprivate init(_ bounds: Rect, _ scale: Double) {
        func pixel(_ place: Double, _ rule: FloatingPointRoundingRule) -> Int {
            Int(max(-1e6, min(1e6, place * scale)).rounded(rule))
        }
        x = pixel(bounds.minX, .down)
        y = pixel(bounds.minY, .down)
        width = max(2, min(400, pixel(bounds.maxX, .up) - x))
        height = max(2, min(400, pixel(bounds.maxY, .up) - y))
    }

    /// Brightness, row by row; the picture's edge goes on where it is outside.
    func pixels(_ picture: Picture, _ moved: Point) -> [Float] {
        let (left, top) = (x + Int(moved.x.rounded()), y + Int(moved.y.rounded()))
        var values: [Float] = []
        values.reserveCapacity(width * height)
        picture.bytes.withUnsafeBufferPointer { bytes in
            for row in top..<top + height {
                let begin = max(0, min(picture.height - 1, row)) * picture.width
                for column in left..<left + width {
                    values.append(Float(bytes[begin + max(0, min(picture.width - 1, column))]))
                }
            }
        }
        return values
    }

    /// The mean squared difference of what two pictures show.
    func difference(_ old: Picture, _ new: Picture, _ motion: Point) -> Float {
        zip(pixels(old, Point(0, 0)), pixels(new, motion)).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            / Float(width * height)
    }

    func variance(_ picture: Picture, _ moved: Point) -> Float {
        let values = pixels(picture, moved)
        let mean = values.reduce(0, +) / Float(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(values.count)
    }
}
