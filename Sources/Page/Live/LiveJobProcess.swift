import Foundation
import Processes
import Spotter
import Synchronization
import Threads

/// The process of one live job, as the server sees it. Ends with the last reference to it. Thread-safe.
final class LiveJobProcess: Sendable {
    private struct State {
        var input: Int32
        var complaint: [UInt8] = []
    }

    private let id: pid_t
    private let output: Int32
    private let errors: Int32
    private let state: Mutex<State>
    private let hasEnded = Atomic<Bool>(false)
    /// Orders, which a job that hangs would not take.
    private let queue = DispatchQueue(label: "framegrep.page.orders")

    /// How much of a process's last messages is kept.
    private static let mostComplaint = 4096

    init(_ program: String, _ words: [String]) throws(PageProblem) {
        signal(SIGPIPE, SIG_IGN)
        let (id, input, output, errors) = try Self.start(program, words)
        (self.id, self.output, self.errors) = (id, output, errors)
        state = Mutex(State(input: input))
        let watched = errors
        do {
            try DedicatedThread.start(named: "job's errors") { [weak self] in
                while let bytes = PipeBytes.readSome(1024, from: watched), !bytes.isEmpty { self?.complain(bytes) }
                close(watched)
            }
        } catch {
            close(watched)
            throw PageProblem(503, "\(error)")
        }
    }

    private func complain(_ bytes: [UInt8]) {
        state.withLock { state in
            state.complaint += bytes
            if state.complaint.count > Self.mostComplaint {
                state.complaint.removeFirst(state.complaint.count - Self.mostComplaint)
            }
        }
    }

    /// The last line that it said to a user; empty if it said nothing.
    var complaint: String {
        let all = String(decoding: state.withLock { $0.complaint }, as: UTF8.self)
        let line = all.split(separator: "\n").last.map(String.init) ?? ""
        return line.hasPrefix("framegrep: ") ? String(line.dropFirst(11)) : line
    }

    /// Tells it something; returns at once.
    func tell(_ order: ViewerCommand) { tell(line: order.line()) }

    /// Sends the words to search for, which must come first.
    func tell(words: [String]) { tell(line: ((try? JSONEncoder().encode(words)).map { Array($0) } ?? []) + [0x0A]) }

    private func tell(line: [UInt8]) {
        queue.async { [weak self] in
            guard let self else { return }
            let input = state.withLock { $0.input }
            if input >= 0 { _ = PipeBytes.write(line, to: input) }
        }
    }

    /// The next record; nil at the end. Blocks; one thread at a time.
    func next() -> ViewerRecord? {
        guard let length = PipeBytes.read(4, from: output).map({ ViewerRecord.number($0, 0) }),
            (ViewerRecord.prefix - 4...ViewerRecord.longest).contains(length)
        else { return nil }
        return PipeBytes.read(length, from: output).flatMap(ViewerRecord.init)
    }

    /// Asks it to end in good order, after putting its readings into the index.
    func finish() {
        queue.async { [self] in
            let input = state.withLock { state in
                defer { state.input = -1 }
                return state.input
            }
            if input >= 0 { close(input) }
        }
    }

    /// Ends it at once.
    func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { kill(id, SIGKILL) }
    }

    deinit {
        end()
        let input = state.withLock { $0.input }
        if input >= 0 { close(input) }
        close(output)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
    }

    private static func start(
        _ program: String, _ words: [String]
    ) throws(PageProblem) -> (pid_t, input: Int32, output: Int32, errors: Int32) {
        var pipes: [(read: Int32, write: Int32)] = []
        var isStarted = false
        defer {
            for (index, pipe) in pipes.enumerated() {
                // The program has its own ends; of those that stay here, all go where it was not started.
                close(index == 0 ? pipe.read : pipe.write)
                if !isStarted { close(index == 0 ? pipe.write : pipe.read) }
            }
        }
        for _ in 0..<3 {
            guard let pipe = Spawn.pipe() else { throw failure(program, errno) }
            pipes.append(pipe)
        }
        do {
            let streams = Spawn.Streams(input: pipes[0].read, output: pipes[1].write, error: pipes[2].write)
            let id = try Spawn.start(program, words, streams)
            isStarted = true
            return (id, pipes[0].write, pipes[1].read, pipes[2].read)
        } catch {
            throw failure(program, error.reason)
        }
    }

    private static func failure(_ program: String, _ reason: Int32) -> PageProblem {
        PageProblem(503, "\(program) cannot be started: \(String(cString: strerror(reason))).")
    }
}
