/// The messages that wait for the bus's reader, in order of arrival.
///
/// Three rules. What ends a job (errors, the end, a closed window) and what explains it (a missing plugin) is never lost to
/// anything else. What a user did (keys, buttons) is never lost to chatter. Each kind is bounded by itself: when it is full,
/// the oldest of it goes (of what ends a job the newest: the first is the cause), and is counted. Of the mouse's places only the
/// last counts, so an earlier one that waits makes room for it.
struct MessageQueue {
    /// The kinds of messages, each with a bound of its own.
    private enum Kind: CaseIterable {
        case lasting, input, chatter

        /// How many may wait.
        var limit: Int {
            switch self {
            case .lasting: MessageQueue.lastingLimit
            case .input: MessageQueue.inputLimit
            case .chatter: MessageQueue.chatterLimit
            }
        }
    }

    /// How many messages of the droppable kind may wait.
    static let chatterLimit = 256
    /// How many keys and buttons may wait: more are never typed ahead.
    static let inputLimit = 256
    /// How many errors may wait: the first is the cause, and an element can fail thousands of times.
    static let lastingLimit = 64

    private var messages: [BusMessage] = []
    private var counts: [Kind: Int] = [:]
    private var closed = false
    /// How many messages were dropped.
    private(set) var lost = 0

    enum Next: Equatable {
        case message(BusMessage)
        /// Nothing yet.
        case wait
        /// Nothing, and nothing will come.
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

    /// No more will come; what waits can still be taken.
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

    /// Whether both report the mouse's place in pixels of the same picture: each move is reported in the window's pixels and in those of
    /// the frame that was pushed, one after the other.
    fileprivate func isMouseMove(like other: BusMessage) -> Bool {
        switch (self, other) {
        case (.navigation(.mouseMove), .navigation(.mouseMove)), (.pointer(.mouseMove), .pointer(.mouseMove)): true
        default: false
        }
    }
}
