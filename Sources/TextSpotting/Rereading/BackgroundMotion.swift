/// How a whole picture moved, turned, came nearer or tilted between two readings, as far as one affine motion says it.
///
/// Followed from frame to frame by a coarse picture of it, then laid exactly over the last one. Words that move otherwise hardly count:
/// they cover little of the picture.
enum BackgroundMotion {
    /// It is looked for once in this many frames.
    private static let pace = 2
    /// Squares of this many pixels of the thumbnail are compared: while it is followed, and at the end.
    private static let coarse = 8
    private static let fine = 3
    /// Correlation from which on one motion says it.
    private static let alike = 0.85
    /// Pixels nearer to the edge than this share of the picture may have left it.
    private static let margin = 0.06

    /// The motion from the first frame to the last, in pixels of the thumbnails; nil if there is none that says it.
    static func through(_ frames: [FrameHistory.Frame]) -> PlanarMotion? {
        guard let first = frames.first?.picture, let last = frames.last?.picture else { return nil }
        let inside = first.bounds.grown(by: -margin * Double(min(first.width, first.height)))
        guard let template = PlanarTemplate(first, in: Quad(inside), coarseness: coarse) else { return nil }
        var (motion, step) = (PlanarMotion.none, PlanarMotion.none)
        for (number, frame) in frames.enumerated().dropFirst()
        where (frames.count - 1 - number).isMultiple(of: pace) {
            guard let fit = template.fit(in: frame.picture, near: step.after(motion)), fit.correlation >= alike,
                let back = motion.inverse
            else { return nil }
            step = fit.motion.after(back)
            motion = fit.motion
        }
        guard let exact = PlanarTemplate(first, in: Quad(inside), coarseness: fine),
            let fit = exact.fit(in: last, near: motion), fit.correlation >= alike
        else { return nil }
        return fit.motion
    }
}
