import Threads

/// Waits until it matters that a source is silent.
struct SilenceWatch: Sendable {
    let source: SourceState
    let frames: SourceFrames

    /// Never waits for less, whatever the figures say.
    private static let shortest = Duration.milliseconds(10)

    /// Returns when the silence may have become too long, when the source's state is another, and when the task is cancelled.
    ///
    /// Frames do not wake it: one that came meanwhile is seen when the time is over, so a running source wakes it once in the
    /// time after which it counts as stalled.
    func wait() async {
        guard let patience = source.patience, let silence = frames.silence else { return await source.changes.wait() }
        await source.changes.wait(atMost: max(Self.shortest, patience - silence.silent))
    }

    /// The action that the current silence requires; none if frames come.
    func look() -> SourceLife.Action {
        guard let silence = frames.silence else { return .none }
        return source.silent(for: silence.silent, held: silence.held)
    }

    /// Keeps the state up to date for a source that cannot be opened again, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await wait()
            _ = look()
        }
    }
}
