/// A patch of text on its way from frame to frame: where it is, how fast it goes, and how it turned and grew.
///
/// It is compared with what was read, never with the frame before, so it does not drift. Works in both directions of
/// time. All places are in pixels of the thumbnails.
struct FollowedPatch: Sendable {
    /// As it was read.
    private let original: TextPatch
    /// How it turned and grew since.
    private var shape = PlanarMotion.none
    /// The original in that shape.
    private var patch: TextPatch
    /// The frame that last showed it; the one it was taken from at first.
    private(set) var seenAt: FrameTime
    private var moved = (dx: 0, dy: 0)
    /// Pixels a second; zero until it was seen to move.
    private(set) var speed: Point
    private var last: FrameTime

    /// - Parameters:
    ///   - time: of the frame that the patch was taken from.
    ///   - speed: how fast it is known to go, in pixels a second.
    init(_ patch: TextPatch, at time: FrameTime, speed: Point = Point(0, 0)) {
        original = patch
        self.patch = patch
        self.speed = speed
        seenAt = time
        last = time
    }

    /// Where it is; where it should be by now, when the last frame did not show it.
    var quad: Quad {
        let ahead = speed * (last.start - seenAt.start).seconds
        return patch.quad.moved(by: Point(Double(moved.dx), Double(moved.dy)) + ahead)
    }

    /// Looks for it in the next frame; false when that does not show it.
    mutating func step(to frame: FrameHistory.Frame, with follower: PatchFollower) -> Bool {
        last = frame.time
        let elapsed = (frame.time.start - seenAt.start).seconds
        let predicted = (
            dx: moved.dx + Int((speed.x * elapsed).rounded()), dy: moved.dy + Int((speed.y * elapsed).rounded())
        )
        guard let found = follower.locate(patch, in: frame.picture, near: predicted) else { return false }
        let before = patch.quad.center + Point(Double(moved.dx), Double(moved.dy))
        if let reshaped = reshaped(at: found, in: frame.picture) {
            (shape, patch, moved) = reshaped
        } else if found.similarity.isSame {
            moved = (found.dx, found.dy)
        } else {
            return false
        }
        if elapsed != 0 {
            let after = patch.quad.center + Point(Double(moved.dx), Double(moved.dy))
            let measured = (after - before) * (1 / elapsed)
            // Whole pixels jump between two speeds; half of each is nearer to the true one.
            speed = speed == Point(0, 0) ? measured : speed.interpolated(to: measured, at: 0.5)
        }
        seenAt = frame.time
        return true
    }

    /// The shape in which the text resembles the reading even more; nil when it has kept its shape, or is not there.
    private func reshaped(
        at found: PatchFollower.Position, in picture: Picture
    ) -> (PlanarMotion, TextPatch, (dx: Int, dy: Int))? {
        guard found.similarity.mean < Self.alike, found.similarity.mean > Self.recognizable else { return nil }
        let steps = patch.cellSteps(in: picture, movedBy: found.dx, found.dy)
        guard steps.count >= 3, let motion = PlanarMotion(fitting: steps, tolerance: 1),
            motion.support >= 0.6, abs(motion.growth - 1) < 0.2
        else { return nil }
        let shape = motion.after(self.shape)
        // Beyond that another reading is due: too few pixels are left of it, or too many are missing.
        guard shape.growth > 0.3, shape.growth < 3.5 else { return nil }
        let patch = original.moved(by: shape)
        guard let similarity = patch.similarity(in: picture, movedBy: 0, 0), similarity.isSame,
            similarity.mean > found.similarity.mean + (found.similarity.isSame ? 0.02 : 0)
        else { return nil }
        return (shape, patch, (0, 0))
    }

    /// Correlation from which on the shape is taken to be as it was.
    private static let alike = 0.9
    /// Below this contrast no shape can be recognized.
    private static let recognizable = 0.3
}
