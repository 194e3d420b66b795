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

    /// Returns the places of changes at which something may have appeared that is hidden by its ground, each with the
    /// lines that already did so there.
    ///
    /// Beside a line that was read clearly in the picture as it is, what changed may belong to that line.
    func placesOfChange(_ places: [Rect], _ request: Request) -> [Rect] {
        let clear = tracks.indices.filter {
            tracks[$0].isInView && !tracks[$0].hasAppeared && tracks[$0].line.isClear && !request.missing.contains($0)
        }.map { tracks[$0].region }
        let appeared = tracks.filter { $0.isInView && $0.hasAppeared }.map { $0.region.bounds.grown(by: 1) }
        var wholes: [Rect] = []
        for place in places {
            let isOfLine = clear.contains { !$0.bounds.grown(by: $0.height).intersection(place).isEmpty }
            guard !isOfLine else { continue }
            var whole = (appeared + unread.map(\.place)).filter { !$0.intersection(place).isEmpty }
                .reduce(place) { $0.union($1) }
            while let other = wholes.firstIndex(where: { !$0.intersection(whole).isEmpty }) {
                whole = whole.union(wholes.remove(at: other))
            }
            wholes.append(whole)
        }
        return wholes
    }

    /// Adds a line that was read without its ground to the readings of a request, in place of what was read there with
    /// it.
    ///
    /// - Returns: false if a line that was read with its ground says more.
    mutating func add(_ line: TextLine, at region: Quad, to request: inout Request, _ read: inout [TextLine?]) -> Bool {
        func isReplaced(_ other: Quad) -> Bool {
            let bounds = other.bounds
            return LineAssociation.isAlike(other, region)
                || region.bounds.grown(by: 0.2 * region.height).intersection(bounds).area > 0.9 * bounds.area
        }
        let replaced = request.items.indices.filter { isReplaced(request.items[$0].region) }
        guard !replaced.contains(where: { read[$0]?.text.contains(line.text) ?? false }) else { return false }
        for index in replaced {
            read[index] = nil
            request.items[index].isShown = false
        }
        request.missing += tracks.indices.filter {
            tracks[$0].isInView && isReplaced(tracks[$0].region) && !request.missing.contains($0)
        }
        request.items.append(Request.Item(region: region, hasAppeared: true, isEvidence: true))
        read.append(line)
        return true
    }

    /// Remembers a picture as the ground on which lines may appear, without those that already did so, and without what
    /// may become one: letters that fade in or are typed.
    ///
    /// - Parameters:
    ///   - isOther: whether the picture moved or shows something else, so that nothing is known of its ground.
    ///   - places: where something appeared; they do not overlap.
    mutating func noteGround(of picture: Picture, isOther: Bool, appeared places: [Rect], at time: FrameTime) {
        guard let known = ground, !isOther else { return (ground, unread) = (picture, []) }
        let earlier = unread
        unread = places.compactMap { place in
            let since = earlier.filter { !$0.place.intersection(place).isEmpty }.map(\.since).min() ?? time.start
            return time.start - since > settings.memory ? nil : (place, since)
        }
        unread += earlier.filter { old in
            time.start - old.since <= settings.memory
                && !places.contains { !$0.intersection(old.place).isEmpty }
        }
        let lines = tracks.filter(\.hasAppeared).map { $0.region.bounds.grown(by: 0.5 * $0.region.height) }
        ground = picture.showing(lines + unread.map(\.place), of: known)
    }

    /// Keeps the lines that appeared on a ground which hides them, as long as nothing changes there or the picture still
    /// shows them.
    ///
    /// - Returns: the regions that do not belong to them.
    mutating func keepAppeared(
        _ regions: [Quad], in picture: Picture, at time: FrameTime, isChanged: (Quad) -> Bool, still: inout [Int]
    ) -> [Quad] {
        var regions = regions
        for index in tracks.indices
        where tracks[index].hasAppeared && tracks[index].isInView && !still.contains(index) {
            guard !isChanged(tracks[index].region) || isShown(tracks[index], in: picture) else { continue }
            keep(index, at: time)
            still.append(index)
            regions.removeAll { $0.bounds.covers(tracks[index].region.bounds) }
        }
        return regions
    }

    /// Returns whether a picture shows a line with its ground, and not the ground alone.
    private func isShown(_ track: TextTrack, in picture: Picture) -> Bool {
        guard let there = track.look?.likeness(in: picture, near: track.moved, reach: 0), there.isSameInPlace else {
            return false
        }
        let bare = ground.flatMap { track.look?.likeness(in: $0, near: track.moved, reach: 0) }
        return there.correlation > bare?.correlation ?? -1
    }
}
