import TextSpotting

/// Decides from when to when a text is hidden: from before its first trace to after its last.
extension HidingPlanner {
    /// The number of frames before the first sight and after the last that are always hidden.
    private static let frameMargin = 2
    /// The longest time for which traces are followed, and between two of them, in seconds.
    private static let longestTrace = 3.0
    private static let quiet = 0.5
    /// The longest time in which something moving is assumed to have come from the edge of a picture that stands still.
    private static let longestWay = 3.0
    static let blind = 0.3

    /// Returns the track, extended by the time before and after it in which its text may have been visible.
    ///
    /// - Parameter whole: the longer track that a brief one moves with; nil if there is none.
    func extended(_ track: HiddenTrack, along whole: HiddenTrack?) -> HiddenTrack {
        func carried(_ quad: Quad, from index: Int, to other: Int) -> Quad {
            guard let whole, track.isBrief else { return quad }
            return quad.carried(from: whole.nearestQuad(at: index), to: whole.nearestQuad(at: other))
        }
        var track = typedBefore(track)
        if let quad = track.quads.first {
            let (first, start) = (track.first, track.motionAtStart(in: size, among: lines))
            if start.isSeen {
                track.extend(back: way(of: quad, start, from: first, -1)) { start.swept(quad, by: -Double($0)) }
            } else {
                track.extend(back: traces(of: track, at: quad, from: first, -1) + Self.frameMargin) {
                    carried(quad, from: first, to: first - $0)
                }
            }
        }
        if let quad = track.quads.last {
            let (last, end) = (track.last, track.motionAtEnd(in: size, among: lines))
            let left = frames - 1 - last
            if end.isSeen {
                track.extend(forth: min(left, way(of: quad, end, from: last, 1))) { end.swept(quad, by: Double($0)) }
            } else {
                let seen = traces(of: track, at: quad, from: last, 1) + Self.frameMargin
                track.extend(forth: min(left, max(seen, Int(settings.linger * rate)))) {
                    carried(quad, from: last, to: last + $0)
                }
            }
        }
        return track
    }

    /// Returns the number of frames for which something moving is hidden beyond where it was seen: until it has left
    /// the picture if it is leaving, otherwise for a moment.
    private func way(of quad: Quad, _ motion: HiddenTrack.Motion, from edge: Int, _ direction: Double) -> Int {
        let rate = self.rate
        let near = longestWayToEdge(from: edge, direction)
        let most = Int(Self.longestWay * rate)
        let reach = Self.frameMargin + Int(Self.blind * rate)
        for count in 1...max(1, most) {
            let bounds = motion.moved(quad, by: direction * Double(count)).bounds
            guard bounds.intersection(size).isEmpty else { continue }
            // Only text near the edge, within its motion between two readings, is leaving.
            let own = max(bounds.width, bounds.height) / max(0.1, motion.speed)
            return Double(count) <= own + near ? count + 1 : reach
        }
        return reach
    }

    /// Returns the longest time, in frames, in which something moving may have reached the edge of the picture without being
    /// read on its way: twice the time to the next complete reading, and a moment in which it may not have been legible.
    private func longestWayToEdge(from edge: Int, _ direction: Double) -> Double {
        let next = direction < 0 ? readingBefore(edge) : readingAfter(edge)
        let gap = next.map { Double(2 * abs($0 - edge)) + Self.blind * rate } ?? .infinity
        return min(gap, Self.longestWayToEdge * rate)
    }

    private static let longestWayToEdge = 1.2

    /// Returns the number of frames before one, or after it, in which the place kept changing on the way to or from
    /// what was seen.
    ///
    /// - Parameter direction: -1 for before, 1 for after.
    private func traces(of track: HiddenTrack, at quad: Quad, from edge: Int, _ direction: Int) -> Int {
        let (area, rate) = (quad.bounds, self.rate)
        let reach = Int(Self.longestTrace * rate) + 1
        let elsewhere = TextElsewhere(
            PlacedText(track, at: quad, in: size), lines, in: direction < 0 ? edge - reach...edge : edge...edge + reach)
        var (reached, isCovered, isUnchanged) = (0, false, true)
        for distance in 0...Int(Self.longestTrace * rate) {
            // Changes in a frame happened since the one before it.
            let index = direction < 0 ? edge - distance : edge + 1 + distance
            // Up to an end of the recording nothing much changed: it was there all that time.
            guard index > 0, index < frames, !elsewhere.isSeen(at: direction < 0 ? index - 1 : index) else {
                return distance
            }
            let step = changes.step(to: index, in: area)
            let passes = [.little, .much].contains(step) && isPassing(from: index, area)
            isCovered = isCovered || passes
            isUnchanged = isUnchanged && step == .none
            switch step {
            case .none: break
            case .much where !passes, .cut: return distance
            case .little, .much: reached = direction < 0 ? distance : distance + 1
            case .moves: return max(reached, Int(Self.blind * rate))
            }
            // Text that was read late in a picture that stood still was there from its beginning.
            if !isUnchanged, Double(distance - reached) > (isCovered ? Self.longestCover : Self.quiet) * rate { break }
        }
        return reached
    }

    /// Returns whether the place keeps changing before or after a frame, as when something passes in front of it, begins
    /// to move there, or stops: parts of it are still visible, and will be again.
    private func isPassing(from index: Int, _ area: Rect) -> Bool {
        [-1, 1].contains { direction in
            let changed = (0..<8).count { step in
                [.little, .much].contains(changes.step(to: index + direction * step, in: area))
            }
            return changed >= 6
        }
    }

    /// The longest time for which something may be in front of a place, in seconds.
    private static let longestCover = 1.2

    /// Hides the words' place from the time that a line which was partly there before reached it.
    private func typedBefore(_ track: HiddenTrack) -> HiddenTrack {
        guard let quad = track.quads.first, let line = lines.line(of: quad, at: track.first) else { return track }
        let now = line.quad(at: track.first)
        let along = quad.direction
        let begun = line.steadyPlaces(before: track.first).first { place in
            // The end of the line is beyond the beginning of the words, wherever the line was then.
            let offset = now.topLeft - place.quad.topLeft
            let end = place.quad.topRight + offset - quad.topLeft
            return end.x * along.x + end.y * along.y > 0
        }
        guard let begun, begun.index < track.first else { return track }
        var result = track
        result.extend(back: max(0, track.first - max(changes.begin, begun.index))) { count in
            quad.moved(by: line.quad(at: track.first - count).topLeft - now.topLeft)
        }
        return result
    }
}

extension Quad {
    /// Returns this place, moved, turned and scaled in the same way as `whole` is on its way to `other`. If `whole` only gets
    /// longer or shorter, that says nothing about the text in it, and the place stays where it is.
    fileprivate func carried(from whole: Quad, to other: Quad) -> Quad {
        let other = other.turned(like: whole)
        guard whole != other, min(whole.width, whole.height, other.width, other.height) > 1 else { return self }
        let (wide, high) = (other.width / whole.width, other.height / whole.height)
        guard abs(wide / high - 1) < 0.15, (0.25...4).contains(high) else { return self }
        func down(_ quad: Quad) -> Point { Point(-quad.direction.y, quad.direction.x) }
        let moved = corners.map { corner in
            let offset = corner - whole.topLeft
            let along = wide * (offset.x * whole.direction.x + offset.y * whole.direction.y)
            let across = high * (offset.x * down(whole).x + offset.y * down(whole).y)
            return other.topLeft + other.direction * along + down(other) * across
        }
        return Quad(topLeft: moved[0], topRight: moved[1], bottomRight: moved[2], bottomLeft: moved[3])
    }
}
