import Errors
import Foundation
import GStreamerMedia
import Processes
import Synchronization

/// Writes lines of results to standard output or a file. Thread-safe; each line is written whole and in order, without
/// blocking the caller (``OutputQueue``).
final class ResultOutput: Sendable {
    private struct State {
        /// The descriptor; nil while a pipe waits for its reader.
        var descriptor: Int32?
        var failure: (any Error)?
        /// The number of bytes of whole lines that were written.
        var length = 0
        /// Whether some of them are results.
        var hasResults = false
        var isOver = false
    }

    /// The file; nil for standard output.
    private let file: OutputFile?
    private let queue: OutputQueue
    private let isFollowed: Bool
    private let state: Mutex<State>
    let isTerminal: Bool

    /// The end of a sentence that tells where the results so far are if the run ends early.
    var untilThen: String {
        let place = file.map { "in \($0.name)" } ?? "above"
        if isUnread { return "not all that was found until then is \(place), because it was not read." }
        let hasResults = file == nil || state.withLock { $0.hasResults }
        return hasResults ? "what was found until then is \(place)." : "nothing was found until then."
    }

    /// Whether matches are colored by default.
    var isColored: Bool { isTerminal && Terminal.wantsColor }

    private init(_ file: OutputFile?, _ queue: OutputQueue, isFollowed: Bool, state: State) {
        self.state = Mutex(state)
        self.file = file
        self.queue = queue
        self.isFollowed = isFollowed
        isTerminal = file == nil && state.descriptor.map { isatty($0) == 1 } ?? false
    }

    private static let standardOutput = ResultOutput(
        nil, StandardOutput.queue, isFollowed: false, state: State(descriptor: StandardOutput.descriptor))

    static func standard() -> ResultOutput { standardOutput }

    /// - Parameters:
    ///   - isFollowed: whether other programs read the file while it grows, so that it takes its place with its first
    ///     line.
    ///   - queue: the queue for lines to be written.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if the file cannot be written.
    convenience init(
        _ file: OutputFile, isFollowed: Bool = false, through queue: OutputQueue = OutputQueue()
    ) throws(FramegrepError) {
        self.init(file, queue, isFollowed: isFollowed, state: State(descriptor: try file.open()))
        awaitReader()
    }

    /// Creates an output for results that a search continues after a crash.
    ///
    /// - Parameters:
    ///   - option: the option that named the file.
    ///   - journal: records the file; nil if nothing continues after a crash.
    /// - Throws: ``FramegrepError`` (`outputFailed`) if the file cannot be written.
    convenience init(_ file: OutputFile, by option: String, _ journal: SearchJournal?) throws(FramegrepError) {
        let isResumed = file.written != nil
        let descriptor = try file.open()
        journal?.hand(file, by: option, descriptor: descriptor)
        // The file consists of whole lines, because each is written with one call.
        let length = isResumed ? max(0, Int(lseek(descriptor ?? -1, 0, SEEK_END))) : 0
        let hasResults = isResumed && (journal?[.sightings] ?? 0) > 0
        self.init(
            file, OutputQueue(), isFollowed: false,
            state: State(descriptor: descriptor, length: length, hasResults: hasResults))
        awaitReader()
    }

    deinit {
        if file != nil, let descriptor = state.withLock({ $0.descriptor }) { close(descriptor) }
    }

    /// Opens a pipe as soon as it has a reader.
    private func awaitReader() {
        guard let file, state.withLock({ $0.descriptor == nil }) else { return }
        queue.add(0) { [self] in
            do {
                let descriptor = try file.openWhenRead()
                state.withLock { $0.descriptor = descriptor }
            } catch { state.withLock { $0.failure = error } }
        }
    }

    /// The first error of writing, kept so that the search can be ended by its owner.
    var failure: (any Error)? {
        if let failure = state.withLock({ $0.failure }) { return failure }
        return isUnread ? UnreadOutput(name: name) : nil
    }

    /// Fails, as the next line would, if the reader of standard output is gone: a live job may have nothing to write for
    /// hours, and its user's pipeline (`| grep -m1 appeared`) waits for its end.
    func checkReader() {
        guard file == nil else { return }
        state.withLock { state in
            guard state.failure == nil, let descriptor = state.descriptor else { return }
            var place = pollfd(fd: descriptor, events: 0, revents: 0)
            if poll(&place, 1, 0) > 0, place.revents & Int16(POLLERR) != 0 { state.failure = ClosedPipe() }
        }
    }

    /// Whether output was left unread when the program had to end.
    var isUnread: Bool { queue.isGivenUp }

    private var name: String { file?.name ?? "standard output" }

    /// Writes one line; after the first failure nothing more is written.
    ///
    /// - Parameters:
    ///   - isResult: false for a header.
    ///   - limit: the line is left out if more bytes than this would wait for the reader.
    /// - Returns: false if it was left out for that reason.
    @discardableResult
    func line(_ text: String, isResult: Bool = true, upTo limit: Int = .max) -> Bool {
        guard !queue.isGivenUp, state.withLock({ $0.failure == nil && !$0.isOver }) else { return true }
        let line = Array((text + "\n").utf8)
        return queue.add(line.count, upTo: limit) { [self] in write(line, isResult: isResult) }
    }

    /// Runs an action once all lines so far are written.
    func then(_ action: @escaping @Sendable () -> Void) { queue.add(0, action) }

    /// Returns when all lines are written, and at once when the program must end. For callers that have more to write.
    func caughtUp() async { await queue.caughtUp() }

    /// Returns when all lines are written, or are given up because the program must end.
    func settled() async { await queue.settled() }

    private func write(_ line: [UInt8], isResult: Bool) {
        let descriptor = state.withLock { $0.failure == nil && !$0.isOver ? $0.descriptor : nil }
        guard let descriptor else { return }
        let reason = PipeBytes.failure(writing: line, to: descriptor)
        state.withLock { state in
            switch reason {
            case nil:
                state.length += line.count
                state.hasResults = state.hasResults || isResult
                // It is unknown which files a list still refers to, so the file that it may replace stays until the
                // whole list is read.
                guard isFollowed, let file, !(file.isReplacing && SourceGuard.hasLedToFiles) else { return }
                do { try file.commit() } catch { state.failure = error }
            case EPIPE?: state.failure = ClosedPipe()
            case let reason?:
                state.failure = FramegrepError(
                    .outputFailed, "Writing to \(name) failed: \(String(cString: strerror(reason))).")
            }
        }
    }

    /// Ends the output: once everything is written, the file takes its place. After a failure, a file that is already
    /// in its place keeps its whole lines, and one that would have replaced another is removed.
    ///
    /// - Throws: the first failure of writing, or ``FramegrepError`` (`outputFailed`) if the file cannot be moved into
    ///   place.
    func finish() async throws {
        await settled()
        try takePlace()
        if let failure { throw failure }
    }

    /// Does the same at the end of a job that `signal` may have ended: if the terminal is gone, writing to it fails
    /// too, which is not a separate failure.
    func finish(after signal: Int32?) async throws {
        do { try await finish() } catch { guard signal == SIGHUP || signal != nil && isUnread else { throw error } }
    }

    private func takePlace() throws {
        guard let file else { return }
        let (isFirst, failure, length, descriptor) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.failure, state.length, state.descriptor)
        }
        guard isFirst else { return }
        guard failure == nil || failure is ClosedPipe else {
            if length == 0 || file.isReplacing && !isFollowed {
                file.discard()
            } else if let descriptor {
                ftruncate(descriptor, off_t(length))
            }
            return
        }
        try file.commit()
    }

    /// Handles a failed run: results so far stay; a file without any is removed.
    func abandon() async {
        await settled()
        abandonAtOnce()
    }

    /// Does the same for a program that stops at once: waiting output is lost.
    func abandonAtOnce() {
        let isEmpty = state.withLock { state in
            defer { if !state.hasResults, file != nil { state.isOver = true } }
            return !state.hasResults && !state.isOver
        }
        guard !isEmpty else { return _ = file?.discard() }
        do {
            try takePlace()
        } catch let error as FramegrepError {
            StandardError.line("framegrep: \(error.message)")
        } catch {}
    }
}

/// The results were not read to their end by the time that the program had to end.
struct UnreadOutput: Error {
    let name: String

    var message: String { "\(name) was not read to its end, so the last results are missing there." }
}

extension StandardOutput {
    /// Prints text of a command whose only result it is.
    ///
    /// - Throws: the failure of ``ResultOutput``, if it is known by now; the end of the program reports the rest.
    static func print(_ text: String) throws {
        let output = ResultOutput.standard()
        output.line(text)
        if let failure = output.failure { throw failure }
    }
}
