import Errors
import Synchronization
import TextSpotting

extension LiveSession {
    /// A frame was read: the window gets its text, and the picture is judged by it.
    ///
    /// - Parameter origin: of the part that was read, in pixels of the frame as stored.
    func tellWindow(_ lines: [TextLine], movedBy origin: Point, at time: FrameTime) {
        window.read(origin == Point(0, 0) ? lines : lines.map { $0.moved(by: origin) }, at: time)
        judge(lines, at: time)
    }

    /// A frame was read: says what is wrong with the picture when nothing can be read in it because of that, and when that
    /// is over. Called by the reader's task only.
    private func judge(_ lines: [TextLine], at time: FrameTime) {
        let hasText = lines.contains { line in
            line.confidence >= Self.sureness && line.text.count { $0.isLetter || $0.isNumber } >= 2
        }
        let change = advice.withLock { advisor in
            advisor.consider(hasText: hasText, at: time.start) { problem(at: time, knowing: $0) }
        }
        switch change {
        case nil: return
        case .say(let problem):
            let text = problem.advice(hasLight: hasLight)
            window.advise(text)
            warn(FramegrepError(problem.code, text))
        case .stop:
            window.advise(nil)
            warn(FramegrepError(.pictureClear, "The picture is good enough to be read again."))
        }
    }

    /// Text read with less than this may be an engine's dream in noise.
    private static let sureness = 0.6

    private func problem(at time: FrameTime, knowing known: PictureProblem?) -> PictureProblem? {
        guard let picture = trail.picture(at: time.index) else { return nil }
        return PictureProblem.of(PictureMeasures(of: picture), speed: speed(at: time), knowing: known)
    }

    /// In widths of the picture a second, between the frame and the one before it.
    private func speed(at time: FrameTime) -> Double? {
        let pair = trail.frames(after: time.index - 2, through: time.index).frames
        guard pair.count == 2 else { return nil }
        let passed = (pair[1].time.start - pair[0].time.start).seconds
        guard passed > 0, let distance = PictureMotion.distance(from: pair[0].picture, to: pair[1].picture) else {
            return nil
        }
        return distance / passed
    }
}

extension PictureProblem {
    /// What the person is told.
    ///
    /// - Parameter hasLight: the camera has a light that `t` turns on.
    func advice(hasLight: Bool) -> String {
        switch self {
        case .dark: hasLight ? "Too dark to read: t turns the light on." : "Too dark to read: more light helps."
        case .blurred: "Blurred: hold still or clean the lens."
        case .smeared: "Smeared by motion: hold still."
        case .moving: "Moving too fast to read: hold still."
        }
    }

    var code: FramegrepError.Code {
        switch self {
        case .dark: .pictureDark
        case .blurred: .pictureBlurred
        case .smeared: .pictureSmeared
        case .moving: .pictureMoving
        }
    }
}
