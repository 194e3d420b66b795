import TextSpotting

/// The places of the lines of a recording, reading after reading: the text of a line before it became a match, and how
/// far a line extends beside the words in it. A value that takes readings in order.
struct LineHistory: Sendable {
    /// One line over time.
    struct Line: Sendable {
        /// The places at readings, by frame index, in pixels of the picture as displayed; repeated places are stored
        /// once.
        fileprivate(set) var places: [(index: Int, quad: Quad)]
        /// The last reading that knew the line.
        fileprivate(set) var last: Int
        /// The texts that were read, each with the frame of its first reading.
        fileprivate(set) var texts: [(index: Int, text: String)] = []

        fileprivate mutating func add(_ text: String, at index: Int) {
            guard texts.last?.text != text else { return }
            texts.append((index, text))
        }

        /// Returns the text that was read last up to a frame.
        func text(at index: Int) -> String? { (texts.last { $0.index <= index } ?? texts.first)?.text }

        /// Returns the place in a frame, interpolated between known ones.
        func quad(at index: Int) -> Quad {
            guard let next = places.firstIndex(where: { $0.index > index }) else {
                return places[places.count - 1].quad
            }
            guard next > 0 else { return places[0].quad }
            let (a, b) = (places[next - 1], places[next])
            return a.quad.interpolated(to: b.quad, at: Double(index - a.index) / Double(b.index - a.index))
        }

        /// Returns the known places up to a frame, since the line last jumped, as one does that was confused with
        /// another.
        func steadyPlaces(before index: Int) -> ArraySlice<(index: Int, quad: Quad)> {
            let known = places.prefix { $0.index <= index }
            var begin = known.endIndex
            while begin > known.startIndex + 1 {
                let (a, b) = (known[begin - 2], known[begin - 1])
                let step = (b.quad.topLeft - a.quad.topLeft).length / Double(max(1, b.index - a.index))
                if step > max(a.quad.height, b.quad.height) { break }
                begin -= 1
            }
            return known[max(known.startIndex, begin - 1)...]
        }

        /// Returns the frame that is some frames before or after another one, or the nearest to it in which the line is known
        /// and up to which it did not jump.
        func index(moment: Int, from index: Int) -> Int {
            let there = min(max(index + moment, min(index, places[0].index)), max(index, last))
            let way = places.filter { (min(index, there)...max(index, there)).contains($0.index) }
            let steps = zip(way, way.dropFirst())
            func jumps(_ step: (a: (index: Int, quad: Quad), b: (index: Int, quad: Quad))) -> Bool {
                (step.b.quad.topLeft - step.a.quad.topLeft).length / Double(max(1, step.b.index - step.a.index))
                    > max(step.a.quad.height, step.b.quad.height)
            }
            return moment < 0
                ? steps.reversed().first(where: jumps)?.1.index ?? there : steps.first(where: jumps)?.0.index ?? there
        }

        /// Returns the place at which it was read in a frame; nil if that is not certain.
        func readQuad(at index: Int) -> Quad? {
            guard let place = places.last(where: { $0.index <= index }), index <= last else { return nil }
            return place.index == index || place.index == places[places.count - 1].index ? place.quad : nil
        }
    }

    struct Key: Hashable, Sendable {
        let epoch: Int
        let id: Int
    }

    private var lines: [Key: Line] = [:]
    /// The current numbering of lines, which starts again when the picture changes its size.
    private var epoch = 0
    private var geometry: FrameResult.Geometry?

    subscript(key: Key) -> Line? { lines[key] }

    /// All known lines, in no particular order.
    var all: some Collection<Line> { lines.values }

    /// Takes the certain results of a reading.
    ///
    /// - Parameter see: called with each line that was seen, and its key.
    mutating func add(_ finding: FrameResult, _ see: (Key, TextTrack) -> Void = { _, _ in }) {
        if let geometry, geometry != finding.geometry { epoch += 1 }
        geometry = finding.geometry
        for track in finding.tracks where track.isInView && track.seen == finding.time {
            let quad = finding.geometry.displayed(track.line.quad)
            let key = Key(epoch: epoch, id: track.id)
            see(key, track)
            let isNew = lines[key] == nil
            var line = lines[key] ?? Line(places: [(finding.time.index, quad)], last: finding.time.index)
            line.last = finding.time.index
            if isNew || track.read == finding.time { line.add(track.reading.text, at: finding.time.index) }
            if let before = line.places.last?.quad,
                zip(before.corners, quad.corners).contains(where: { ($0 - $1).length > 0.5 })
            {
                line.places.append((finding.time.index, quad))
            }
            lines[key] = line
        }
    }

    /// Discards the lines that no reading since a frame knew, and old places of the others.
    mutating func forget(before index: Int) {
        lines = lines.filter { $0.value.last >= index }
        for key in lines.keys {
            // The last text before that frame may still be there.
            let gone = (lines[key]?.texts.dropFirst().prefix { $0.index <= index }.count) ?? 0
            lines[key]?.texts.removeFirst(gone)
            guard let places = lines[key]?.places, places.count > Self.mostPlaces else { continue }
            let old = places.dropLast(Self.mostPlaces).prefix { $0.index < index }.count
            lines[key]?.places.removeFirst(old)
        }
    }

    /// The number of places always kept for a moving line.
    private static let mostPlaces = 256

    /// Returns the line that contains words, as it was read in a frame, including the lines that continue it in its
    /// row: detectors end a line where its background changes.
    ///
    /// - Returns: nil if that is not certain.
    func row(of quad: Quad, at index: Int) -> Quad? {
        guard var row = line(of: quad, at: index)?.readQuad(at: index) else { return nil }
        // In one order, so that the same lines give the same row.
        var others = lines.sorted { ($0.key.epoch, $0.key.id) < ($1.key.epoch, $1.key.id) }.compactMap {
            $0.value.readQuad(at: index)
        }
        while let next = others.firstIndex(where: { $0.continues(row) || row.continues($0) }) {
            row = Quad.spanning([row, others.remove(at: next)], along: row.direction) ?? row
        }
        return row
    }

    /// Returns whether the lines at two places, each in a frame, show the same letters where they stood: the text stands still,
    /// or it is another part of the same line.
    func showLettersInPlace(at quad: Quad, _ index: Int, and other: Quad, _ later: Int) -> Bool {
        guard let a = line(of: quad, at: index), let b = line(of: other, at: later), let from = a.text(at: index),
            let to = b.text(at: later)
        else { return false }
        let part = PlacedText(from, at: a.quad(at: index)).part(to)
        return part.count >= Self.leastLetters && part.isSameText && part.isInPlace(at: b.quad(at: later))
    }

    /// The number of letters in a row by which a text is told from others.
    private static let leastLetters = 4

    /// Returns the line that contains words.
    ///
    /// - Parameters:
    ///   - quad: the place of the words, in pixels of the picture as displayed.
    ///   - index: the index of the frame.
    func line(of quad: Quad, at index: Int) -> Line? {
        let center = quad.center
        return lines.values.filter { line in
            guard let first = line.places.first?.index, first <= index, line.last >= index else { return false }
            let place = line.quad(at: index)
            return place.height < 2 * quad.height && quad.height < 2 * place.height
                && place.grown(along: 2, across: 2).holdsPoint(center)
        }.max { $0.quad(at: index).width < $1.quad(at: index).width }
    }
}

extension Quad {
    /// Returns whether a point is between its sides, along the direction of the text.
    func holdsPoint(_ point: Point) -> Bool {
        let (right, offset) = (direction, point - center)
        let (along, across) = (
            offset.x * right.x + offset.y * right.y, offset.y * right.x - offset.x * right.y
        )
        return abs(along) <= width / 2 && abs(across) <= height / 2
    }
}

/// The changes of pictures from frame to frame, kept for a whole recording: they tell how long text had been there
/// before it was complete enough to be read, and how long its traces last.
///
/// A value that takes frames in order. What stood still takes little memory, and discarded data none.
struct PictureChanges: Sendable {
    /// The changes of one frame.
    private struct Change {
        /// The index of each changed tile and its mean difference in quarters of a gray level, in order; empty if
        /// everything changed.
        var tiles: [(tile: Int32, difference: UInt8)] = []
        /// The share of changed tiles, 0 to 1.
        var share = 0.0
        /// The number of tiles in a row, and the size of a tile in pixels of the displayed picture.
        var columns = 1
        var size = Point(1, 1)
    }

    /// The change of one place.
    enum Step: Hashable {
        case none, little, much
        /// The whole picture changed, as in the previous frame: it moves.
        case moves
        /// It became another picture.
        case cut
    }

    /// The times of the frames from ``begin`` on.
    private var times: [FrameTime] = []
    private var changes: [Change] = []
    /// The index of the first frame that is still kept.
    private(set) var begin = 0
    private var last: Picture?

    private static let side = 16
    /// The share from which the whole picture counts as changed.
    private static let everywhere = 0.4
    /// The least difference, in quarters of a gray level: an encoder's own changes are below.
    private static let least = 3
    /// A mean difference of this many gray levels is more than a step of a fade, or a letter.
    private static let much = 9.0

    /// The index of the frame after the last.
    var end: Int { begin + times.count }

    /// Returns the time of a frame; for unknown frames, that of the nearest known one.
    func time(_ index: Int) -> FrameTime {
        guard let last = times.last else { return FrameTime(index: 0, start: .zero, duration: .zero) }
        return index < end ? times[max(0, index - begin)] : last
    }

    /// The number of frames per second.
    var rate: Double {
        guard let first = times.first, let last = times.last, times.count > 1 else { return 25 }
        let seconds = (last.end - first.start).seconds
        return seconds > 0 ? min(240, max(1, Double(times.count) / seconds)) : 25
    }

    /// Returns the last frame in a row, before another one, up to which a place changed by no other steps than these.
    func stay(of area: Rect, from index: Int, before end: Int, _ steps: Set<Step>) -> Int {
        var last = index
        while last + 1 < end, steps.contains(step(to: last + 1, in: area)) { last += 1 }
        return last
    }

    /// Discards the frames before one, but never all of them.
    mutating func forget(before index: Int) {
        let count = min(index - begin, times.count - 1)
        guard count > 0 else { return }
        times.removeFirst(count)
        changes.removeFirst(count)
        begin += count
    }

    /// Takes the following frames.
    mutating func add(_ finding: FrameResult) {
        for frame in finding.frames where frame.time.index >= end {
            // A frame that was not considered has no known changes.
            while end < frame.time.index {
                times.append(times.last ?? frame.time)
                changes.append(Change())
            }
            times.append(frame.time)
            changes.append(change(to: frame.picture, finding.geometry))
            last = frame.picture
        }
    }

    private func change(to picture: Picture, _ geometry: FrameResult.Geometry) -> Change {
        var change = Change()
        let side = Double(Self.side) / geometry.scale
        change.size = Point(side * geometry.pixelAspect, side)
        change.columns = (picture.width + Self.side - 1) / Self.side
        guard let last, last.width == picture.width, last.height == picture.height else {
            change.share = 1
            return change
        }
        guard !last.sharesBytes(with: picture) else { return change }
        let sums = Self.differences(last, picture)
        for (tile, value) in sums.enumerated() where value >= Self.least {
            change.tiles.append((Int32(tile), UInt8(clamping: value)))
        }
        change.share = Double(change.tiles.count) / Double(max(1, sums.count))
        if change.share > Self.everywhere { change.tiles = [] }
        return change
    }

    /// Returns the mean difference of each tile, in quarters of a gray level.
    private static func differences(_ a: Picture, _ b: Picture) -> [Int] {
        let (columns, rows) = ((a.width + side - 1) / side, (a.height + side - 1) / side)
        var sums = [Int](repeating: 0, count: columns * rows)
        a.bytes.withUnsafeBufferPointer { first in
            b.bytes.withUnsafeBufferPointer { second in
                for y in 0..<a.height {
                    for column in 0..<columns {
                        let begin = y * a.width + column * side
                        let end = min(begin + side, (y + 1) * a.width)
                        var sum: Int32 = 0
                        for index in begin..<end { sum &+= abs(Int32(first[index]) &- Int32(second[index])) }
                        sums[y / side * columns + column] += Int(sum)
                    }
                }
            }
        }
        return sums.map { $0 * 4 / (side * side) }
    }

    /// Returns how a place changed from the previous frame to this one.
    ///
    /// - Parameter area: in pixels of the picture as displayed.
    func step(to index: Int, in area: Rect) -> Step {
        guard changes.indices.contains(index - begin) else { return .none }
        let change = changes[index - begin]
        if change.share > Self.everywhere {
            let before = index > begin ? changes[index - begin - 1].share : 1
            return before > 0.5 * change.share ? .moves : .cut
        }
        let (left, right) = (Int(area.minX / change.size.x), Int(area.maxX / change.size.x))
        let (top, bottom) = (Int(area.minY / change.size.y), Int(area.maxY / change.size.y))
        guard left <= right, top <= bottom else { return .none }
        var (sum, hasChanged) = (0, false)
        for (tile, difference) in change.tiles {
            let (row, column) = (Int(tile) / change.columns, Int(tile) % change.columns)
            guard row >= top, row <= bottom, column >= left, column <= right else { continue }
            sum += Int(difference)
            hasChanged = true
        }
        guard hasChanged else { return .none }
        let mean = Double(sum) / 4 / Double((right - left + 1) * (bottom - top + 1))
        return mean >= Self.much ? .much : .little
    }
}
