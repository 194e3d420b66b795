import CGStreamer
public import Errors
import Synchronization
import TextSpotting

/// A pipeline's messages, as an asynchronous sequence.
///
/// ```swift
/// for await message in pipeline.bus.messages { ... }
/// ```
///
/// Buffering: errors, the end of stream, closed windows and missing plugins are always kept; of keys and buttons at most 256
/// wait, and 256 of the rest, and then the oldest of them is dropped and counted in ``lostMessages``; of the mouse's places only
/// the last waits. The sequence ends after ``Pipeline/stop(within:)``, when what waited has been taken. Each message goes to one reader:
/// have one. Safe to use from any thread.
public final class Bus: Sendable {
    private struct State {
        var queue = MessageQueue()
        var readers: [(id: Int, continuation: CheckedContinuation<BusMessage?, Never>)] = []
        var nextReader = 0
        /// Told of each message before it is queued; see ``watch(_:)``.
        var watchers: [Int: @Sendable (BusMessage) -> Void] = [:]
        var nextWatcher = 0
        var firstError: MediaReport?
        var missingPlugin: String?
    }

    private let state = Mutex(State())

    init() {}

    /// The messages, from the oldest that waits.
    public var messages: Messages { Messages(bus: self) }

    /// How many messages were dropped because the queue was full.
    public var lostMessages: Int { state.withLock { $0.queue.lost } }

    /// The first error since the pipeline was made: the cause of those that follow.
    public var firstFailure: FramegrepError? { firstError?.error }

    /// The first error since the pipeline was made, with the element that reported it.
    public var firstError: MediaReport? { state.withLock { $0.firstError } }

    /// GStreamer's words for the last missing plugin it spoke of.
    var missingPlugin: String? { state.withLock { $0.missingPlugin } }

    /// Stores a message and wakes who waits. Called on GStreamer's threads, so watchers must be quick and must not block.
    func post(_ message: BusMessage) {
        let (reader, delivered, watchers) = state.withLock { state in
            if case .error(let report) = message, state.firstError == nil { state.firstError = report }
            if case .missingPlugin(let description, _) = message { state.missingPlugin = description }
            state.queue.push(message)
            guard !state.readers.isEmpty, case .message(let next) = state.queue.pop() else {
                return (CheckedContinuation<BusMessage?, Never>?.none, BusMessage?.none, Array(state.watchers.values))
            }
            return (state.readers.removeFirst().continuation, next, Array(state.watchers.values))
        }
        reader?.resume(returning: delivered)
        watchers.forEach { $0(message) }
    }

    /// Ends the sequence for good, after what waits.
    public func finish() {
        let readers = state.withLock { state in
            state.queue.close()
            defer { state.readers = [] }
            return state.readers
        }
        readers.forEach { $0.continuation.resume(returning: nil) }
    }

    /// Has `watcher` called with each later message, on GStreamer's threads, until ``unwatch(_:)``.
    func watch(_ watcher: @escaping @Sendable (BusMessage) -> Void) -> Int {
        state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = watcher
            return state.nextWatcher
        }
    }

    func unwatch(_ id: Int) {
        state.withLock { _ = $0.watchers.removeValue(forKey: id) }
    }

    /// The next message, or nil at the end and when the task is cancelled.
    func next() async -> BusMessage? {
        let id = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate: MessageQueue.Next = state.withLock { state in
                    guard !Task.isCancelled else { return .finished }
                    let next = state.queue.pop()
                    if next == .wait { state.readers.append((id, continuation)) }
                    return next
                }
                switch immediate {
                case .message(let message): continuation.resume(returning: message)
                case .finished: continuation.resume(returning: nil)
                case .wait: break
                }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0) }
            }
            reader?.continuation.resume(returning: nil)
        }
    }

    /// The bus's messages; see ``Bus``.
    public struct Messages: AsyncSequence, Sendable {
        fileprivate let bus: Bus

        public func makeAsyncIterator() -> Iterator { Iterator(bus: bus) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let bus: Bus

            /// The next message; nil after the last one and when the task is cancelled.
            public mutating func next() async -> BusMessage? { await bus.next() }

            /// The next message; nil after the last one and when the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> BusMessage? { await bus.next() }
        }
    }
}
