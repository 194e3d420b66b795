import Spotter
import Synchronization
import TextIndex
import TextSpotting

/// Turns the findings of one unit into parts. Thread-safe.
///
/// A unit goes on to the first reading at or after the next one's beginning, and the next one begins with a reading there: text that came
/// shortly before the border and was read after it belongs to the former, and two records of one line are joined when it is searched, as
/// two parts of a recording are.
final class UnitWriter: Sendable {
    /// A part is no longer than this, and has no more lines.
    private static let longestPart = StreamTime(seconds: 600)
    private static let mostLines = 50_000

    private struct State {
        var recorder: LineRecorder
        var from: StreamTime
        var parts: [RecordedPart] = []
        var isOver = false
    }

    private let end: StreamTime?
    private let state: Mutex<State>

    /// - Parameter to: where the next unit begins; nil for the last one.
    init(from: StreamTime, to: StreamTime?) {
        end = to
        state = Mutex(State(recorder: LineRecorder(from: from), from: from))
    }

    /// All that belongs to the unit was read.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// - Returns: false if the unit needs no more.
    func take(_ finding: FrameResult) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.recorder.add(LineReading(finding))
            let isFull =
                state.recorder.end - state.from >= Self.longestPart || state.recorder.lineCount >= Self.mostLines
            if isFull { Self.endPart(&state) }
            if let end, finding.time.start >= end { state.isOver = true }
            return !state.isOver
        }
    }

    /// Returns everything that was read, in order.
    func finish() -> [RecordedPart] {
        state.withLock { state in
            // A unit that is there has a part, so that the catalog knows of its stretch.
            if state.recorder.end > state.from || state.parts.isEmpty { Self.endPart(&state) }
            return state.parts
        }
    }

    private static func endPart(_ state: inout State) {
        let part = state.recorder.finish()
        state.parts.append(part)
        state.recorder = LineRecorder(from: part.to)
        state.from = part.to
    }
}
