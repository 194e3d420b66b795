/// Finds known lines again that moved, turned or grew, by the thumbnails between two readings and without a detector.
///
/// Each line is followed from frame to frame (``PlanarTemplate``), then held against how it looked when it was read, letter by letter.
/// What does not look the same to that test is not carried: it is looked for and read.
struct LineCarrier {
    /// The frame of the reading before, and those since, the last of which is to be read now.
    let frames: [FrameHistory.Frame]
    /// Size of the thumbnails divided by that of the pictures that are read.
    let scale: Double
    /// How everything else moved from the first frame to the last, in pixels of the thumbnails.
    let background: PlanarMotion

    /// With more lines than these, looking for all of them costs less than laying each over the picture.
    private static let mostLines = 40
    /// And with more than these that move by themselves, less than following each from frame to frame.
    private static let mostFollowed = 8
    /// A line is looked for once in this many frames: words seldom move by more than a few pixels from one to the next.
    private static let pace = 2
    /// Of another size or direction than this, a line is read again.
    private static let mostGrowth = 1.69
    private static let leastGrowth = 0.5
    private static let mostTurn = 0.35
    /// A line is followed by a picture of about this many rows: more would tell more, but from less far away.
    private static let coarseRows = 9.0
    /// Correlation from which on a line is taken to be found; whether it is the same is asked once it has arrived.
    private static let alike = 0.7
    /// From this difference on, in levels of brightness, a picture is another picture.
    private static let fresh = 0.5

    /// The lines of `tracks` that the last frame shows, and their motion; `picture` is the one to be read.
    func carry(_ tracks: [TextTrack], in picture: Picture) -> [CarriedLine] {
        guard tracks.count <= Self.mostLines, frames.count > 1 else { return [] }
        var carried: [CarriedLine] = []
        var others: [TextTrack] = []
        for track in tracks {
            if let line = line(track, after: background, in: picture) {
                carried.append(line)
            } else {
                others.append(track)
            }
        }
        guard others.count <= Self.mostFollowed else { return carried }
        return carried
            + others.compactMap { track in follow(track).flatMap { line(track, after: $0, in: picture) } }
    }

    /// The line where it is after a motion of the thumbnails; nil when the picture shows something else there.
    private func line(_ track: TextTrack, after followed: PlanarMotion, in picture: Picture) -> CarriedLine? {
        // Of a line that the edge of the picture cut there may be more by now.
        guard !track.wasCut, let look = track.look, let back = track.motion.inverse,
            let (likeness, motion) = look.likeness(
                in: picture, after: followed.scaled(by: 1 / scale).after(track.motion)),
            likeness.isSameReshaped
        else { return nil }
        let turn = abs(motion.xAxis.y) / max(1e-6, motion.xAxis.length)
        return CarriedLine(
            track: track.id, step: motion.after(back), isFresh: likeness.difference >= Self.fresh,
            isClearer: motion.growth > Self.mostGrowth || motion.growth < Self.leastGrowth || turn > Self.mostTurn)
    }

    /// How the line moved from the first frame to the last, in pixels of the thumbnails; nil when it is lost.
    private func follow(_ track: TextTrack) -> PlanarMotion? {
        guard let first = frames.first else { return nil }
        let quad = track.line.quad.scaled(x: scale, y: scale)
        let coarseness = max(1, min(6, Int(quad.height / Self.coarseRows)))
        guard let template = PlanarTemplate(first.picture, in: quad, coarseness: coarseness) else { return nil }
        var motion = PlanarMotion.none
        var step = PlanarMotion.none
        var last = first.time
        for (number, frame) in frames.enumerated().dropFirst()
        where (frames.count - 1 - number).isMultiple(of: Self.pace) {
            if number <= Self.pace {
                step = PlanarMotion(shift: track.velocity * scale * (frame.time.start - last.start).seconds)
            }
            let found =
                fit(template, in: frame.picture, near: step.after(motion))
                ?? jump(track, from: motion, to: frame.picture).flatMap { fit(template, in: frame.picture, near: $0) }
            guard let found else { return nil }
            if let back = motion.inverse { step = found.after(back) }
            motion = found
            last = frame.time
        }
        return motion
    }

    private func fit(_ template: PlanarTemplate, in picture: Picture, near guess: PlanarMotion) -> PlanarMotion? {
        guard let fit = template.fit(in: picture, near: guess), fit.correlation >= Self.alike else { return nil }
        return fit.motion
    }

    /// The same shape some whole pixels further, where it moved otherwise than before.
    private func jump(_ track: TextTrack, from motion: PlanarMotion, to picture: Picture) -> PlanarMotion? {
        guard let first = frames.first,
            let patch = TextPatch(
                first.picture, quad: track.line.quad.scaled(x: scale, y: scale),
                characters: max(1, track.line.text.count)),
            let place = PatchFollower().locate(patch.moved(by: motion), in: picture, near: (0, 0))
        else { return nil }
        return PlanarMotion(shift: Point(Double(place.dx), Double(place.dy))).after(motion)
    }
}
