import Errors
import Synchronization
import TextSpotting

/// Reports problems of a running picture that prevent reading, and when they are over. Thread-safe.
final class PictureJudge: Sendable {
    /// Text with less confidence than this may be an artifact of noise.
    private static let sureness = 0.6

    private let session: LatestSession
    private let hasLight: @Sendable () -> Bool
    private let advisor = Mutex(PictureAdvisor())

    /// - Parameter hasLight: whether the source has a light that can be turned on.
    init(_ session: LatestSession, hasLight: @escaping @Sendable () -> Bool) {
        self.session = session
        self.hasLight = hasLight
    }

    /// Judges the picture of a frame that was read, by the text in it.
    func judge(_ lines: [TextLine], at time: FrameTime) {
        let hasText = lines.contains { line in
            line.confidence >= Self.sureness && line.text.count { $0.isLetter || $0.isNumber } >= 2
        }
        let change = advisor.withLock { advisor in
            advisor.consider(hasText: hasText, at: time.start) { [frameHistory = session.frameHistory] known in
                Self.problem(in: frameHistory, at: time, knowing: known)
            }
        }
        switch change {
        case nil: return
        case .say(let problem):
            let text = problem.advice(hasLight: hasLight())
            session.notices.advise(text)
            session.report.warn(FramegrepError(problem.warningCode, text))
        case .stop:
            session.notices.advise(nil)
            session.report.warn(FramegrepError(.pictureClear, "The picture is good enough to be read again."))
        }
    }

    private static func problem(
        in frameHistory: LiveFrameHistory, at time: FrameTime, knowing known: PictureProblem?
    ) -> PictureProblem? {
        guard let picture = frameHistory.picture(at: time.index) else { return nil }
        return PictureProblem.of(PictureMeasures(of: picture), speed: speed(in: frameHistory, at: time), knowing: known)
    }

    /// Returns the speed in widths of the picture per second, between the frame and the one before it.
    private static func speed(in frameHistory: LiveFrameHistory, at time: FrameTime) -> Double? {
        let pair = frameHistory.frames(after: time.index - 2, through: time.index).frames
        guard pair.count == 2 else { return nil }
        let passed = (pair[1].time.start - pair[0].time.start).seconds
        guard passed > 0, let distance = PictureMotion.distance(from: pair[0].picture, to: pair[1].picture) else {
            return nil
        }
        return distance / passed
    }
}

extension PictureProblem {
    /// Returns the advice for the user.
    ///
    /// - Parameter hasLight: whether the camera has a light that `t` turns on.
    func advice(hasLight: Bool) -> String {
        switch self {
        case .dark: hasLight ? "Too dark to read: t turns the light on." : "Too dark to read: more light helps."
        case .blurred: "Blurred: hold still or clean the lens."
        case .smeared: "Smeared by motion: hold still."
        case .moving: "Moving too fast to read: hold still."
        }
    }

    fileprivate var warningCode: FramegrepError.Code {
        switch self {
        case .dark: .pictureDark
        case .blurred: .pictureBlurred
        case .smeared: .pictureSmeared
        case .moving: .pictureMoving
        }
    }
}
