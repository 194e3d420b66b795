import Foundation
import Synchronization

/// Messages on standard input and output, one a line.
enum MCPStream {
    /// No message is longer, in bytes.
    static let longest = 1 << 20

    /// The next message or event.
    enum Line {
        case message([UInt8])
        /// A longer one, which was passed over.
        case tooLong
        case end
    }

    /// Lines of standard input. For one thread.
    struct Input {
        private let descriptor: Int32
        private var rest: [UInt8] = []
        private var isOver = false

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// The next line without its end, none of them empty; what is left at the end of the input counts as one.
        mutating func next() -> Line {
            var searched = 0
            var isTooLong = false
            while true {
                if let end = rest[searched...].firstIndex(of: 0x0A) {
                    let line = Array(rest[..<end])
                    rest.removeSubrange(...end)
                    if isTooLong || line.count > MCPStream.longest { return .tooLong }
                    if !line.allSatisfy(Self.isSpace) { return .message(line) }
                    searched = 0
                    continue
                }
                searched = rest.count
                if rest.count > MCPStream.longest {
                    isTooLong = true
                    rest = []
                    searched = 0
                }
                if isOver {
                    defer { rest = [] }
                    if isTooLong { return .tooLong }
                    return rest.allSatisfy(Self.isSpace) ? .end : .message(rest)
                }
                read()
            }
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

        private mutating func read() {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count > 0 { rest += buffer[..<count] } else { isOver = true }
                return
            }
        }
    }

    /// Standard output. Thread-safe: messages are written whole, one after the other.
    final class Output: Sendable {
        private let descriptor: Int32
        private let isGone = Mutex(false)

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Somebody has the other end open.
        var hasReader: Bool {
            var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
            return poll(&wanted, 1, 0) <= 0 || wanted.revents & Int16(POLLERR | POLLNVAL) == 0
        }

        /// Waits while the other side reads nothing.
        func send(_ message: JSONValue) {
            var line = message.text + "\n"
            isGone.withLock { isGone in
                guard !isGone else { return }
                isGone = line.withUTF8 { WholeWrite.write($0, to: descriptor) } != nil
            }
        }
    }
}
