import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

/// The search of an element that hides what is found (the property `redact`): every frame is read, and none goes on before.
final class HidingFrames: FrameStage {
    /// Says what to hide on each frame.
    let stage: HidingStage

    init(_ settings: RunningHidingSettings, _ matcher: Matcher, _ report: StageReport, reader: any TextReader) {
        stage = HidingStage(settings, matcher, report, reader: reader)
    }

    func take(_ sample: borrowing Sample) throws -> FrameTime {
        // It waits for its reader and refuses nothing.
        try stage.take(sample) ?? FrameTime(index: -1, start: .zero, duration: .zero)
    }

    func isReady(_ frame: FrameTime) -> Bool { stage.isTaken(frame) }

    /// Nothing is marked.
    func boxes(on frame: FrameTime) -> [FollowedBox] { [] }

    func finish() { stage.finish() }
    func interrupt() { stage.interrupt() }
    func whenOver(_ body: @escaping @Sendable () -> Void) { stage.whenOver(body) }

    /// Frames that were read with other patterns are not read again.
    func search(for matcher: Matcher) -> Bool { false }

    /// Late callers wait.
    func frameWasLate() {}

    func statistics() -> LiveStatistics { stage.statistics() }
}
