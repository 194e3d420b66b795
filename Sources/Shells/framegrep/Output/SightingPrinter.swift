import Spotter
import Synchronization
import TextSpotting

/// Prints sightings as the options request: each, only their number, or only the names of inputs. Thread-safe.
final class SightingPrinter: Sendable {
    /// The role of the lines of `--all-text` in addition to sightings.
    enum Lines {
        case accompanyResults
        /// No pattern was given, so they are counted as sightings are, up to a maximum in each input.
        case areResults(maximum: Int?)
        /// As results, joined to paragraphs when the input has ended (``Transcript``).
        case becomeParagraphs(maximum: Int?, of: Transcript.Content)
    }

    /// Sightings in one line of text, which are printed together.
    private struct Waiting {
        var sightings: [Sighting]
        let source: ShownSource

        /// Adds another one if it is in the same line at the same time; returns whether it did.
        mutating func add(_ other: Waiting) -> Bool {
            guard let known = sightings.first, let next = other.sightings.first,
                ExactName(source.name) == ExactName(other.source.name),
                (known.line, known.start, known.end) == (next.line, next.start, next.end),
                Self.areInOneRow(known.peak.quad.bounds, next.peak.quad.bounds)
            else { return false }
            sightings.append(next)
            return true
        }

        /// Returns whether two places are in one row, because the same words may be in several lines.
        private static func areInOneRow(_ a: Rect, _ b: Rect) -> Bool {
            min(a.maxY, b.maxY) - max(a.minY, b.minY) > 0.5 * min(a.height, b.height)
        }
    }

    private struct State {
        /// A result that others of its line may still join.
        var waiting: Waiting?
        var formatter: any SightingFormatter
        /// Results of the input that are printed when it has ended, and their starts.
        var held: [(start: StreamTime, print: @Sendable () -> Void)] = []
        /// Lines of the input that become paragraphs.
        var lines: [Sighting] = []
        var isStill = false
        var total = 0
        var inInput = 0
        /// The number of results of the input so far, and how many of the first ones were already written.
        var results = 0
        var written = 0
    }

    private let output: FindOutputOptions
    private let isQuiet: Bool
    private let lines: Lines
    private let showsNames: Bool
    private let outputs: FindOutputs
    private let journal: SearchJournal?
    private let state: Mutex<State>

    private var results: ResultOutput { outputs.results }
    private var boxes: ResultOutput? { outputs.boxes }

    init(
        output: FindOutputOptions, isQuiet: Bool, lines: Lines, formatter: any SightingFormatter, outputs: FindOutputs,
        journal: SearchJournal?, showsNames: Bool
    ) {
        self.output = output
        self.isQuiet = isQuiet
        self.lines = lines
        self.showsNames = showsNames
        self.outputs = outputs
        self.journal = journal
        state = Mutex(State(formatter: formatter))
    }

    /// The number of sightings that were printed or counted, in all inputs.
    var count: Int { state.withLock { $0.total } }

    func begin() {
        guard printsSightings, let header = state.withLock({ $0.formatter.header }) else { return }
        results.line(header, isResult: false)
    }

    /// Continues where an earlier process has stopped.
    ///
    /// - Parameter written: the number of results of the input that were already written; the input is searched again
    ///   from its beginning.
    func resume(total: Int, inInput: Int, written: Int = 0) {
        state.withLock { state in
            (state.total, state.inInput, state.written) = (total, inInput, written)
            state.formatter.skip(total)
        }
    }

    func print(_ sighting: Sighting, of source: ShownSource) {
        inOrder(of: sighting.start) { self.printNow(Waiting(sightings: [sighting], source: source)) }
    }

    private func printNow(_ next: Waiting) {
        let joins = state.withLock { state in
            guard state.formatter.joinsLines, state.waiting?.add(next) == true else { return false }
            state.results += 1
            count(in: &state)
            return true
        }
        guard !joins else { return }
        flush()
        let waits = state.withLock { state in
            count(in: &state)
            state.results += 1
            state.waiting = next
            return state.formatter.joinsLines
        }
        if !waits { flush() }
    }

    /// Prints results that wait for others of their line.
    func flush() {
        let (text, waiting, isWritten) = state.withLock { state -> (String?, Waiting?, Bool) in
            guard let waiting = state.waiting else { return (nil, nil, true) }
            state.waiting = nil
            let isWritten = state.results <= state.written
            guard printsSightings else { return (nil, waiting, isWritten) }
            return (state.formatter.format(together: waiting.sightings, of: waiting.source), waiting, isWritten)
        }
        guard let waiting, !isWritten else { return }
        if let text { results.line(text) }
        for sighting in boxes == nil ? [] : waiting.sightings {
            for box in JSONLinesFormatter.boxes(of: sighting, source: waiting.source.name) { boxes?.line(box) }
        }
        noteWritten()
    }

    /// A time in which nothing was in view.
    func print(_ absence: Absence, of source: ShownSource) {
        inOrder(of: absence.start) {
            self.printResult { state in
                self.count(in: &state)
                return state.formatter.format(absence, of: source)
            }
        }
    }

    /// Prints a result, unless it is written already.
    private func printResult(_ format: (inout State) -> String) {
        let (line, isWritten) = state.withLock { state in
            state.results += 1
            return (format(&state), state.results <= state.written)
        }
        guard !isWritten else { return }
        if printsSightings { results.line(line) }
        noteWritten()
    }

    /// The number of lines of text that are wanted of each input, if they are the results; nil for all.
    var maximumLines: Int? {
        if case .areResults(let maximum) = lines { maximum } else { nil }
    }

    private var content: Transcript.Content {
        if case .becomeParagraphs(_, let content) = lines { content } else { .passing }
    }

    func print(text: Sighting, of source: ShownSource) {
        if case .becomeParagraphs = lines {
            state.withLock { state in
                state.lines.append(text)
                state.isStill = source.isStill
            }
        } else {
            inOrder(of: text.start) { self.print(line: text, of: source) }
        }
    }

    private func ordersByStart(_ formatter: any SightingFormatter) -> Bool {
        output.sort == .start || formatter.ordersByStart
    }

    /// Prints at once, or when the input has ended.
    private func inOrder(of start: StreamTime, _ print: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            guard printsSightings, ordersByStart(state.formatter) else { return false }
            state.held.append((start, print))
            return true
        }
        if !waits { print() }
    }

    /// Prints everything that waited for the end of the input: lines as paragraphs, and results in the order of their
    /// starts.
    func printRest(source: String) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for (_, result) in held.enumerated().sorted(by: { ($0.1.start, $0.0) < ($1.1.start, $1.0) }) { result.print() }
        let (lines, isStill, isOrdered, keepsBreaks) = state.withLock { state in
            defer { state.lines = [] }
            return (state.lines, state.isStill, ordersByStart(state.formatter), state.formatter.keepsBreaks)
        }
        let transcript = Transcript(lines, of: isStill && content == .captions ? .passing : content)
        var paragraphs = transcript.paragraphs
        if isOrdered {
            // If they begin together, in the order in which they were read.
            paragraphs = paragraphs.enumerated().sorted { ($0.1.start, $0.0) < ($1.1.start, $1.0) }.map(\.element)
        }
        for paragraph in paragraphs {
            var whole = paragraph.first
            (whole.start, whole.end) = (paragraph.start, isStill ? whole.end : paragraph.end)
            whole.line = keepsBreaks ? paragraph.rows : paragraph.text
            whole.text = whole.line
            print(line: whole, of: ShownSource(name: source, isStill: isStill))
        }
        if !isQuiet, let sentence = Self.sentence(about: transcript.leftOut, in: source) {
            StandardError.line("framegrep: \(sentence)")
        }
    }

    /// Returns a sentence about the text that a transcript leaves out; nil if there is none.
    static func sentence(about leftOut: [Sighting], in source: String) -> String? {
        guard !leftOut.isEmpty else { return nil }
        var named = leftOut.prefix(3).map { "'\(Visible.text($0.line))'" }
        if leftOut.count > named.count { named.append("\(leftOut.count - named.count) more") }
        let list =
            named.count < 2
            ? named.joined() : named.dropLast().joined(separator: ", ") + " and " + named[named.count - 1]
        return
            "\(source): left out because it stays through most of it: \(list); add --all-text to print that too."
    }

    private func print(line text: Sighting, of source: ShownSource) {
        flush()
        let isEnough = state.withLock { state in
            guard let maximum = maximumResults else { return false }
            if let maximum, state.inInput >= maximum { return true }
            count(in: &state)
            return false
        }
        if !isEnough { printResult { $0.formatter.format(text: text, of: source) } }
    }

    /// Records that a result was written, so that a search that continues after a crash does not write it again.
    private func noteWritten() {
        state.withLock { state in
            state.written = max(state.written, state.results)
            note { [written = state.written] in $0[.writtenInInput] = Int64(written) }
        }
    }

    /// Makes a record for a search after a crash, once everything printed so far is written.
    private func note(_ change: @escaping @Sendable (SearchJournal) -> Void) {
        if let journal { outputs.then { change(journal) } }
    }

    private func count(in state: inout State) {
        state.total += 1
        state.inInput += 1
        note { [total = state.total, inInput = state.inInput] in
            $0[.sightings] = Int64(total)
            $0[.sightingsInInput] = Int64(inInput)
        }
    }

    /// The largest number of lines or paragraphs of each input, if these are the results.
    private var maximumResults: Int?? {
        switch lines {
        case .accompanyResults: nil
        case .areResults(let maximum), .becomeParagraphs(let maximum, _): .some(maximum)
        }
    }

    /// Records that an input was searched to its end.
    func end(source: String) {
        printRest(source: source)
        flush()
        let count = state.withLock { state in
            defer {
                (state.inInput, state.results, state.written) = (0, 0, 0)
                note { ($0[.sightingsInInput], $0[.writtenInInput]) = (0, 0) }
            }
            return state.inInput
        }
        guard !isQuiet else { return }
        if output.countsOnly { results.line(showsNames ? "\(Visible.text(source)):\(count)" : "\(count)") }
        if count > 0 ? output.namesOnly : output.absentNamesOnly { results.line(Visible.text(source)) }
    }

    private var printsSightings: Bool { !isQuiet && !output.countsOnly && !output.namesOnly && !output.absentNamesOnly }
}
