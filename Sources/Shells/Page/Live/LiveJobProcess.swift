import Foundation
import Processes
import Spotter
import Synchronization
import Threads

/// The process of one live job, as the server sees it. Ends with the last reference to it. Thread-safe.
final class LiveJobProcess: Sendable {
    private let process: ChildProcess
    private let messages = Mutex<[UInt8]>([])
    /// The number of bytes of commands that it has not read.
    private let waiting = Mutex(0)
    /// Runs commands, because a job that hangs does not read them.
    private let queue = DispatchQueue(label: "framegrep.page.orders")

    /// The number of bytes of the last messages of a process that are kept.
    private static let mostComplaint = 4096
    /// The number of bytes of commands that may wait. A job that leaves more unread hangs; it is ended and replaced.
    static let mostOrders = 256 << 10

    init(_ program: String, _ words: [String]) throws(PageProblem) {
        do {
            process = try ChildProcess(program, words, input: .pipe, output: .pipe, errors: .pipe)
        } catch {
            throw PageProblem(503, "\(program) cannot be started: \(error).")
        }
        guard let errors = process.takeErrors() else { return }
        do {
            try DedicatedThread.start(named: "job's errors") { [weak self] in
                while let bytes = PipeBytes.readSome(1024, from: errors), !bytes.isEmpty { self?.complain(bytes) }
                close(errors)
            }
        } catch {
            close(errors)
            throw PageProblem(503, "\(error)")
        }
    }

    private func complain(_ bytes: [UInt8]) {
        messages.withLock { messages in
            messages += bytes
            messages.removeFirst(max(0, messages.count - Self.mostComplaint))
        }
    }

    /// Its last message to users; empty if there was none.
    var complaint: String {
        let all = String(decoding: messages.withLock { $0 }, as: UTF8.self)
        let line = all.split(separator: "\n").last.map(String.init) ?? ""
        return line.hasPrefix("framegrep: ") ? String(line.dropFirst(11)) : line
    }

    /// Sends a command; returns at once.
    func tell(_ order: ViewerCommand) { tell(line: order.line()) }

    /// Sends the job, which must come first.
    func tell(_ job: JobPlan) { tell(line: ((try? JSONEncoder().encode(job)).map { Array($0) } ?? []) + [0x0A]) }

    private func tell(line: [UInt8]) {
        let isTooMuch = waiting.withLock { waiting in
            guard waiting == 0 || waiting + line.count <= Self.mostOrders else { return true }
            waiting += line.count
            return false
        }
        guard !isTooMuch else { return end() }
        queue.async { [weak self] in
            guard let self else { return }
            process.write(line)
            waiting.withLock { $0 -= line.count }
        }
    }

    /// Returns the next record; nil at the end. Blocks; for one thread at a time.
    func next() -> ViewerRecord? {
        guard let length = PipeBytes.read(4, from: process.output).map({ ViewerRecord.number($0, 0) }),
            (ViewerRecord.prefix - 4...ViewerRecord.longest).contains(length)
        else { return nil }
        return PipeBytes.read(length, from: process.output).flatMap(ViewerRecord.init)
    }

    /// Asks the process to end cleanly, with its readings in the index.
    func finish() { queue.async { [process] in process.closeInput() } }

    /// Ends the process at once.
    func end() { process.end() }
}
