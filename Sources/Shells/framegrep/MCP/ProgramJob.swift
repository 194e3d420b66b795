import Errors
import Foundation
import Processes
import Spotter
import Threads

/// Starts this program again for a long job, and reads the JSON lines that it prints. The job is ended when the task
/// that waits for it is cancelled, and ends on its own when this program is gone.
///
/// The job is a separate process, because decoders are large C libraries: a crash affects nothing else, and one that
/// hangs can be ended.
enum ProgramJob {
    struct Outcome: Sendable {
        /// The status in the form of a shell.
        var status: Int32
        /// The last lines of its messages to users, without its name.
        var messages: [String]
    }

    enum Line: Sendable {
        /// A result, from standard output.
        case result(JSONValue)
        /// The progress, from standard error.
        case progress(JSONValue)
    }

    private static let mostMessages = 20
    /// The largest length of a line.
    private static let longest = 4 << 20
    private static let grace = SerialQueue("framegrep.mcp.cancel")

    /// Runs a job to its end.
    ///
    /// - Parameter hear: called with each line, on separate threads, one at a time for each of the two streams.
    /// - Throws: ``FramegrepError`` (`commandFailed`) if it cannot be started; `CancellationError`.
    static func run(_ job: JobPlan, _ hear: @escaping @Sendable (Line) -> Void) async throws -> Outcome {
        try Task.checkCancellation()
        let process: ChildProcess
        do {
            process = try job.start("/proc/self/exe", output: .pipe, errors: .pipe)
        } catch {
            throw FramegrepError(.commandFailed, "framegrep cannot be started: \(error).")
        }
        return try await withTaskCancellationHandler {
            async let messages = DedicatedThread.run(named: "mcp messages") { readMessages(of: process, hear) }
            async let results: Void = DedicatedThread.run(named: "mcp results") { readResults(of: process, hear) }
            let said = try await messages
            try await results
            let status = try await DedicatedThread.run(named: "mcp end") { process.wait().status }
            try Task.checkCancellation()
            return Outcome(status: status, messages: said)
        } onCancel: {
            // Ends it and everything that it has started: cleanly, and later at once.
            process.send(SIGTERM)
            grace.start(after: .seconds(2)) { process.send(SIGKILL) }
        }
    }

    private static func readResults(of process: ChildProcess, _ hear: (Line) -> Void) {
        eachLine(from: process.output) { line in
            if let value = try? JSONParser.value(line) { hear(.result(value)) }
        }
    }

    private static func readMessages(of process: ChildProcess, _ hear: (Line) -> Void) -> [String] {
        guard let errors = process.takeErrors() else { return [] }
        defer { close(errors) }
        var messages: [String] = []
        eachLine(from: errors) { line in
            var said: String?
            if line.first == UInt8(ascii: "{"), let value = try? JSONParser.value(line) {
                guard value["type"]?.string == "error" else { return hear(.progress(value)) }
                said = value["message"]?.string
            }
            let text = said ?? String(decoding: line, as: UTF8.self)
            let own = text.hasPrefix("framegrep: ") ? String(text.dropFirst(11)) : text
            messages.append(PlainText.text(String(own.prefix(2000))))
            if messages.count > mostMessages { messages.removeFirst() }
        }
        return messages
    }

    private static func eachLine(from descriptor: Int32, _ hear: ([UInt8]) -> Void) {
        let lines = LineReader(descriptor, longest: longest)
        // None of this program's lines is too long.
        while let next = lines.next() { if case .line(let line) = next { hear(line) } }
    }
}
