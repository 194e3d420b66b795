import Foundation
import Synchronization
import TextSpotting

/// Where results go: standard output, or the file of `-o`. Thread-safe; each line is written whole and at once.
final class ResultOutput: Sendable {
    private let descriptor: Int32
    private let name: String
    private let state = Mutex<(any Error)?>(nil)
    let isTerminal: Bool

    /// - Throws: ``FramegrepError`` (`outputFailed`) when the file cannot be written.
    init(path: String?) throws {
        if let path {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            name = path
            guard descriptor >= 0 else {
                throw FramegrepError(.outputFailed, "\(path) cannot be written: \(String(cString: strerror(errno))).")
            }
            isTerminal = false
        } else {
            descriptor = STDOUT_FILENO
            name = "standard output"
            isTerminal = isatty(STDOUT_FILENO) == 1
        }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
    }

    /// The first error of writing, kept so that the search can be ended by whoever looks.
    var failure: (any Error)? { state.withLock { $0 } }

    /// Writes one line; after the first failure nothing more is written.
    func line(_ text: String) {
        state.withLock { failure in
            guard failure == nil else { return }
            var line = text + "\n"
            line.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = write(descriptor, rest.baseAddress, rest.count)
                    if count > 0 {
                        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                    } else if errno != EINTR {
                        failure =
                            errno == EPIPE
                            ? ClosedPipe()
                            : FramegrepError(
                                .outputFailed, "Writing to \(name) failed: \(String(cString: strerror(errno))).")
                        return
                    }
                }
            }
        }
    }
}
