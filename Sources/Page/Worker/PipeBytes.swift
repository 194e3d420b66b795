import Foundation

/// Whole writes and reads of pipes.
enum PipeBytes {
    /// Writes all bytes; false if the reader is gone.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Whether a read would not wait: there are bytes, or it is the end.
    static func isReadable(_ descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// Reads this many bytes; nil if the pipe ends before.
    static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let some = readSome(count - bytes.count, from: descriptor), !some.isEmpty else { return nil }
            bytes += some
        }
        return bytes
    }

    /// Reads at most this many bytes; none at the end, nil if reading fails.
    static func readSome(_ most: Int, from descriptor: Int32) -> [UInt8]? {
        while true {
            var got = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
                got = Foundation.read(descriptor, buffer.baseAddress, most)
                filled = max(0, got)
            }
            if got < 0, errno == EINTR { continue }
            return got < 0 ? nil : bytes
        }
    }
}

/// Lines from a pipe, for one thread at a time.
// @unchecked: callers wait for each line before they ask for the next.
final class LineReader: @unchecked Sendable {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line without its end; nil at the end of the input.
    func next() -> [UInt8]? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                let line = Array(rest[..<end])
                rest.removeSubrange(...end)
                return line
            }
            guard rest.count < 1 << 20, let more = PipeBytes.readSome(64 << 10, from: descriptor), !more.isEmpty else {
                return nil
            }
            rest += more
        }
    }
}
