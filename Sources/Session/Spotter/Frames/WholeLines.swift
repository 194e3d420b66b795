import TextSpotting

/// Orders lines of text by their starts, each once: combines several reports of one line (it was lost and found again,
/// read in parts while it was typed, or read differently while it faded), and leaves out what is not a line of its own.
///
/// ``ReadLine`` has the rules. A line is kept until nothing that began before it, or is at its place, can still end; so
/// text that is in the picture from beginning to end delays everything after it. A value that takes readings in order.
struct WholeLines {
    /// Whether each state of a line is wanted, and everything that was read.
    let keepsStates: Bool
    private var kept: [ReadLine] = []
    /// The finished parts and other readings of lines that continue, keyed by the identifiers of these.
    private var parts: [Int: ReadLine] = [:]

    /// The longest time before a reading at which a newly found line may have begun.
    private static let look = StreamTime(seconds: 5)

    init(keepsStates: Bool) { self.keepsStates = keepsStates }

    /// Takes lines that are over.
    ///
    /// - Parameters:
    ///   - open: the lines that continue.
    ///   - time: the time of the last joined reading.
    /// - Returns: the lines that can be reported, in order.
    mutating func take(_ over: [Sighting], open: [Sighting], at time: StreamTime) -> [Sighting] {
        for line in over { keep(ReadLine(line)) }
        guard !kept.isEmpty else { return [] }
        let going = keepsStates ? [] : open.map { ReadLine($0, goesOn: true) }
        giveToOpen(going, at: time)
        let first = open.map { min($0.start, parts[$0.id]?.line.start ?? $0.start) }.min() ?? time
        return release { known in
            let line = known.line
            let wait = known.isPassingBy ? ReadLine.pieceGap : ReadLine.hold
            return line.start <= first && line.start + Self.look < time && line.end + wait < time
                && !going.contains { known.mayDepend(on: $0) }
        }
    }

    /// Returns the rest, in order, when no more lines follow.
    ///
    /// - Parameter isStill: whether it was a single picture, in which everything that was read counts.
    mutating func finish(isStill: Bool = false) -> [Sighting] {
        parts = [:]
        return release(isStill: isStill) { _ in true }
    }

    private mutating func release(isStill: Bool = false, _ isReady: (ReadLine) -> Bool) -> [Sighting] {
        var ready = kept.filter(isReady)
        guard !ready.isEmpty else { return [] }
        kept.removeAll(where: isReady)
        if !keepsStates, !isStill {
            // These are passed on only to be counted.
            let foreign = ready.filter(\.isForeign)
            ready.removeAll(where: \.isNoise)
            Self.joinPieces(&ready)
            ready += foreign
        }
        let sorted = ready.map(\.line).sorted {
            ($0.start, $0.peak.quad.bounds.minY, $0.id) < ($1.start, $1.peak.quad.bounds.minY, $1.id)
        }
        return ReadingOrder.turningColumns(sorted, by: \.peak.quad, areTogether: { $0.start == $1.start })
    }

    /// Keeps a line, merged with those that it is a part of or that are parts of it.
    private mutating func keep(_ line: ReadLine) {
        var new = line
        if let part = parts.removeValue(forKey: line.line.id) { new = Self.together(new, part) }
        guard !keepsStates else { return kept.append(new) }
        while let index = kept.firstIndex(where: { isOne($0, with: new) }) {
            let other = kept.remove(at: index)
            new = Self.together(new, other)
        }
        if kept.contains(where: { new.isPart(of: $0) }) { return }
        kept.removeAll { $0.isPart(of: new) }
        for index in kept.indices { ReadLine.separate(&kept[index], &new) }
        kept.append(new)
    }

    /// Merges two readings of one text, from the first letter of either to the last.
    private static func together(_ a: ReadLine, _ b: ReadLine) -> ReadLine {
        var better = b.isBetter(than: a) ? b.keeping(a) : a.keeping(b)
        guard a.sharesTimes(with: b) else { return better }
        (better.line.start, better.line.end) = (min(a.line.start, b.line.start), max(a.line.end, b.line.end))
        if let x = a.line.course, let y = b.line.course {
            let times =
                min(
                    x.readTimes.lowerBound, y.readTimes.lowerBound)...max(
                    x.readTimes.upperBound, y.readTimes.upperBound)
            better.line.course?.readTimes = times
            better.line.course?.first = a.line.start <= b.line.start ? x.first : y.first
            better.line.course?.last = a.line.end >= b.line.end ? x.last : y.last
        }
        return better
    }

    /// Attaches a finished part to a line that continues, to be reported with it.
    ///
    /// Lines that ended long ago have been compared with all that were open then, and are compared again when those
    /// end.
    private mutating func giveToOpen(_ open: [ReadLine], at time: StreamTime) {
        kept = kept.filter { part in
            guard part.line.end + Self.look > time,
                let whole = open.first(where: { isOne(part, with: $0, among: open) && !part.isBetter(than: $0) })
            else {
                return true
            }
            parts[whole.line.id] = parts[whole.line.id].map { Self.together($0, part) } ?? part
            return false
        }
    }

    /// Returns whether both are readings of one line, with no other number between them.
    private func isOne(_ line: ReadLine, with other: ReadLine, among open: [ReadLine] = []) -> Bool {
        line.isOne(with: other) && !(kept + open).contains { line.isDivided(from: other, by: $0) }
    }

    /// Joins adjacent lines that a detector took for two.
    private static func joinPieces(_ lines: inout [ReadLine]) {
        var index = 0
        while index < lines.count {
            if let other = lines.indices.first(where: { $0 > index && lines[index].joined(with: lines[$0]) != nil }),
                let whole = lines[index].joined(with: lines[other])
            {
                lines[index] = whole
                lines.remove(at: other)
            } else {
                index += 1
            }
        }
    }
}
