import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

/// A search of the frames that pass, and the object that reports its results.
struct ElementStage: Sendable {
    let search: Search
    let results: StageResults
    /// Frames are copied while they are held.
    let copiesFrames: Bool

    /// The functions are for the threads that those of the session of either kind are for.
    enum Search: Sendable {
        /// Says where on each frame the words are.
        case showing(PushedSession)
        /// Says what to hide on each frame (the property `redact`): every frame is read, and none goes on before.
        case hiding(HidingStage)

        func take(_ sample: borrowing Sample) throws -> FrameTime {
            switch self {
            case .showing(let session): try session.take(sample)
            // It waits for its reader and refuses nothing.
            case .hiding(let stage):
                try stage.take(sample) ?? FrameTime(index: -1, start: .zero, duration: .zero)
            }
        }

        func isReady(_ frame: FrameTime) -> Bool {
            switch self {
            case .showing(let session): session.isReady(frame)
            case .hiding(let stage): stage.isTaken(frame)
            }
        }

        func finish() {
            switch self {
            case .showing(let session): session.finish()
            case .hiding(let stage): stage.finish()
            }
        }

        func interrupt() {
            switch self {
            case .showing(let session): session.interrupt()
            case .hiding(let stage): stage.interrupt()
            }
        }

        func whenOver(_ body: @escaping @Sendable () -> Void) {
            switch self {
            case .showing(let session): session.whenOver(body)
            case .hiding(let stage): stage.whenOver(body)
            }
        }

        /// - Returns: false where frames would have to be read again.
        func search(for matcher: Matcher) -> Bool {
            switch self {
            case .showing(let session): session.search(for: matcher)
            case .hiding: false
            }
        }

        func frameWasLate() {
            // Who hides makes late callers wait.
            if case .showing(let session) = self { session.frameWasLate() }
        }

        func statistics() -> LiveStatistics {
            switch self {
            case .showing(let session): session.statistics()
            case .hiding(let stage): stage.statistics()
            }
        }
    }
}
