import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// Searches the inputs of `find`, one after the other or several concurrently, and prints the sightings.
struct RecordingSearch {
    let job: SearchJob
    let output: FindOutputOptions
    let limits: LimitOptions
    let outputs: FindOutputs
    let journal: SearchJournal?
    let notices: SightingNotices
    /// How many inputs are searched side by side.
    let jobs: Int
    /// Made before the outputs, so that no signal leaves half of one.
    let interrupts: Interrupts
    /// Whether folders could not be read, which is an error.
    let lacksInputs: Bool

    /// Searches all inputs; an input that fails is reported and the next one is searched.
    func run(_ inputs: [SearchInput]) async throws -> ExitStatus {
        do {
            let status = try await search(inputs)
            // A failed search must not replace earlier results by nothing.
            if status == .error { await outputs.abandon() } else { try await outputs.finish() }
            return status
        } catch {
            await outputs.abandon()
            throw error
        }
    }

    private func search(_ inputs: [SearchInput]) async throws -> ExitStatus {
        let printer = printer(for: inputs)
        let first = resume(inputs, printer)
        if journal?.crash == nil { printer.begin() }
        if lacksInputs { journal?[.hadError] = 1 }
        journal?[.jobs] = Int64(min(jobs, inputs.count - first))
        let work = Task { try await searchAll(inputs, from: first, printer) }
        interrupts.then { [journal] signal in
            journal?[.interruption] = Int64(signal)
            work.cancel()
            if signal != SIGINT { notices.hurry() }
            notices.interrupt()
        } last: {
            notices.stop()
            outputs.abandonAtOnce()
            ProgressLine.wipe()
        }
        let deadline = Deadline(limits.timeout?.time) {
            work.cancel()
            OutputQueue.endSoon()
        }
        let hadError = try await work.value || job.indexed.isDamaged
        job.memory?.finish()
        await outputs.settled()
        deadline.cancel()
        await notices.finish()
        if let signal = interrupts.signal ?? journal?.interruption {
            StandardError.line("framegrep: interrupted; \(outputs.results.untilThen)")
            throw Interruption(signal: signal)
        }
        if deadline.isOver, !job.isQuiet {
            StandardError.line("framegrep: the time of --timeout is over; \(outputs.results.untilThen)")
        }
        if let failure = outputs.failure { throw failure }
        if !job.isQuiet { tellAll(of: inputs) }
        let status = printer.count > 0 ? ExitStatus.found : .notFound
        // As grep: an error counts more than a match, unless only the exit status was asked for.
        return hadError && !(job.isQuiet && status == .found) ? .error : status
    }

    /// Reports on the search as a whole; for a search of the whole index, also how much that was.
    private func tellAll(of inputs: [SearchInput]) {
        func say(_ sentences: [String]) { for sentence in sentences { StandardError.line("framegrep: \(sentence)") } }
        say([job.dates.sentence].compactMap(\.self) + (job.scripts?.sentences ?? []))
        if job.indexed.isEverything {
            let report = CoverageReport(inputs: job.indexed)
            if output.format == .jsonl { outputs.results.line(report.json, isResult: false) }
            say(report.sentences)
        } else if inputs.isEmpty, !lacksInputs, StandardError.isTerminal {
            // In a script the status is enough, as with grep.
            say(["there are no recordings or stills, so nothing was searched."])
        }
    }

    private func printer(for inputs: [SearchInput]) -> SightingPrinter {
        let isColored = output.color == .always || (output.color == .auto && outputs.results.isColored)
        let areSeveral = inputs.count > 1 || job.indexed.isEverything
        // This was checked before.
        let template: (any SightingFormatter)? = output.template.flatMap { try? TemplateFormatter($0) }
        return SightingPrinter(
            output: output, isQuiet: job.isQuiet, lines: lines,
            formatter: template
                ?? (output.chosenFormat ?? (job.areSubtitles ? .srt : .text)).formatter(
                    coloring: isColored, naming: !output.hidesNames, areSeveral: areSeveral,
                    onlyMatching: output.onlyMatching),
            outputs: outputs, journal: journal,
            showsNames: (areSeveral || output.showsNames) && !output.hidesNames)
    }

    /// The kind and number of lines that are the results.
    private var lines: SightingPrinter.Lines {
        job.joinsParagraphs
            ? .becomeParagraphs(
                maximum: job.settings.maximumCount,
                of: job.areSubtitles ? .captions : job.keepsStanding ? .all : .passing)
            : job.matcher.patterns.isEmpty ? .areResults(maximum: job.settings.maximumCount) : .accompanyResults
    }

    /// Searches the inputs, until they are all searched or the task is cancelled.
    ///
    /// - Returns: whether one of them failed.
    /// - Throws: an error that would affect each of them.
    private func searchAll(
        _ inputs: [SearchInput], from first: Int, _ printer: SightingPrinter
    ) async throws -> Bool {
        let searchProgress = SearchProgress(hadError: lacksInputs || journal?[.hadError] == 1)
        let isDone = { @Sendable [searchProgress, outputs, job] in
            searchProgress.failure != nil || outputs.failure != nil || job.isQuiet && printer.count > 0
        }
        let order = OrderedOutput(from: first) { [journal, outputs] index in
            outputs.then { journal?[.input] = inputs.indices.contains(index) ? Int64(index) : -1 }
            return !isDone()
        }
        defer { journal?[.input] = -1 }
        journal?[.input] = inputs.indices.contains(first) ? Int64(first) : -1
        let whole = WholeProgress(files: inputs.map(\.name), from: first)
        await sideBySide(first..<inputs.count, in: order, until: isDone) { index in
            let place = inputs.count > 1 ? "\(index + 1) of \(inputs.count)  " : ""
            let writer = OrderedWriter(output: order, index: index)
            await search(inputs[index], shownAt: place, of: whole?.part(index), as: writer, printer, searchProgress)
            whole?.part(index).end()
            await outputs.caughtUp()
            order.end(index)
        }
        if let failure = searchProgress.failure { throw failure }
        return searchProgress.hadError
    }

    /// Does work for each of the inputs, for as many at a time as requested.
    ///
    /// - Parameter isDone: returns whether nothing is left to do, so that running work is cancelled.
    private func sideBySide(
        _ inputs: Range<Int>, in order: OrderedOutput, until isDone: @escaping @Sendable () -> Bool,
        _ work: @escaping @Sendable (Int) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            var (next, running) = (inputs.lowerBound, 0)
            func start() {
                // Results of inputs whose turn has not come are kept in memory, so only a few may be ahead of the
                // first.
                while running < jobs, next < inputs.upperBound, next - order.turn < 4 * jobs, !isDone(),
                    !Task.isCancelled
                {
                    let index = next
                    next += 1
                    running += 1
                    group.addTask { await work(index) }
                }
            }
            start()
            while await group.next() != nil {
                running -= 1
                if isDone(), !Task.isCancelled {
                    order.close()
                    group.cancelAll()
                }
                start()
            }
        }
    }

    /// The progress of a search of several inputs. Thread-safe.
    private final class SearchProgress: Sendable {
        private let state: Mutex<(hadError: Bool, failure: (any Error)?)>

        init(hadError: Bool) { state = Mutex((hadError, nil)) }

        var hadError: Bool { state.withLock { $0.hadError } }
        /// The reason none of the other inputs can be searched.
        var failure: (any Error)? { state.withLock { $0.failure } }

        func noteError() { state.withLock { $0.hadError = true } }
        func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }
    }

    private static func isAboutTheIndex(_ error: FramegrepError) -> Bool {
        [.indexDamaged, .indexNewer, .indexUnreadable].contains(error.code)
    }

    /// Searches one input; its messages are printed at its turn.
    private func search(
        _ input: SearchInput, shownAt place: String, of whole: WholeProgress.Part?, as writer: OrderedWriter,
        _ printer: SightingPrinter, _ searchProgress: SearchProgress
    ) async {
        let search = InputSearch(
            job: job, printer: printer, outputs: outputs, journal: journal, notices: notices, writer: writer)
        let noteError: @Sendable () -> Void = { [journal] in
            journal?[.hadError] = 1
            searchProgress.noteError()
        }
        do {
            let summary = try await search.run(input.name, shownAt: place, of: whole)
            if summary.damage != nil { writer.say(noteError) }
        } catch is CancellationError where Task.isCancelled {
            // It was interrupted before the input was known or the engine was loaded.
        } catch let error as FramegrepError where error.code == .engineUnavailable {
            // Without an engine the next input would fail in the same way.
            writer.say { searchProgress.fail(error) }
        } catch let error as FramegrepError where job.indexed.isEverything && Self.isAboutTheIndex(error) {
            // All recordings are searched at once.
            writer.say { searchProgress.fail(error) }
        } catch let error as FramegrepError where input.passesOver(error) {
            if job.isVerbose { writer.tell("framegrep: passed over: \(error.message)") }
        } catch let error as FramegrepError {
            writer.tell(MessageLines.text(error))
            writer.say(noteError)
        } catch {
            writer.say { searchProgress.fail(error) }
        }
        // For an input that could not be read to its end, print the results so far.
        writer.say { printer.printRest(source: (try? SourceURI(input.name))?.redacted ?? input.name) }
    }

    /// After a crash, reports in which input it was, and continues after that.
    ///
    /// - Returns: the first input to be searched; the number of inputs if the search was interrupted meanwhile.
    private func resume(_ inputs: [SearchInput], _ printer: SightingPrinter) -> Int {
        guard let journal, let crash = journal.crash, inputs.indices.contains(crash.input) else { return 0 }
        // The progress was shown there.
        ProgressLine.wipe()
        if journal[.jobs] > 1 { return resumeOneByOne(inputs, after: crash, journal, printer) }
        let name = (try? SourceURI(inputs[crash.input].name))?.redacted ?? inputs[crash.input].name
        let isLast = crash.input == inputs.count - 1
        StandardError.line(
            "framegrep: \(name) could not be searched to its end: a library that decodes or reads it crashed "
                + "(\(crash.reason)). What was found in it until then is above"
                + (isLast ? "." : "; the search continues with the next."))
        printer.resume(total: Int(journal[.sightings]), inInput: Int(journal[.sightingsInInput]))
        printer.end(source: name)
        journal[.hadError] = 1
        return journal.interruption == nil ? crash.input + 1 : inputs.count
    }

    /// After a crash while several inputs were searched, it is unknown which of them caused it: the search continues
    /// with the first unfinished one, one at a time. Results of it that were already written are not written again.
    private func resumeOneByOne(
        _ inputs: [SearchInput], after crash: (input: Int, reason: String), _ journal: SearchJournal,
        _ printer: SightingPrinter
    ) -> Int {
        StandardError.line(
            "framegrep: a library that decodes or reads one of several inputs crashed (\(crash.reason)); the search continues with one at "
                + "a time.")
        printer.resume(
            total: Int(journal[.sightings] - journal[.sightingsInInput]), inInput: 0,
            written: Int(journal[.writtenInInput]))
        return journal.interruption == nil ? crash.input : inputs.count
    }
}
