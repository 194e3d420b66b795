/// The place of something hidden at each moment from one time to another.
///
/// A value. Places are in pixels of the picture as displayed and include their margins: exactly what lies in them is
/// hidden.
public struct HiddenPath: Sendable, Hashable {
    /// The place at one moment. Between two of them it moves evenly; before the first and after the last it stands
    /// still.
    public struct Place: Sendable, Hashable {
        public var time: StreamTime
        public var quad: Quad

        public init(time: StreamTime, quad: Quad) {
            self.time = time
            self.quad = quad
        }
    }

    /// The first moment at which it is hidden.
    public var start: StreamTime
    /// The first moment at which it is no longer hidden.
    public var end: StreamTime
    /// The places in the order of their times; never empty.
    public var places: [Place]

    public init(start: StreamTime, end: StreamTime, places: [Place]) {
        precondition(!places.isEmpty, "what is hidden is hidden somewhere")
        (self.start, self.end, self.places) = (start, end, places)
    }

    /// Returns the place at `time`, whether it is hidden then or not.
    public func quad(at time: StreamTime) -> Quad {
        let next = places.prefixEnd(while: { $0.time <= time })
        guard next > 0 else { return places[0].quad }
        guard next < places.count else { return places[places.count - 1].quad }
        let (before, after) = (places[next - 1], places[next])
        let whole = after.time - before.time
        guard whole > .zero else { return after.quad }
        return before.quad.interpolated(to: after.quad, at: (time - before.time).seconds / whole.seconds)
    }

    /// Returns the places to hide in a frame; none if it is not hidden then.
    ///
    /// Moving text is also hidden where it was half a frame before and will be half a frame after, so that it is still
    /// covered in a frame that is shown a little earlier or later than its neighbors suggest.
    public func quads(in frame: FrameTime) -> [Quad] {
        guard frame.start < end, frame.end > start else { return [] }
        let here = quad(at: frame.start)
        let half = StreamTime(nanoseconds: frame.duration.nanoseconds / 2)
        let others = [quad(at: frame.start - half), quad(at: frame.start + half)].filter { $0 != here }
        return [here] + others
    }

    /// Returns the same path at later times; earlier for a negative time.
    func later(by time: StreamTime) -> HiddenPath {
        var path = self
        (path.start, path.end) = (max(.zero, start + time), end + time)
        for index in places.indices { path.places[index].time = places[index].time + time }
        return path
    }

    /// Removes the places that can be interpolated from others to within a fraction of a pixel.
    public mutating func thin() {
        var kept: [Place] = []
        for place in places {
            kept.append(place)
            guard kept.count > 2 else { continue }
            let (a, b, c) = (kept[kept.count - 3], kept[kept.count - 2], kept[kept.count - 1])
            let whole = (c.time - a.time).seconds
            let share = whole > 0 ? (b.time - a.time).seconds / whole : 0
            if b.quad.isOnWay(from: a.quad, to: c.quad, at: share, within: Self.tolerance) {
                kept.remove(at: kept.count - 2)
            }
        }
        places = kept
    }

    /// The distance from a straight path, in pixels, within which a place can be left out.
    private static let tolerance = 0.2
}
