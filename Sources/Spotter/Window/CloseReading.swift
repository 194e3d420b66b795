import GStreamerMedia
import Synchronization
import TextSpotting

/// Reads a picture that stands still with a better reader, which is made when that first happens. Thread-safe.
///
/// What was read of a frame is kept, so that another word is found in it at once.
final class CloseReading: Sendable {
    private struct State {
        var making: Task<any TextReader, any Error>?
        var reading: Task<[TextLine], any Error>?
        var last: (index: Int, lines: [TextLine])?
        var hasFailed = false
    }

    private let make: (@Sendable () async throws -> any TextReader)?
    private let state = Mutex(State())

    init(_ make: (@Sendable () async throws -> any TextReader)?) {
        self.make = make
    }

    /// There is a better reader than the usual one, as far as is known.
    var isPossible: Bool { make != nil && !state.withLock { $0.hasFailed } }

    /// The better reader; nil where there is none.
    ///
    /// - Throws: what making it throws, once; after that there is none.
    func reader() async throws -> (any TextReader)? {
        guard isPossible, let make else { return nil }
        let task = state.withLock { state in
            let task = state.making ?? Task { try await make() }
            state.making = task
            return task
        }
        do {
            return try await task.value
        } catch {
            state.withLock { $0.hasFailed = true }
            throw error
        }
    }

    /// What was read of the frame of this number, if it was the last one read here.
    func lines(ofFrame index: Int) -> [TextLine]? {
        state.withLock { state in state.last.flatMap { $0.index == index ? $0.lines : nil } }
    }

    /// Reads a picture.
    ///
    /// - Throws: `CancellationError` after ``cancel()`` or when the task is cancelled, else what the reader throws.
    func read(_ picture: Picture, ofFrame index: Int, with reader: any TextReader) async throws -> [TextLine] {
        let task = Task { try await reader.read(picture) }
        state.withLock { $0.reading = task }
        let lines = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { state in
            state.reading = nil
            state.last = (index, lines)
        }
        return lines
    }

    /// The picture moves again: nobody waits for what is being read.
    func cancel() {
        state.withLock { $0.reading.take() }?.cancel()
    }
}
