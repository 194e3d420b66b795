/// The motion of a flat object from one picture to another: an affine map.
struct PlanarMotion: Hashable, Sendable {
    /// The movement of one point.
    struct Step: Hashable, Sendable {
        var from: Point
        var to: Point
    }

    static let none = PlanarMotion(shift: Point(0, 0))

    /// The image of (1, 0), before the shift.
    var xAxis: Point
    /// The image of (0, 1), before the shift.
    var yAxis: Point
    /// The image of the origin, in pixels.
    var shift: Point
    /// The share of the points that moved this way, 0 to 1.
    var support: Double

    init(xAxis: Point = Point(1, 0), yAxis: Point = Point(0, 1), shift: Point, support: Double = 1) {
        self.xAxis = xAxis
        self.yAxis = yAxis
        self.shift = shift
        self.support = support
    }

    func apply(_ point: Point) -> Point { xAxis * point.x + yAxis * point.y + shift }

    /// Returns the motion that consists of `first` followed by this one.
    func after(_ first: PlanarMotion) -> PlanarMotion {
        let turn = PlanarMotion(xAxis: xAxis, yAxis: yAxis, shift: Point(0, 0))
        return PlanarMotion(
            xAxis: turn.apply(first.xAxis), yAxis: turn.apply(first.yAxis), shift: apply(first.shift))
    }

    /// Whether the motion only shifts, without turning or scaling.
    var isShift: Bool { xAxis == Point(1, 0) && yAxis == Point(0, 1) }

    /// Whether the motion is small enough to be measured in a picture.
    var isModest: Bool {
        [xAxis, yAxis, shift].allSatisfy { $0.length.isFinite && $0.length < 100_000 } && growth > 0.05 && growth < 20
    }

    /// The inverse motion; nil if the motion collapses areas.
    var inverse: PlanarMotion? {
        guard abs(growth) > 1e-6 else { return nil }
        let turn = PlanarMotion(
            xAxis: Point(yAxis.y, -xAxis.y) * (1 / growth), yAxis: Point(-yAxis.x, xAxis.x) * (1 / growth),
            shift: Point(0, 0), support: support)
        var back = turn
        back.shift = Point(0, 0) - turn.apply(shift)
        return back
    }

    /// Returns the same motion in a picture `factor` times as large.
    func scaled(by factor: Double) -> PlanarMotion {
        PlanarMotion(xAxis: xAxis, yAxis: yAxis, shift: shift * factor, support: support)
    }

    /// The factor by which areas grow.
    var growth: Double { xAxis.x * yAxis.y - xAxis.y * yAxis.x }

    /// Creates the motion that most of `steps` agree on; nil if there are none.
    ///
    /// Two steps at a time propose a motion of shift, turn and scale; the one with which most others agree to
    /// `tolerance` pixels wins (random sample consensus, Fischler and Bolles 1981, here with a fixed sequence of pairs,
    /// so the same steps always give the same motion). The steps that agree with it then determine the result by least
    /// squares: all six numbers if they are at least eight and spread in two directions, the shift alone if they are
    /// fewer than three.
    init?(fitting steps: [Step], tolerance: Double = 1.5) {
        guard let first = steps.first else { return nil }
        var best = PlanarMotion(shift: first.to - first.from)
        var followers = best.followers(among: steps, tolerance)
        for trial in 1...64 where steps.count > 1 {
            // Multiples of two primes give pairs near and far, and use each step in turn.
            let a = steps[trial * 7919 % steps.count]
            let b = steps[trial * 104_729 / 3 % steps.count]
            let candidates = [PlanarMotion(shift: a.to - a.from), PlanarMotion(carrying: a, b)].compactMap { $0 }
            for candidate in candidates {
                let found = candidate.followers(among: steps, tolerance)
                if found.count > followers.count { (best, followers) = (candidate, found) }
            }
        }
        self = PlanarMotion(leastSquaresOf: followers) ?? best
        support = Double(followers.count) / Double(steps.count)
    }

    private func followers(among steps: [Step], _ tolerance: Double) -> [Step] {
        steps.filter { (apply($0.from) - $0.to).length <= tolerance }
    }

    /// Creates the shift, turn and scale from two steps; nil if they start at the same place.
    private init?(carrying a: Step, _ b: Step) {
        let before = b.from - a.from
        let after = b.to - a.to
        let square = before.x * before.x + before.y * before.y
        guard square > 4 else { return nil }
        let real = (before.x * after.x + before.y * after.y) / square
        let imaginary = (before.x * after.y - before.y * after.x) / square
        xAxis = Point(real, imaginary)
        yAxis = Point(-imaginary, real)
        support = 1
        shift = Point(0, 0)
        shift = a.to - apply(a.from)
    }

    private init?(leastSquaresOf steps: [Step]) {
        guard !steps.isEmpty else { return nil }
        let share = 1 / Double(steps.count)
        let from = steps.reduce(Point(0, 0)) { $0 + $1.from } * share
        let to = steps.reduce(Point(0, 0)) { $0 + $1.to } * share
        self.init(shift: to - from)
        guard steps.count >= 3 else { return }
        var (xx, xy, yy) = (0.0, 0.0, 0.0)
        var (x, y) = (Point(0, 0), Point(0, 0))
        for step in steps {
            let p = step.from - from
            let q = step.to - to
            xx += p.x * p.x
            xy += p.x * p.y
            yy += p.y * p.y
            x = x + q * p.x
            y = y + q * p.y
        }
        let determinant = xx * yy - xy * xy
        if steps.count >= 8, determinant > 1e-3 * (xx + yy) * (xx + yy) {
            xAxis = (x * yy - y * xy) * (1 / determinant)
            yAxis = (y * xx - x * xy) * (1 / determinant)
        } else if xx + yy > 0 {
            let real = (x.x + y.y) / (xx + yy)
            let imaginary = (x.y - y.x) / (xx + yy)
            xAxis = Point(real, imaginary)
            yAxis = Point(-imaginary, real)
        }
        shift = Point(0, 0)
        shift = to - apply(from)
    }
}

/// A patch of text followed from frame to frame: its place and speed, and how it turned and grew.
///
/// It is compared with what was read, never with the frame before, so it does not drift. Works in both directions of
/// time. All places are in pixels of the thumbnails.
struct FollowedPatch: Sendable {
    private let original: TextPatch
    /// How the patch turned and grew since then.
    private var shape = PlanarMotion.none
    /// The original transformed to that shape.
    private var patch: TextPatch
    /// The frame that last showed the patch; initially the one it was taken from.
    private(set) var seenAt: FrameTime
    private var moved = (dx: 0, dy: 0)
    /// The speed in pixels per second; zero until the patch was seen to move.
    private(set) var speed: Point
    private var last: FrameTime

    /// - Parameters:
    ///   - time: the time of the frame that the patch was taken from.
    ///   - speed: its known speed, in pixels per second.
    init(_ patch: TextPatch, at time: FrameTime, speed: Point = Point(0, 0)) {
        original = patch
        self.patch = patch
        self.speed = speed
        seenAt = time
        last = time
    }

    /// The place of the patch, or its predicted place if the last frame did not show it.
    var quad: Quad {
        let ahead = speed * (last.start - seenAt.start).seconds
        return patch.quad.moved(by: Point(Double(moved.dx), Double(moved.dy)) + ahead)
    }

    /// Looks for the patch in the next frame; returns false if the frame does not show it.
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
            // Whole pixels alternate between two speeds; the mean of both is nearer to the true one.
            speed = speed == Point(0, 0) ? measured : speed.interpolated(to: measured, at: 0.5)
        }
        seenAt = frame.time
        return true
    }

    /// Returns a shape in which the text resembles the reading even more; nil if it has kept its shape or is not there.
    private func reshaped(
        at found: PatchFollower.Position, in picture: Picture
    ) -> (PlanarMotion, TextPatch, (dx: Int, dy: Int))? {
        guard found.similarity.mean < Self.alike, found.similarity.mean > Self.recognizable else { return nil }
        let steps = patch.cellSteps(in: picture, movedBy: found.dx, found.dy)
        guard steps.count >= 3, let motion = PlanarMotion(fitting: steps, tolerance: 1),
            motion.support >= 0.6, abs(motion.growth - 1) < 0.2
        else { return nil }
        let shape = motion.after(self.shape)
        // Beyond these limits another reading is due: too few pixels of the text are left, or too many are missing.
        guard shape.growth > 0.3, shape.growth < 3.5 else { return nil }
        let patch = original.moved(by: shape)
        guard let similarity = patch.similarity(in: picture, movedBy: 0, 0), similarity.isSame,
            similarity.mean > found.similarity.mean + (found.similarity.isSame ? 0.02 : 0)
        else { return nil }
        return (shape, patch, (0, 0))
    }

    /// The correlation from which the shape is assumed not to have changed.
    private static let alike = 0.9
    /// Below this contrast no shape can be recognized.
    private static let recognizable = 0.3
}
