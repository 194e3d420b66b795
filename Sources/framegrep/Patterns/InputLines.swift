import Foundation
import TextSpotting

/// The lines of standard input, as they come, read on a thread of its own because reading blocks.
///
/// The thread ends with the input; before that it is left behind when the program ends.
enum InputLines {
    /// A longer line is no pattern.
    static let longest = 16 << 10

    /// - Returns: each line without its break, or why it is none. Buffering: at most 100 lines that nobody took, then the
    ///   oldest are dropped: only the latest pattern counts.
    static func lines(of descriptor: CInt = STDIN_FILENO) -> AsyncStream<Result<String, FramegrepError>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let thread = Thread {
                read(descriptor) { continuation.yield($0) }
                continuation.finish()
            }
            thread.name = "framegrep-input"
            thread.start()
        }
    }

    /// Reads until the input ends.
    private static func read(_ descriptor: CInt, _ take: (Result<String, FramegrepError>) -> Void) {
        var line: [UInt8] = []
        var isTooLong = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in buffer[..<count] {
                if byte == UInt8(ascii: "\n") {
                    take(result(line, isTooLong))
                    line = []
                    isTooLong = false
                } else if line.count < longest {
                    line.append(byte)
                } else {
                    isTooLong = true
                }
            }
        }
        if !line.isEmpty { take(result(line, isTooLong)) }
    }

    private static func result(_ line: [UInt8], _ isTooLong: Bool) -> Result<String, FramegrepError> {
        guard !isTooLong else {
            return .failure(FramegrepError(.badPattern, "A line on standard input is too long for a pattern."))
        }
        guard let text = String(validating: line, as: UTF8.self) else {
            return .failure(FramegrepError(.badPattern, "A line on standard input is not UTF-8 text."))
        }
        return .success(text)
    }
}
