/// A patch of text on its way from frame to frame: where it is, and how fast it goes.
///
/// Works in both directions of time. All places are in pixels of the small pictures.
struct FollowedPatch: Sendable {
    let patch: TextPatch
    /// The frame that last showed it; the one it was taken from at first.
    private(set) var seenAt: FrameTime
    private var moved = (dx: 0, dy: 0)
    /// Pixels a second.
    private var velocity: Point
    private var last: FrameTime

    /// - Parameters:
    ///   - time: of the frame that the patch was taken from.
    ///   - velocity: how fast it is known to be, in pixels a second.
    init(_ patch: TextPatch, at time: FrameTime, velocity: Point = Point(0, 0)) {
        self.patch = patch
        self.velocity = velocity
        seenAt = time
        last = time
    }

    /// Pixels a second; zero until it was seen to move.
    var speed: Point { velocity }

    /// Where it is; where it should be by now, when the last frame did not show it.
    var quad: Quad {
        let ahead = velocity * (last.start - seenAt.start).seconds
        return patch.quad.moved(by: Point(Double(moved.dx), Double(moved.dy)) + ahead)
    }

    /// Looks for it in the next frame; false when that does not show it.
    mutating func step(to frame: PictureTrail.Frame, with follower: PatchFollower) -> Bool {
        last = frame.time
        let elapsed = (frame.time.start - seenAt.start).seconds
        let predicted = (
            dx: moved.dx + Int((velocity.x * elapsed).rounded()), dy: moved.dy + Int((velocity.y * elapsed).rounded())
        )
        guard let found = follower.locate(patch, in: frame.picture, near: predicted), found.similarity.isSame else {
            return false
        }
        if elapsed != 0 {
            let measured = Point(Double(found.dx - moved.dx), Double(found.dy - moved.dy)) * (1 / elapsed)
            // Whole pixels jump between two speeds; half of each is nearer to the true one.
            velocity = velocity == Point(0, 0) ? measured : velocity.interpolated(to: measured, at: 0.5)
        }
        moved = (found.dx, found.dy)
        seenAt = frame.time
        return true
    }
}
