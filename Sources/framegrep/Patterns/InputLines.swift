import Errors
import Foundation
import TextSpotting
import Threads

/// The lines of standard input, as they come, read on a thread of its own because reading blocks.
///
/// The thread ends with the input; before that it is left behind when the program ends.
enum InputLines {
    /// A longer line is no pattern.
    static let longest = 16 << 10
    /// As many bytes are read at once: a pipe holds no more.
    private static let block = 64 << 10

    typealias Line = Result<String, FramegrepError>

    /// - Returns: lines without their breaks, or why they are invalid; all that came at once together. Buffering: four such lots, then
    ///   nothing is read until one was taken: the writer waits, and no line is lost.
    static func lots(of descriptor: CInt = STDIN_FILENO) -> BoundedQueue<[Line]> {
        let queue = BoundedQueue<[Line]>(capacity: 4)
        let thread = Thread {
            read(descriptor) { queue.push($0) }
            queue.finish()
        }
        thread.name = "framegrep-input"
        thread.start()
        return queue
    }

    /// Reads until the input ends or the consumer is gone.
    private static func read(_ descriptor: CInt, _ take: ([Line]) -> Bool) {
        var splitter = LineSplitter()
        var buffer = [UInt8](repeating: 0, count: block)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let lines = splitter.lines(in: buffer[..<count])
            guard lines.isEmpty || take(lines) else { return }
        }
        if let last = splitter.rest { _ = take([last]) }
    }

    /// Takes bytes apart into lines.
    private struct LineSplitter {
        private var line: [UInt8] = []
        private var isTooLong = false

        /// The lines that end in these bytes.
        mutating func lines(in bytes: ArraySlice<UInt8>) -> [Line] {
            var lines: [Line] = []
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    lines.append(result)
                    line = []
                    isTooLong = false
                } else if line.count < longest {
                    line.append(byte)
                } else {
                    isTooLong = true
                }
            }
            return lines
        }

        /// A last line without a break.
        var rest: Line? { line.isEmpty ? nil : result }

        private var result: Line {
            guard !isTooLong else {
                return .failure(FramegrepError(.badPattern, "A line on standard input is too long for a pattern."))
            }
            guard let text = String(validating: line, as: UTF8.self) else {
                return .failure(FramegrepError(.badPattern, "A line on standard input is not UTF-8 text."))
            }
            return .success(text)
        }
    }
}
