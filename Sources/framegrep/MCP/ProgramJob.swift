import Errors
import Foundation
import Processes
import Synchronization
import Threads

/// This program, started once more for a job that takes long, and read line by line as it prints JSON. It is ended when the task that
/// waits for it is cancelled, and ends by itself when this program is gone.
///
/// A process of its own, because decoders are large C libraries: one that crashes takes nothing else along, and one that hangs
/// can be ended.
enum ProgramJob {
    /// How it ended.
    struct Outcome: Sendable {
        /// As a shell sees it.
        var status: Int32
        /// What it said to a person, without its name before; the last lines.
        var messages: [String]
    }

    /// A line that it printed.
    enum Line: Sendable {
        /// On standard output.
        case result(JSONValue)
        /// On standard error: how far it is.
        case progress(JSONValue)
    }

    private static let mostMessages = 20
    /// A line is not longer.
    private static let longest = 4 << 20

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - words: the arguments, a command first.
    ///   - hear: called for each line, on threads of its own, one at a time for each of the two streams.
    /// - Throws: ``FramegrepError`` (`commandFailed`) where it cannot be started; `CancellationError`.
    static func run(_ words: [String], _ hear: @escaping @Sendable (Line) -> Void) async throws -> Outcome {
        try Task.checkCancellation()
        let job = try Running(words)
        return try await withTaskCancellationHandler {
            async let messages = DedicatedThread.run(named: "mcp messages") { job.readMessages(hear) }
            async let results: Void = DedicatedThread.run(named: "mcp results") { job.readResults(hear) }
            let said = try await messages
            try await results
            let status = try await DedicatedThread.run(named: "mcp end") { job.wait() }
            try Task.checkCancellation()
            return Outcome(status: status, messages: said)
        } onCancel: {
            job.end()
        }
    }

    /// The process. Thread-safe.
    private final class Running: Sendable {
        private let id: pid_t
        private let output: Int32
        private let errors: Int32
        private let hasEnded = Mutex(false)

        init(_ words: [String]) throws {
            guard let output = Spawn.pipe() else { throw Self.failure(errno) }
            guard let errors = Spawn.pipe() else {
                close(output.read)
                close(output.write)
                throw Self.failure(errno)
            }
            defer {
                close(output.write)
                close(errors.write)
            }
            let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
            defer { close(nothing) }
            do {
                let streams = Spawn.Streams(input: nothing, output: output.write, error: errors.write)
                id = try Spawn.start("/proc/self/exe", ["framegrep"] + words, streams)
            } catch {
                close(output.read)
                close(errors.read)
                throw Self.failure(error.reason)
            }
            (self.output, self.errors) = (output.read, errors.read)
        }

        deinit {
            close(output)
            close(errors)
        }

        private static func failure(_ reason: Int32) -> FramegrepError {
            FramegrepError(.commandFailed, "framegrep cannot be started: \(String(cString: strerror(reason))).")
        }

        func readResults(_ hear: (Line) -> Void) {
            Self.lines(of: output) { line in
                if let value = try? JSONParser.value(line) { hear(.result(value)) }
            }
        }

        func readMessages(_ hear: (Line) -> Void) -> [String] {
            var messages: [String] = []
            Self.lines(of: errors) { line in
                var said: String?
                if line.first == UInt8(ascii: "{"), let value = try? JSONParser.value(line) {
                    guard value["type"]?.string == "error" else { return hear(.progress(value)) }
                    said = value["message"]?.string
                }
                let text = said ?? String(decoding: line, as: UTF8.self)
                let own = text.hasPrefix("framegrep: ") ? String(text.dropFirst(11)) : text
                messages.append(PlainText.text(String(own.prefix(2000))))
                if messages.count > ProgramJob.mostMessages { messages.removeFirst() }
            }
            return messages
        }

        private static func lines(of descriptor: Int32, _ hear: ([UInt8]) -> Void) {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: 0x0A) {
                    hear(Array(rest[..<end]))
                    rest.removeSubrange(...end)
                }
                // None of ours is so long.
                if rest.count > ProgramJob.longest { rest = [] }
            }
            if !rest.isEmpty { hear(rest) }
        }

        /// Waits for its end.
        func wait() -> Int32 {
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            return hasEnded.withLock { hasEnded in
                hasEnded = true
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                // WIFSIGNALED, WTERMSIG and WEXITSTATUS of <sys/wait.h>, which Swift does not import.
                return status & 0x7F != 0 ? 128 + (status & 0x7F) : status >> 8 & 0xFF
            }
        }

        /// Ends it and what it has started: in good order, and after two seconds at once.
        func end() {
            send(SIGTERM)
            try? DedicatedThread.start(named: "mcp cancel") { [self] in
                for _ in 0..<20 {
                    BlockingSleep.sleep(.milliseconds(100))
                    if hasEnded.withLock({ $0 }) { return }
                }
                send(SIGKILL)
            }
        }

        private func send(_ signal: Int32) {
            hasEnded.withLock { if !$0 { _ = kill(-id, signal) } }
        }
    }
}
