/// The messages that wait for the bus's reader, in order of arrival.
///
/// Two rules. What ends a job (errors, the end, a closed window) and what explains it (a missing plugin) is never lost to
/// chatter. The rest is bounded: when it is full, the oldest of it goes, and is counted.
struct MessageQueue {
    /// How many messages of the droppable kind may wait.
    static let chatterLimit = 256
    /// How many errors may wait: the first is the cause, and an element can fail thousands of times.
    static let lastingLimit = 64

    private var messages: [BusMessage] = []
    private var chatterCount = 0
    private var closed = false
    /// How many messages nobody will see.
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
        if message.isLasting {
            let waiting = messages.count - chatterCount
            let repeated = message == .endOfStream && messages.contains(.endOfStream)
            guard !repeated, waiting < Self.lastingLimit || message == .endOfStream else {
                lost += repeated ? 0 : 1
                return
            }
        } else {
            if case .navigation(.mouseMove) = message, case .navigation(.mouseMove)? = messages.last {
                // Only the mouse's last place matters.
                messages[messages.count - 1] = message
                return
            }
            if chatterCount == Self.chatterLimit, let oldest = messages.firstIndex(where: { !$0.isLasting }) {
                messages.remove(at: oldest)
                chatterCount -= 1
                lost += 1
            }
            chatterCount += 1
        }
        messages.append(message)
    }

    /// No more will come; what waits can still be taken.
    mutating func close() {
        closed = true
    }

    /// Takes the oldest message.
    mutating func pop() -> Next {
        guard !messages.isEmpty else { return closed ? .finished : .wait }
        let message = messages.removeFirst()
        if !message.isLasting { chatterCount -= 1 }
        return .message(message)
    }
}

extension BusMessage {
    /// Whether chatter may never push it out.
    fileprivate var isLasting: Bool {
        switch self {
        case .error, .endOfStream, .windowClosed, .missingPlugin: true
        default: false
        }
    }
}
