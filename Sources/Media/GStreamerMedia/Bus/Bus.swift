import CGStreamer
public import Displays
public import Errors
import Synchronization

/// A pipeline's messages, as an asynchronous sequence.
///
/// ```swift
/// for await message in pipeline.bus.messages { ... }
/// ```
///
/// Buffering: errors, the end of stream, closed windows and missing plugins are always kept; at most 256 keys and
/// buttons and 256 other messages wait, and beyond that the oldest of them is dropped and counted in ``lostMessages``;
/// of the mouse's positions only the last waits. The sequence ends after ``Pipeline/stop(within:)``, when the waiting
/// messages have been taken. Each message goes to one reader, so have only one. Safe to use from any thread.
public final class Bus: Sendable {
    private struct State {
        var queue = MessageQueue()
        var readers: [(id: Int, continuation: CheckedContinuation<BusMessage?, Never>)] = []
        var nextReader = 0
        /// Called with each message before it is queued; see ``watch(_:)``.
        var watchers: [Int: @Sendable (BusMessage) -> Void] = [:]
        var nextWatcher = 0
        var firstError: MediaReport?
        var missingPlugin: MissingPlugin?
    }

    private let state = Mutex(State())

    init() {}

    /// The messages, starting with the oldest waiting one.
    public var messages: Messages { Messages(bus: self) }

    /// The number of messages that were dropped because the queue was full.
    public var lostMessages: Int { state.withLock { $0.queue.lost } }

    /// The first error since the pipeline was made: the cause of those that follow.
    public var firstFailure: FramegrepError? { firstError?.error }

    /// The first error since the pipeline was made, with the element that reported it.
    public var firstError: MediaReport? { state.withLock { $0.firstError } }

    /// GStreamer's description of the last plugin that it reported missing.
    var missingPlugin: MissingPlugin? { state.withLock { $0.missingPlugin } }

    /// Stores a message and wakes its reader. Called on GStreamer's threads, so watchers must be quick and must not block.
    func post(_ message: BusMessage) {
        let (reader, delivered, watchers) = state.withLock { state in
            if case .error(let report) = message, state.firstError == nil { state.firstError = report }
            state.missingPlugin = MissingPlugin(message) ?? state.missingPlugin
            state.queue.push(message)
            guard !state.readers.isEmpty, case .message(let next) = state.queue.pop() else {
                return (CheckedContinuation<BusMessage?, Never>?.none, BusMessage?.none, Array(state.watchers.values))
            }
            return (state.readers.removeFirst().continuation, next, Array(state.watchers.values))
        }
        reader?.resume(returning: delivered)
        watchers.forEach { $0(message) }
    }

    /// Ends the sequence for good, after the waiting messages.
    public func finish() {
        let readers = state.withLock { state in
            state.queue.close()
            defer { state.readers = [] }
            return state.readers
        }
        readers.forEach { $0.continuation.resume(returning: nil) }
    }

    /// Calls `watcher` with each later message, on GStreamer's threads, until ``unwatch(_:)``.
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

/// A message from a pipeline to its owner.
public enum BusMessage: Sendable, Hashable {
    /// Something failed; the pipeline does not continue by itself.
    case error(MediaReport)
    /// Something is wrong, but the pipeline keeps running.
    case warning(MediaReport)
    /// Every sink has reached the end of its stream. (With an `appsrc`, only once that was ended too.)
    case endOfStream
    /// A change of state or a seek that took time has finished.
    case asyncDone
    /// The whole pipeline (not one of its elements) changed its state.
    case stateChanged(from: PipelineState, to: PipelineState)
    /// A key or mouse event in a video window.
    case navigation(NavigationEvent)
    /// A mouse event in a video window behind an ``AppSource`` that reports it; see ``AppSource/reportPointer(to:)``.
    case pointer(NavigationEvent)
    /// The user closed the video window; the window's sink does not continue.
    case windowClosed
    /// Elements changed their latency; the pipeline has already distributed the new one.
    case latency
    /// A network source is filling its buffers: 0 to 100.
    case buffering(percent: Int)
    /// A message defined by an element, in GStreamer's text form of structures.
    case element(name: String, structure: String)
    /// An element for the source's format is not installed.
    /// - Parameters:
    ///   - description: GStreamer's words, such as `H.265 decoder`.
    ///   - installerDetail: the detail string for plugin installers, such as Debian's.
    case missingPlugin(description: String, installerDetail: String)
    /// The rotation with which the source asks to be shown, in GStreamer's names, such as `rotate-90` or
    /// `flip-rotate-0`.
    case orientation(String)
}

/// An error or a warning of a pipeline.
public struct MediaReport: Error, Sendable, Hashable {
    /// The error that is shown to the user.
    public let error: FramegrepError
    /// The element that reported it, such as `v4l2src0`; empty if none did.
    public let element: String
    /// GStreamer's own details, with passwords removed; may be empty and may have several lines.
    public let debug: String
    /// Whether an element failed to change its state without giving a reason.
    var isUnexplained = false
    /// The names of the bins around the element, beginning with the pipeline.
    public internal(set) var bins: [String] = []
}

/// The states of a pipeline, in the order in which it goes through them.
public enum PipelineState: Sendable, Hashable {
    /// Nothing is open.
    case null
    /// Devices and files are open.
    case ready
    /// Recordings have their first frame.
    case paused
    /// The clock runs.
    case playing
}

/// An action of the user in a video window.
public enum NavigationEvent: Sendable, Hashable {
    case keyPress(KeyPress)
    /// A mouse button (1 is the left one) was pressed at a place in pixels of the frame that the window's sink got; in
    /// a ``BusMessage/pointer(_:)``, of the frame that was pushed.
    case mouseButtonPress(button: Int, x: Double, y: Double)
    /// The mouse moved to a place in the same pixels.
    case mouseMove(x: Double, y: Double)
}

/// The callback that GStreamer's bus calls for every message.
///
/// The bus owns it; it owns the Swift ``Bus`` and the keyboards, and refers weakly to the pipeline in its closure.
// @unchecked: `pipeline` is only compared, never followed, and never changes.
final class BusContext: @unchecked Sendable {
    /// Work that a pipeline must do in response to a message, off the streaming threads.
    enum Job {
        case recalculateLatency
        /// Writes the graph of the elements, if graph files are requested (`GST_DEBUG_DUMP_DOT_DIR`).
        case drawGraph(at: String)
        case restartClock
    }

    private let bus: Bus
    private let keyboards: SinkKeyboards
    private let pipeline: UnsafeMutableRawPointer
    /// A bare function would be wrapped again each time it is taken out of the generic `Mutex` and put back.
    private struct Housekeeping {
        var perform: (@Sendable (Job) -> Void)?
    }

    private let housekeeping = Mutex(Housekeeping())

    init(bus: Bus, keyboards: SinkKeyboards, pipeline: UnsafeMutableRawPointer) {
        self.bus = bus
        self.keyboards = keyboards
        self.pipeline = pipeline
    }

    /// Installs this as the sync handler of the pipeline's bus.
    func install() {
        guard let bus = gst_element_get_bus(pipeline.assumingMemoryBound(to: GstElement.self)) else { return }
        gst_bus_set_sync_handler(bus, receiveMessage, Unmanaged.passRetained(self).toOpaque(), releaseContext)
        gst_object_unref(bus)
    }

    func setHousekeeping(_ perform: @escaping @Sendable (Job) -> Void) {
        housekeeping.withLock { $0.perform = perform }
    }

    /// Copies the message's contents; the caller keeps the message.
    fileprivate func receive(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_LATENCY: housekeeping.withLock { $0.perform }?(.recalculateLatency)
        case GST_MESSAGE_CLOCK_LOST: housekeeping.withLock { $0.perform }?(.restartClock)
        default: break
        }
        if message.pointee.type == GST_MESSAGE_ELEMENT, keyboards.take(message) { return }
        guard let known = BusMessage(message, pipeline: pipeline, missingPlugin: bus.missingPlugin) else {
            return
        }
        note(known)
        bus.post(known)
    }

    /// Writes the message to the debug log; see docs/DEBUGGING.md.
    private func note(_ message: BusMessage) {
        guard DebugLog.isOn else { return }
        DebugLog.tell(of: message, by: elementName(pipeline.assumingMemoryBound(to: GstElement.self)))
        guard DebugLog.drawsGraphs, let moment = message.momentOfGraph else { return }
        housekeeping.withLock { $0.perform }?(.drawGraph(at: moment))
    }
}

/// `GstBusSyncHandler`, called on the thread that posts.
private func receiveMessage(
    _ bus: UnsafeMutablePointer<GstBus>?, _ message: UnsafeMutablePointer<GstMessage>?, _ context: gpointer?
) -> GstBusSyncReply {
    guard let message, let context else { return GST_BUS_PASS }
    Unmanaged<BusContext>.fromOpaque(context).takeUnretainedValue().receive(message)
    // GST_BUS_DROP leaves the message to the handler.
    gst_mini_object_unref(&message.pointee.mini_object)
    return GST_BUS_DROP
}

/// The messages that wait for the bus's reader, in order of arrival.
///
/// Three rules. Messages that end a job (errors, the end, a closed window) or explain it (a missing plugin) are never
/// dropped for others. The user's actions (keys, buttons) are never dropped for chatter. Each kind has its own bound:
/// when it is reached, its oldest message is dropped (for those that end a job, the newest, because the first is the
/// cause) and counted. Only the last position of the mouse matters, so it replaces an earlier one that waits.
struct MessageQueue {
    /// The kinds of messages, each with its own bound.
    private enum Kind: CaseIterable {
        case lasting, input, chatter

        /// The number that may wait.
        var limit: Int {
            switch self {
            case .lasting: MessageQueue.lastingLimit
            case .input: MessageQueue.inputLimit
            case .chatter: MessageQueue.chatterLimit
            }
        }
    }

    /// The number of messages of the droppable kind that may wait.
    static let chatterLimit = 256
    /// The number of keys and buttons that may wait: more are never typed ahead.
    static let inputLimit = 256
    /// The number of errors that may wait: the first is the cause, and an element can fail thousands of times.
    static let lastingLimit = 64

    private var messages: [BusMessage] = []
    private var counts: [Kind: Int] = [:]
    private var closed = false
    /// The number of messages that were dropped.
    private(set) var lost = 0

    enum Next: Equatable {
        case message(BusMessage)
        /// Nothing has arrived yet.
        case wait
        /// The queue is empty and closed.
        case finished
    }

    /// Adds a message at the end; ignored after ``close()``.
    mutating func push(_ message: BusMessage) {
        guard !closed else { return }
        let kind = Self.kind(of: message)
        if message.isMouseMove, let earlier = messages.lastIndex(where: { $0.isMouseMove(like: message) }) {
            remove(at: earlier)
        } else if kind == .lasting {
            let isRepeated = message == .endOfStream && messages.contains(.endOfStream)
            guard !isRepeated, counts[kind, default: 0] < kind.limit || message == .endOfStream else {
                lost += isRepeated ? 0 : 1
                return
            }
        } else if counts[kind, default: 0] == kind.limit,
            let oldest = messages.firstIndex(where: { Self.kind(of: $0) == kind })
        {
            remove(at: oldest)
            lost += 1
        }
        counts[kind, default: 0] += 1
        messages.append(message)
    }

    /// Closes the queue; waiting messages can still be taken.
    mutating func close() {
        closed = true
    }

    /// Takes the oldest message.
    mutating func pop() -> Next {
        guard !messages.isEmpty else { return closed ? .finished : .wait }
        return .message(remove(at: 0))
    }

    @discardableResult
    private mutating func remove(at index: Int) -> BusMessage {
        let message = messages.remove(at: index)
        counts[Self.kind(of: message), default: 0] -= 1
        return message
    }

    private static func kind(of message: BusMessage) -> Kind {
        switch message {
        case .error, .endOfStream, .windowClosed, .missingPlugin: .lasting
        case .navigation(.keyPress), .navigation(.mouseButtonPress), .pointer(.keyPress), .pointer(.mouseButtonPress):
            .input
        default: .chatter
        }
    }
}

extension BusMessage {
    fileprivate var isMouseMove: Bool {
        switch self {
        case .navigation(.mouseMove), .pointer(.mouseMove): true
        default: false
        }
    }

    /// Returns whether both report the mouse's position in pixels of the same picture: each move is reported in the
    /// window's pixels and in those of the frame that was pushed, one after the other.
    fileprivate func isMouseMove(like other: BusMessage) -> Bool {
        switch (self, other) {
        case (.navigation(.mouseMove), .navigation(.mouseMove)), (.pointer(.mouseMove), .pointer(.mouseMove)): true
        default: false
        }
    }
}
