extension TextTracker {
    /// The parts of a picture that must be read, according to ``TextTracker/look(at:in:at:isChanged:motion:)``.
    public struct Request: Sendable {
        struct Item: Sendable {
            var region: Quad
            /// The index in the tracker's list of the track that the picture shows there.
            var track: Int?
            var isCertain = false
            /// Whether the picture seems to show the letters of the track; otherwise the track may be gone.
            var isShown = true
            /// Whether the line is read together with its surroundings, where a longer text may be.
            var isStretched = false
            /// Whether the line was read without the ground on which it appeared (``AppearedText``).
            var hasAppeared = false
            var isEvidence: Bool
        }

        var items: [Item] = []
        /// The tracks that, according to the pictures, are no longer where they were.
        var missing: [Int] = []
        /// The movements of the tracks that were found.
        var moves: [Point] = []

        /// The regions to read, in this order.
        public var regions: [Quad] { items.map(\.region) }
    }

    /// Returns the places of changes at which something may have appeared that is hidden by its ground, with all that
    /// did so there before.
    ///
    /// Beside a line that was read clearly in the picture as it is, what changed may belong to that line.
    func placesOfChange(_ places: [Rect]) -> [Rect] {
        let known = tracks.filter(\.isInView)
        return places.compactMap { place in
            var whole = place
            for track in known {
                let bounds = track.region.bounds
                guard !bounds.grown(by: track.region.height).intersection(place).isEmpty else { continue }
                if track.hasAppeared { whole = whole.union(bounds) } else if track.line.isClear { return nil }
            }
            for earlier in unread where !earlier.place.intersection(place).isEmpty {
                whole = whole.union(earlier.place)
            }
            return whole
        }
    }

    /// Adds a line that was read without its ground to the readings of a request, in place of what was read with it.
    func add(_ line: TextLine, at region: Quad, to request: inout Request, _ read: inout [TextLine?]) {
        for index in request.items.indices where request.items[index].region.bounds.covers(region.bounds) {
            read[index] = nil
        }
        let before = tracks.indices.filter { tracks[$0].hasAppeared && tracks[$0].region.bounds.covers(region.bounds) }
        request.missing += before.filter { !request.missing.contains($0) }
        request.items.append(Request.Item(region: region, hasAppeared: true, isEvidence: true))
        read.append(line)
    }

    /// Remembers a picture as the ground on which lines may appear, without those that already did so, and without what
    /// may become one: letters that fade in or are typed.
    ///
    /// - Parameter places: where something appeared.
    mutating func noteGround(of picture: Picture, appeared places: [Rect], at time: FrameTime) {
        unread.removeAll { time.start - $0.since > settings.memory }
        for place in places {
            let earlier = unread.filter { !$0.place.intersection(place).isEmpty }
            unread.removeAll { !$0.place.intersection(place).isEmpty }
            unread.append((place, earlier.map(\.since).min() ?? time.start))
        }
        let lines = visible.filter(\.hasAppeared).map { $0.region.bounds.grown(by: 0.5 * $0.region.height) }
        ground = ground.map { picture.showing(lines + unread.map(\.place), of: $0) } ?? picture
    }

    /// Keeps the lines that appeared on a ground which hides them, as long as the picture shows that they are there.
    ///
    /// - Returns: the regions that do not belong to them.
    mutating func keepAppeared(
        _ regions: [Quad], in picture: Picture, at time: FrameTime, isChanged: (Quad) -> Bool, still: inout [Int]
    ) -> [Quad] {
        var regions = regions
        for index in tracks.indices where tracks[index].hasAppeared && tracks[index].isInView {
            let track = tracks[index]
            let isShown = { track.look?.likeness(in: picture, near: track.moved, reach: 0)?.isSameInPlace ?? false }
            guard !isChanged(track.region) || isShown() else { continue }
            keep(index, at: time)
            still.append(index)
            regions.removeAll { $0.bounds.covers(track.region.bounds) }
        }
        return regions
    }
}
