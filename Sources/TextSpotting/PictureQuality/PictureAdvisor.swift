/// Decides when to say that a picture is too bad to be read, and when to stop saying so.
///
/// A state machine fed with each reading. It speaks only when readings have found no text for ``patience`` and the
/// picture showed the same problem all that time; it stops when text is read, or the problem has been gone for
/// ``relief``.
public struct PictureAdvisor: Sendable {
    /// The change to what is being said.
    public enum Change: Sendable, Hashable {
        case say(PictureProblem)
        /// The problem is over.
        case stop
    }

    /// How long a problem lasts before it is spoken of.
    public static let patience = StreamTime(seconds: 1)
    /// How long a problem has to be gone before it is no longer spoken of, where no text shows that sooner.
    public static let relief = StreamTime(seconds: 0.5)

    /// The problem that is being said.
    public private(set) var spoken: PictureProblem?
    private var suspected: (problem: PictureProblem, since: StreamTime)?
    private var better: StreamTime?

    public init() {}

    /// A frame was looked at.
    ///
    /// - Parameters:
    ///   - hasText: text was read in it.
    ///   - problem: its problem, given the one before; not asked if text was read.
    ///   - time: of the frame; when time jumps back, the advisor starts anew.
    public mutating func consider(
        hasText: Bool, at time: StreamTime, problem: (_ knowing: PictureProblem?) -> PictureProblem?
    ) -> Change? {
        if let suspected, time < suspected.since { self.suspected = nil }
        if let better, time < better { self.better = nil }
        if hasText {
            suspected = nil
            return stop()
        }
        guard let problem = problem(spoken ?? suspected?.problem) else {
            suspected = nil
            guard spoken != nil else { return nil }
            let since = better ?? time
            better = since
            return time - since >= Self.relief ? stop() : nil
        }
        better = nil
        if suspected?.problem != problem { suspected = (problem, time) }
        guard spoken != problem, let suspected, time - suspected.since >= Self.patience else { return nil }
        spoken = problem
        return .say(problem)
    }

    private mutating func stop() -> Change? {
        better = nil
        guard spoken != nil else { return nil }
        spoken = nil
        return .stop
    }
}
