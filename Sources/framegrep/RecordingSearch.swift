import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

/// Searches the inputs of `find` one after the other and prints what is found.
struct RecordingSearch {
    private let job: SearchJob
    private let output: FindOutputOptions
    private let limits: LimitOptions
    private let outputs: FindOutputs
    private let journal: SearchJournal?
    private let notices: Notices

    init(
        _ job: SearchJob, output: FindOutputOptions, limits: LimitOptions, outputs: FindOutputs,
        journal: SearchJournal?, notices: NoticeOptions
    ) {
        self.job = job
        self.output = output
        self.limits = limits
        self.outputs = outputs
        self.journal = journal
        self.notices = Notices(notices) { StandardError.line("framegrep: \($0.message)") }
    }

    /// Searches all inputs; an input that fails is reported and the next one is searched.
    func run(_ inputs: [SearchInput]) async throws -> ExitStatus {
        do {
            let status = try await search(inputs)
            // A search that failed is no reason to put nothing in the place of what was found before.
            if status == .error { outputs.abandon() } else { try outputs.finish() }
            return status
        } catch {
            outputs.abandon()
            throw error
        }
    }

    private func search(_ inputs: [SearchInput]) async throws -> ExitStatus {
        let printer = printer(for: inputs)
        let first = resume(inputs, printer)
        if first == 0 { printer.begin() }
        let work = Task { try await searchAll(inputs, from: first, printer) }
        let interrupts = Interrupts { [journal] signal in
            journal?[.interruption] = Int64(signal)
            work.cancel()
            notices.interrupt()
        } last: {
            notices.stop()
            outputs.abandon()
            ProgressLine.wipe()
        }
        let deadline = Deadline(limits.timeout?.time) { work.cancel() }
        let hadError = try await work.value
        deadline.cancel()
        await notices.finish()
        if let signal = interrupts.signal ?? journal?.interruption {
            StandardError.line("framegrep: interrupted; what was found until then is above.")
            throw Interruption(signal: signal)
        }
        if deadline.isOver, !job.isQuiet {
            StandardError.line("framegrep: the time of --timeout is over; what was found until then is above.")
        }
        let status = printer.count > 0 ? ExitStatus.found : .notFound
        // As grep: an error counts more than a match, unless only the exit status was asked for.
        return hadError && !(job.isQuiet && status == .found) ? .error : status
    }

    private func printer(for inputs: [SearchInput]) -> SightingPrinter {
        let isColored = output.color == .always || (output.color == .auto && outputs.results.isColored)
        let areSeveral = inputs.count > 1
        return SightingPrinter(
            output: output, isQuiet: job.isQuiet, lines: lines,
            formatter: output.format.formatter(
                coloring: isColored, naming: !output.hidesNames, areSeveral: areSeveral),
            results: outputs.results, boxes: outputs.boxes, journal: journal,
            showsNames: (areSeveral || output.showsNames) && !output.hidesNames)
    }

    /// Whether the lines themselves are what is looked for, and how many of them are enough.
    private var lines: SightingPrinter.Lines {
        job.matcher.patterns.isEmpty ? .areResults(maximum: job.settings.maximumCount) : .accompanyResults
    }

    /// Searches one input after the other, until they are all searched or the task is cancelled.
    ///
    /// - Returns: whether something went wrong with one of them.
    /// - Throws: what would go wrong with each of them.
    private func searchAll(
        _ inputs: [SearchInput], from first: Int, _ printer: SightingPrinter
    ) async throws -> Bool {
        let search = InputSearch(
            job: job, printer: printer, outputs: outputs, journal: journal, notices: notices)
        var hadError = journal?[.hadError] == 1
        defer { journal?[.input] = -1 }
        for (index, input) in inputs.enumerated().dropFirst(first) where !Task.isCancelled {
            journal?[.input] = Int64(index)
            do {
                let place = inputs.count > 1 ? "\(index + 1) of \(inputs.count)  " : ""
                let summary = try await search.run(input.name, shownAt: place)
                if summary.damage != nil { hadError = noteError() }
            } catch is CancellationError where Task.isCancelled {
                // Interrupted before the input was known or the engine was loaded.
                break
            } catch let error as FramegrepError {
                if try tell(error, of: input) { hadError = noteError() }
            }
            if let failure = outputs.failure { throw failure }
            if job.isQuiet, printer.count > 0 { break }
        }
        return hadError
    }

    /// Says why an input could not be searched; false where that is no error.
    private func tell(_ error: FramegrepError, of input: SearchInput) throws(FramegrepError) -> Bool {
        if input.isFound, error.code == .sourceNotVideo {
            if job.isVerbose { StandardError.line("framegrep: passed over: \(error.message)") }
            return false
        }
        // Without an engine the next input would fail in the same way.
        if error.code == .engineUnavailable { throw error }
        StandardError.line("framegrep: \(error.message)")
        return true
    }

    /// After a crash: says in which input it was, and goes on after that.
    ///
    /// - Returns: the first input to be searched; all of them where somebody has asked for an end meanwhile.
    private func resume(_ inputs: [SearchInput], _ printer: SightingPrinter) -> Int {
        guard let journal, let crash = journal.crash, inputs.indices.contains(crash.input) else { return 0 }
        // Where the progress was shown.
        ProgressLine.wipe()
        let name = (try? SourceURI(inputs[crash.input].name))?.redacted ?? inputs[crash.input].name
        let isLast = crash.input == inputs.count - 1
        StandardError.line(
            "framegrep: \(name) could not be searched to its end: a library that decodes or reads it crashed "
                + "(\(crash.reason)). What was found in it until then is above"
                + (isLast ? "." : "; the search goes on with the next."))
        printer.resume(total: Int(journal[.sightings]), inInput: Int(journal[.sightingsInInput]))
        printer.end(source: name)
        _ = noteError()
        return journal.interruption == nil ? crash.input + 1 : inputs.count
    }

    /// Keeps in mind that something went wrong; always true.
    private func noteError() -> Bool {
        journal?[.hadError] = 1
        return true
    }
}
