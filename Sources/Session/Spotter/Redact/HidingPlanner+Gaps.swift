import TextSpotting

/// Decides which findings are one thing with gaps in between.
extension HidingPlanner {
    /// Joins tracks that continue one another, and returns each result with the tracks that it was joined from.
    func joined(_ tracks: [HiddenTrack]) -> [(track: HiddenTrack, members: [HiddenTrack])] {
        var result: [(track: HiddenTrack, members: [HiddenTrack])] = []
        for track in tracks.sorted(by: { $0.first < $1.first }) {
            if let index = result.lastIndex(where: { goesOn($0.track, as: track) }) {
                result[index].track.join(track)
                result[index].members.append(track)
            } else {
                result.append((track, [track]))
            }
        }
        return result
    }

    /// Returns, for each track, the index of the longer track that it is a part of: the longest one with a similar text that
    /// is at the same place, or was there a moment before or after. A line that was misread for a moment, or that the edge
    /// cuts, gives a second finding of the same text.
    func wholes(of tracks: [HiddenTrack]) -> [Int?] {
        let frames = tracks.map { (first: $0.first, last: $0.last) }
        let reach = Int(Self.blind * rate)
        let candidates = tracks.indices.filter { !tracks[$0].isBrief }.sorted {
            tracks[$0].quads.count > tracks[$1].quads.count
        }
        return tracks.indices.map { part in
            candidates.first { whole in
                guard whole != part, frames[whole].first <= frames[part].first + reach,
                    frames[part].last <= frames[whole].last + reach
                else { return false }
                let (less, more) = (tracks[part].quads.count, tracks[whole].quads.count)
                let isLonger = less < more || less == more && whole < part
                return isLonger && tracks[whole].holds(tracks[part])
            }
        }
    }

    /// Returns, for each chain, the index of the chain that it is counted with. A chain whose only finding is a part of a
    /// longer one is counted with the chain of that one, and every other chain is a thing of its own.
    ///
    /// - Parameters:
    ///   - counts: the number of findings of each chain.
    ///   - chains: the chain of each finding.
    ///   - wholes: for each finding, the index of the one that it is a part of; nil if there is none.
    func things(of counts: [Int], _ chains: [Int], _ wholes: [Int?]) -> [Int] {
        var result = Array(counts.indices)
        for (index, whole) in wholes.enumerated() where counts[chains[index]] == 1 {
            if let whole { result[chains[index]] = chains[whole] }
        }
        // A whole may be a part itself, of a longer one.
        return result.indices.map { chain in
            var thing = chain
            while result[thing] != thing { thing = result[thing] }
            return thing
        }
    }

    /// Joins each pair of tracks in which the second continues the first, and calls `body` with the result and the chain of
    /// the first. ``joined(_:)`` may have joined one of them with a third track instead.
    func forEachPair(of tracks: [(track: HiddenTrack, chain: Int)], _ body: (HiddenTrack, Int) -> Void) {
        let tracks = tracks.sorted { $0.track.first < $1.track.first }
        for (index, (track, chain)) in tracks.enumerated() {
            for (later, _) in tracks[(index + 1)...] {
                guard later.first <= track.last + Int(Self.stillGap * rate) + 1 else { break }
                guard goesOn(track, as: later) else { continue }
                var pair = track
                pair.join(later)
                body(pair, chain)
            }
        }
    }

    private func goesOn(_ a: HiddenTrack, as b: HiddenTrack) -> Bool {
        guard let from = a.quads.last, let to = b.quads.first, b.last > a.last else { return false }
        let gap = time(b.first).start.seconds - time(a.last).end.seconds
        let height = max(from.height, to.height)
        guard gap <= Self.stillGap, from.height < 1.4 * to.height, to.height < 1.4 * from.height else { return false }
        let distance = (from.center - to.center).length
        if distance < 0.5 * height, abs(from.width - to.width) < height { return true }
        guard gap <= Self.gap else { return false }
        let expected = a.motionAtEnd(in: size, among: lines).moved(from, by: Double(b.first - a.last))
        return min(distance, (expected.center - to.center).length) < 1.5 * height
    }
}

extension HiddenTrack {
    /// Returns the part of the track that other tracks do not hide. It begins one frame before the first such frame and ends
    /// one frame after the last, because a moving text must also be hidden between two frames.
    ///
    /// - Returns: nil if the others hide all of it.
    func rest(besides others: [HiddenTrack]) -> HiddenTrack? {
        let others = others.filter { $0.first <= last && $0.last >= first }
        func isBare(_ index: Int) -> Bool {
            let quad = asHighAsItsLetters(quads[index - first])
            return !others.contains { other in
                guard let there = other.quad(at: index).map(other.asHighAsItsLetters) else { return false }
                let margin = Self.tolerance * min(quad.height, there.height)
                return quad.corners.allSatisfy(there.grown(along: margin, across: margin).holdsPoint)
            }
        }
        guard let begin = (first...last).first(where: isBare), let end = (first...last).last(where: isBare) else {
            return nil
        }
        return part(max(first, begin - 1)...min(last, end + 1))
    }

    /// The distance, in heights of the lower one, by which a place may reach out of another one that hides it: less than the
    /// margins.
    private static let tolerance = 0.2

    /// Returns whether another track has a similar text and is at the place of this one when it begins and when it ends.
    func holds(_ part: HiddenTrack) -> Bool {
        let isThere = [part.first, part.last].allSatisfy { index in
            let (own, there) = (part.nearestQuad(at: index), nearestQuad(at: index))
            return own.height < 2 * there.height && there.height < 2 * own.height
                && (there.holdsPoint(own.center) || own.holdsPoint(there.center))
        }
        return isThere && CoveredParts.isPart(part.text, of: text)
    }
}

extension LineHistory.Line {
    /// Returns whether a sighting is of this line in one of these frames.
    func isSeen(in sighting: Sighting, _ frames: ClosedRange<Int>) -> Bool {
        sighting.boxes.contains { box in
            frames.contains(box.time.index)
                && quad(at: box.time.index).grown(along: box.quad.height, across: 2).holdsPoint(box.quad.center)
        }
    }
}

extension Sighting {
    /// Returns whether a frame is between its first and its last box.
    func lasts(through index: Int) -> Bool {
        guard let first = boxes.first, let last = boxes.last else { return false }
        return first.time.index <= index && index <= last.time.index
    }
}

extension [Int] {
    /// The stretches of consecutive numbers, in order.
    var runs: [ClosedRange<Int>] {
        reduce(into: []) { result, number in
            if let last = result.last, last.upperBound + 1 == number {
                result[result.count - 1] = last.lowerBound...number
            } else {
                result.append(number...number)
            }
        }
    }
}
