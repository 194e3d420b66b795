import Errors
import Foundation
import GStreamerMedia
import Synchronization

/// Where lines of results go: standard output, or a file. Thread-safe; each line is written whole and at once.
final class ResultOutput: Sendable {
    private struct State {
        var failure: (any Error)?
        /// How many bytes of whole lines were written.
        var length = 0
        /// Some of them are results.
        var hasResults = false
        var isOver = false
    }

    /// Nil for standard output.
    private let file: OutputFile?
    private let descriptor: Int32
    private let isFollowed: Bool
    private let state: Mutex<State>
    let isTerminal: Bool

    /// Where a person finds what there is when the run ends early: the end of a sentence.
    var untilThen: String {
        guard let file else { return "what was found until then is above." }
        let hasResults = state.withLock { $0.hasResults }
        return hasResults ? "what was found until then is in \(file.name)." : "nothing was found until then."
    }

    /// Whether matches are colored by default.
    var isColored: Bool { isTerminal && Terminal.wantsColor }

    private init(_ file: OutputFile?, _ descriptor: Int32, isFollowed: Bool, state: State = State()) {
        self.state = Mutex(state)
        self.file = file
        self.descriptor = descriptor
        self.isFollowed = isFollowed
        isTerminal = file == nil && isatty(descriptor) == 1
    }

    static func standard() -> ResultOutput { ResultOutput(nil, StandardOutput.descriptor, isFollowed: false) }

    /// - Parameter isFollowed: other programs read the file while it grows, so it takes its place with its first line.
    /// - Throws: ``FramegrepError`` (`outputFailed`) when the file cannot be written.
    convenience init(_ file: OutputFile, isFollowed: Bool = false) throws(FramegrepError) {
        self.init(file, try file.open(), isFollowed: isFollowed)
    }

    /// For results that a search after a crash goes on with.
    ///
    /// - Parameters:
    ///   - option: by which the file was named.
    ///   - journal: told of the file; nil if nothing goes on after a crash.
    /// - Throws: ``FramegrepError`` (`outputFailed`) when the file cannot be written.
    convenience init(_ file: OutputFile, by option: String, _ journal: SearchJournal?) throws(FramegrepError) {
        let isResumed = file.written != nil
        let descriptor = try file.open()
        journal?.hand(file, by: option, descriptor: descriptor)
        // What is there consists of whole lines: each is written at once.
        let length = isResumed ? max(0, Int(lseek(descriptor, 0, SEEK_END))) : 0
        let hasResults = isResumed && (journal?[.sightings] ?? 0) > 0
        self.init(file, descriptor, isFollowed: false, state: State(length: length, hasResults: hasResults))
    }

    deinit {
        if file != nil { close(descriptor) }
    }

    /// The first error of writing, kept so that the search can be ended by its owner.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Writes one line; after the first failure nothing more is written.
    ///
    /// - Parameter isResult: false for a header.
    func line(_ text: String, isResult: Bool = true) {
        state.withLock { state in
            guard state.failure == nil, !state.isOver else { return }
            var line = text + "\n"
            guard let reason = line.withUTF8({ WholeWrite.write($0, to: descriptor) }) else {
                state.length += line.utf8.count
                state.hasResults = state.hasResults || isResult
                // Of what a list still leads to nothing is known: what it may replace stays until all of it is read.
                guard isFollowed, let file, !(file.isReplacing && SourceGuard.hasLedToFiles) else { return }
                do { try file.commit() } catch { state.failure = error }
                return
            }
            guard reason != EPIPE else { return state.failure = ClosedPipe() }
            let name = file?.name ?? "standard output"
            state.failure = FramegrepError(
                .outputFailed, "Writing to \(name) failed: \(String(cString: strerror(reason))).")
        }
    }

    /// Nothing more will be written: the file takes its place. After a failure a file that is in its place already keeps its
    /// whole lines, and one that was to replace another goes.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it cannot take its place.
    func finish() throws {
        let (isFirst, failure, length) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.failure, state.length)
        }
        guard isFirst, let file else { return }
        guard failure == nil || failure is ClosedPipe else {
            if length == 0 || file.isReplacing && !isFollowed {
                file.discard()
            } else {
                ftruncate(descriptor, off_t(length))
            }
            return
        }
        try file.commit()
    }

    /// The run has failed: results until then stay; a file without any is removed.
    func abandon() {
        if state.withLock({ !$0.hasResults && !$0.isOver }) {
            state.withLock { $0.isOver = true }
            file?.discard()
        } else {
            do {
                try finish()
            } catch let error as FramegrepError {
                StandardError.line("framegrep: \(error.message)")
            } catch {}
        }
    }
}

extension StandardOutput {
    /// Prints text of a command whose only result it is.
    ///
    /// - Throws: what ``ResultOutput`` fails with.
    static func print(_ text: String) throws {
        let output = ResultOutput.standard()
        output.line(text)
        if let failure = output.failure { throw failure }
    }
}
