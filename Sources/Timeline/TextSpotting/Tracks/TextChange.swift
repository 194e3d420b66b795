/// A reading of all places, with the picture that was read.
struct ReadPicture: Sendable {
    var time: FrameTime
    /// The lines, in pixels of the frame.
    var lines: [TextLine]
    /// The luma picture, smaller than the frame by the timeline's scale.
    var picture: Picture
}

/// A text that replaced another between two readings: the letters that differ, and the frame in which they changed.
///
/// There is one text at a place at any time. If two readings of a place disagree and the pictures confirm that the
/// differing letters changed, each frame in between belongs to the text whose differing letters it resembles more. If
/// one of the two readings is merely wrong, both pictures show the same letters, so nothing changed.
struct TextChange {
    /// A letter that differs, in pixels of the thumbnail that was read first.
    private let cells: [Cell]
    private let old: Picture
    private let new: Picture
    /// The mean squared difference of letters that stayed the same.
    private let noise: Float
    /// The movement of the place from the first reading to the second, in pixels of the thumbnails.
    private let motion: Point

    /// Whole pixels.
    fileprivate struct Cell {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    /// The place of a text when it was read and its expected place now if it only moved; in pixels of the frame.
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
        motion = (place.now.topLeft - place.before.topLeft) * scale
        let sources = CharacterAlignment.sources(of: later.map(\.character), in: earlier.map(\.character))
        let kept = Set(sources.compactMap { $0 })
        if Self.isTyped(later, sources, earlier, kept: kept.count) { return nil }
        var (same, differing) = Self.compare(zip(later, sources), with: earlier, at: place, scale)
        differing += earlier.indices.filter { !kept.contains($0) }.map { Cell(earlier[$0].quad.bounds, scale) }
        let noises = same.map { [old, new, motion] in $0.difference(old, new, motion) }.sorted()
        noise = noises.isEmpty ? 0 : noises[noises.count / 2]
        cells = Self.changed(differing, beside: same, noise: noise, old: old, new: new, motion: motion)
        if cells.isEmpty { return nil }
    }

    /// Returns the cells of letters that are as they were, and of those that were replaced, moved or added.
    ///
    /// - Parameter later: the letters, each with the index of the earlier one that it was.
    private static func compare(
        _ later: some Sequence<(PlacedLetter, Int?)>, with earlier: [PlacedLetter], at place: Place, _ scale: Double
    ) -> (same: [Cell], differing: [Cell]) {
        // Of a line that enters over the edge of the picture only a part was seen: it is taller now, and its middle is
        // elsewhere.
        let direction = place.before.direction
        let mostApart = sameSpot * max(place.before.height, place.now.height)
        var same: [Cell] = []
        var differing: [Cell] = []
        for (letter, source) in later {
            let there = letter.quad.bounds.moved(by: place.before.topLeft - place.now.topLeft)
            guard let before = source.map({ earlier[$0] }) else {
                differing.append(Cell(there, scale))
                continue
            }
            let was = before.quad.bounds
            let shift = there.center - was.center
            if before.character != letter.character {
                differing.append(Cell(there.union(was), scale))
            } else if abs(shift.x * direction.x + shift.y * direction.y) > mostApart {
                // The same letter is elsewhere in the line: both spots show other letters now.
                differing += [Cell(there, scale), Cell(was, scale)]
            } else if letter.character.isLetter || letter.character.isNumber {
                // The letters next to a mark cover much of its place.
                same.append(Cell(there.union(was), scale))
            }
        }
        return (same, differing)
    }

    /// Returns whether the line gained letters and kept all that was there: it is being typed, and pictures tell well
    /// enough when the rest came. Digits, signs and points that were only put in front make another number.
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

    static func isRead(_ reading: ReadPicture, at place: Quad) -> Bool {
        !PlacedLetter.letters(of: reading.lines, in: place).isEmpty
    }

    /// Returns the letters that the pictures show to have changed: they differ by more than letters that stayed the
    /// same do.
    private static func changed(
        _ differing: [Cell], beside same: [Cell], noise: Float, old: Picture, new: Picture, motion: Point
    ) -> [Cell] {
        let contrast =
            (same + differing).map { max($0.variance(old, Point(0, 0)), $0.variance(new, motion)) }.max() ?? 0
        func differs(_ cell: Cell, ratio: Float, share: Float) -> Bool {
            let difference = cell.difference(old, new, motion)
            return difference > ratio * noise && difference - noise > share * contrast
        }
        // One of two equal readings may be wrong if a few letters clearly changed among others that did not.
        let misread = same.count < 4 ? [] : same.filter { differs($0, ratio: misreadRatio, share: misreadShare) }
        return differing.filter { differs($0, ratio: leastRatio, share: leastShare) }
            + (2 * misread.count < same.count ? misread : [])
    }

    /// The places of one letter in two readings are less than this apart along the line, in heights of the line.
    private static let sameSpot = 0.1
    /// Chosen on the clocks of `render-clips --values`, as shares of the contrast.
    private static let leastShare: Float = 0.1
    private static let leastRatio: Float = 1.3
    private static let misreadShare: Float = 0.3
    private static let misreadRatio: Float = 3

    /// Returns the first of the frames between the readings that no longer shows all of the earlier text, and the first
    /// that shows all of the later one. They are the same frame unless letters change one after the other, as when they
    /// are typed, or frames in between show neither text.
    ///
    /// - Parameter frames: the frames after the first reading, up to and including the second.
    /// - Returns: indices in `frames`.
    func turn(in frames: [FrameHistory.Frame]) -> (begins: Int, ends: Int) {
        guard frames.count > 1 else { return (0, 0) }
        let steps = cells.map { Step(cell: $0, old: old, new: new, motion: motion) }
        // For each letter, 0 where a frame shows the old one and the length of the step where it shows the new one.
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
            // The place may have moved evenly, or at once with the change, as when a number gains a digit in front.
            let evenly = motion * (Double(number + 1) / Double(frames.count))
            let offsets = motion == Point(0, 0) ? [motion] : [evenly, Point(0, 0), motion]
            let ways = steps.map { $0.way(to: frame.picture, offsets, noise: noise) }
            for index in steps.indices { along[index].append(ways[index].along) }
            showsOld.append(ways.allSatisfy(\.mayBeOld))
            showsNew.append(ways.allSatisfy(\.mayBeNew))
        }
        // A third text may have come and gone between the two.
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

    /// Letters that change within this many frames count as changing at once: encoders update some blocks of a picture
    /// later than others.
    private static let sameMoment = 2

    /// Returns the index that best separates shares close to 0 from shares close to 1; the last share is 1.
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

    /// The change from the pixels of one letter to those of another.
    private struct Step {
        let cell: Cell
        let before: [Float]
        let step: [Float]
        /// The sum of the squared differences.
        let length: Float

        init(cell: Cell, old: Picture, new: Picture, motion: Point) {
            self.cell = cell
            before = cell.pixels(old, Point(0, 0))
            step = zip(cell.pixels(new, motion), before).map { $0 - $1 }
            length = step.reduce(0) { $0 + $1 * $1 }
        }

        /// Returns how far along the step a frame is, and whether it may show one of the two letters: it differs from
        /// that letter by little more than the letters differ from themselves.
        ///
        /// - Parameter offsets: the possible movements; the one at which the frame is most like one of the letters
        ///   counts.
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

        /// The distance from which a third letter is assumed. A third letter is as far from each of two as they are
        /// from each other; a half-changed letter is a quarter of that away.
        private static let other: Float = 0.45
    }
}

/// A letter, a digit, or a mark that makes other words or numbers: a sign in front of a number, a mark within a word.
private struct PlacedLetter {
    /// The character, folded to one case because readers confuse the two.
    var character: Character
    var quad: Quad

    private static func counts(_ index: Int, of word: [Character]) -> Bool {
        func isLetter(_ index: Int) -> Bool {
            word.indices.contains(index) && (word[index].isLetter || word[index].isNumber)
        }
        return isLetter(index) || isLetter(index - 1) && isLetter(index + 1) || NumberMark.isMark(index, of: word)
    }

    /// Returns the letters of the line at `place`, as far as they lie within it.
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

    /// Returns the brightness of the cell, row by row; edge pixels are repeated outside the picture.
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

    /// Returns the mean squared difference of the cell between two pictures.
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
