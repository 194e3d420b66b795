import TextSpotting

/// Joins the readings of successive parts of a recording into one series: frames are numbered consecutively, frames
/// that a part left unread go to the next reading, and lines visible across a border keep their identity.
///
/// A value that takes readings in order. Readings of a recording without parts pass through unchanged.
struct PartSeam {
    private var part = 0
    /// The number that is added to the frame numbers of this part.
    private var offset = 0
    /// The number of the next frame.
    private var nextIndex = 0
    /// The last frames of the previous part, if they were not read.
    private var rest: SightingJoiner.Reading?
    /// The lines in view in the latest reading.
    private var inView: [TextTrack] = []
    /// The lines of the previous part that continue, keyed by their numbers in this part.
    private var continued: [Int: TextTrack] = [:]

    /// Takes the next reading; returns those to be joined now: usually one, none for frames that wait for the next
    /// part, or two if these cannot be compared with its pictures.
    mutating func pass(_ reading: SightingJoiner.Reading) -> [SightingJoiner.Reading] {
        var reading = reading
        // Readings of a running picture have no frames.
        guard let first = reading.frames.first?.time.index else { return [reading] }
        let isNewPart = reading.part != part
        if isNewPart {
            part = reading.part
            offset = nextIndex - first
        }
        reading.renumber(by: offset)
        nextIndex = (reading.frames.last?.time.index ?? 0) + 1
        if reading.endsPart {
            rest = reading
            return []
        }
        if isNewPart { continued = continuations(of: inView, in: reading) }
        if !continued.isEmpty { reading.continue(continued) }
        if let tracks = reading.inView, reading.isNews { inView = tracks }
        guard let before = rest else { return [reading] }
        rest = nil
        guard before.geometry == reading.geometry else { return [before, reading] }
        reading.frames = before.frames + reading.frames
        return [reading]
    }

    /// Returns the reading that is still to be joined when no more readings follow.
    mutating func finish() -> SightingJoiner.Reading? { rest.take() }

    /// Returns the lines of a part's last reading that the first reading of the next part also has, with the same text
    /// at the same place.
    private func continuations(
        of before: [TextTrack], in reading: SightingJoiner.Reading
    ) -> [Int: TextTrack] {
        var free = before
        var found: [Int: TextTrack] = [:]
        for track in reading.inView ?? [] {
            let same = free.firstIndex {
                $0.line.text == track.line.text && $0.line.quad.isSamePlace(as: track.line.quad)
            }
            guard let same else { continue }
            found[track.id] = free.remove(at: same)
        }
        return found
    }
}

extension SightingJoiner.Reading {
    fileprivate mutating func renumber(by offset: Int) {
        guard offset != 0 else { return }
        time?.index += offset
        frames = frames.map { frame in
            var time = frame.time
            time.index += offset
            return FrameHistory.Frame(time: time, picture: frame.picture)
        }
        tracks = tracks?.map { $0.renumbered(by: offset) }
        inView = inView?.map { $0.renumbered(by: offset) }
    }

    fileprivate mutating func `continue`(_ before: [Int: TextTrack]) {
        func continued(_ track: TextTrack) -> TextTrack { before[track.id].map(track.continuing) ?? track }
        tracks = tracks?.map(continued)
        inView = inView?.map(continued)
    }
}
