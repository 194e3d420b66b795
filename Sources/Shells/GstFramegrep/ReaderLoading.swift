import Engines
import Errors
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// A reader that is being loaded. Tasks wait for it by suspending, the stream's thread by blocking. Thread-safe.
final class ReaderLoading: Sendable {
    private let task: Task<any TextReader, any Error>
    private let outcome = Mutex<Result<any TextReader, any Error>?>(nil)
    /// Rings when the reader is ready, and when a thread must no longer wait.
    private let bell = WakeEvent()
    /// Keeps the engines that the reader uses.
    private let engineHandle: EngineHandle

    init(
        settings: ReaderSettings, matcher: Matcher, use: ReaderChoice.Use, engineHandle: EngineHandle,
        element: ElementHandle
    ) {
        self.engineHandle = engineHandle
        let choice = ReaderChoice(settings, matcher, from: engineHandle) {
            element.warn(FramegrepError(.engineUnavailable, $0))
        }
        task = Task { try await choice.load(use: use) }
        Task { [self] in
            let result = await task.result
            outcome.withLock { $0 = result }
            bell.ring()
        }
    }

    /// The reader, for tasks.
    ///
    /// - Throws: the reason it could not be loaded.
    var reader: any TextReader {
        get async throws { try await task.value }
    }

    /// The name of the reader; nil until it is known.
    var name: String? { try? outcome.withLock { $0 }?.get().name }

    /// Waits for the reader on the calling thread.
    ///
    /// - Parameter isInterrupted: called after each ``wake()``.
    /// - Returns: nil if the thread must no longer wait.
    /// - Throws: the reason it could not be loaded.
    func wait(unless isInterrupted: () -> Bool) throws -> (any TextReader)? {
        while true {
            if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
            if isInterrupted() { return nil }
            bell.wait(atMost: .seconds(1))
        }
    }

    /// Abandons the loading: returns when nothing of it is left, because it may still report to the element.
    func end() {
        task.cancel()
        while outcome.withLock({ $0 == nil }) { bell.wait(atMost: .seconds(1)) }
    }

    /// Makes a waiting thread check whether it should still wait.
    func wake() { bell.ring() }
}
