import TextSpotting

/// Where the lines of a recording were, reading after reading: what was typed before it was what is searched for, and how far a line goes
/// on beside the words in it. A value fed in the order of readings.
struct LineHistory: Sendable {
    /// One line over time.
    struct Line: Sendable {
        /// Where it was at readings, by the index of the frame, in pixels of the picture as displayed; the same place is not kept twice.
        fileprivate(set) var places: [(index: Int, quad: Quad)]
        /// The last reading that knew of it.
        fileprivate(set) var last: Int

        /// Where it was in a frame: on the way between the places that are known.
        func quad(at index: Int) -> Quad {
            guard let next = places.firstIndex(where: { $0.index > index }) else {
                return places[places.count - 1].quad
            }
            guard next > 0 else { return places[0].quad }
            let (a, b) = (places[next - 1], places[next])
            return a.quad.interpolated(to: b.quad, at: Double(index - a.index) / Double(b.index - a.index))
        }

        /// Where it was known to be up to a frame, since it last leapt to another place, as one does that was taken for another.
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

        /// Where it was read in a frame; nil where that is not known for sure.
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
    /// Numbers of lines begin anew where the picture changes its size.
    private var epoch = 0
    private var geometry: FrameResult.Geometry?

    /// The line of that name.
    subscript(key: Key) -> Line? { lines[key] }

    /// Takes what a reading knows for sure.
    ///
    /// - Parameter see: told of each line that was seen there, by its name.
    mutating func add(_ finding: FrameResult, _ see: (Key, TextTrack) -> Void = { _, _ in }) {
        if let geometry, geometry != finding.geometry { epoch += 1 }
        geometry = finding.geometry
        let (origin, aspect) = (finding.geometry.origin, finding.geometry.pixelAspect)
        for track in finding.tracks where track.isInView && track.seen == finding.time {
            let quad = track.line.quad.moved(by: origin).scaled(x: aspect, y: 1)
            let key = Key(epoch: epoch, id: track.id)
            see(key, track)
            guard var line = lines[key] else {
                lines[key] = Line(places: [(finding.time.index, quad)], last: finding.time.index)
                continue
            }
            line.last = finding.time.index
            if let before = line.places.last?.quad,
                zip(before.corners, quad.corners).contains(where: { ($0 - $1).length > 0.5 })
            {
                line.places.append((finding.time.index, quad))
            }
            lines[key] = line
        }
    }

    /// Forgets the lines that no reading since a frame knew of, and where the others were long before.
    mutating func forget(before index: Int) {
        lines = lines.filter { $0.value.last >= index }
        for key in lines.keys {
            guard let places = lines[key]?.places, places.count > Self.mostPlaces else { continue }
            let old = places.dropLast(Self.mostPlaces).prefix { $0.index < index }.count
            lines[key]?.places.removeFirst(old)
        }
    }

    /// Of a line that moves this many places are remembered in any case.
    private static let mostPlaces = 256

    /// The line that words stand in.
    ///
    /// - Parameters:
    ///   - quad: of the words, in pixels of the picture as displayed.
    ///   - index: of the frame.
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
    /// Whether a point lies between its sides, as the text runs.
    func holdsPoint(_ point: Point) -> Bool {
        let (right, offset) = (direction, point - center)
        let (along, across) = (
            offset.x * right.x + offset.y * right.y, offset.y * right.x - offset.x * right.y
        )
        return abs(along) <= width / 2 && abs(across) <= height / 2
    }
}
