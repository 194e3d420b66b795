import Synchronization
import TextSpotting

/// Prints sightings as the options ask: each, only their number, or only the names of inputs. Thread-safe.
final class SightingPrinter: Sendable {
    /// What the lines of `--all-text` are beside sightings.
    enum Lines {
        case accompanyResults
        /// No pattern was given, so they are counted as sightings are, up to a greatest number in each input.
        case areResults(maximum: Int?)
    }

    private struct State {
        var formatter: any SightingFormatter
        var total = 0
        var inInput = 0
    }

    private let output: FindOutputOptions
    private let isQuiet: Bool
    private let lines: Lines
    private let showsNames: Bool
    private let results: ResultOutput
    private let boxes: ResultOutput?
    private let journal: SearchJournal?
    private let state: Mutex<State>

    init(
        output: FindOutputOptions, isQuiet: Bool, lines: Lines, formatter: any SightingFormatter, results: ResultOutput,
        boxes: ResultOutput?, journal: SearchJournal?, showsNames: Bool
    ) {
        self.output = output
        self.isQuiet = isQuiet
        self.lines = lines
        self.showsNames = showsNames
        self.results = results
        self.boxes = boxes
        self.journal = journal
        state = Mutex(State(formatter: formatter))
    }

    /// How many sightings were printed or counted, in all inputs.
    var count: Int { state.withLock { $0.total } }

    func begin() {
        guard printsSightings, let header = state.withLock({ $0.formatter.header }) else { return }
        results.line(header, isResult: false)
    }

    /// Goes on where a process before this one has stopped.
    func resume(total: Int, inInput: Int) {
        state.withLock { state in
            (state.total, state.inInput) = (total, inInput)
            state.formatter.skip(total)
        }
    }

    /// - Parameter isStill: the source is one picture, which has no times.
    func print(_ sighting: Sighting, source: String, isStill: Bool = false) {
        let line = state.withLock { state -> String? in
            count(in: &state)
            guard printsSightings else { return nil }
            return isStill
                ? state.formatter.format(still: sighting, source: source)
                : state.formatter.format(sighting, source: source)
        }
        if let line { results.line(line) }
        for box in boxes == nil ? [] : JSONLinesFormatter.boxes(of: sighting, source: source) { boxes?.line(box) }
    }

    /// - Returns: whether it was the last line that is wanted of the input.
    func print(text: Sighting, source: String, isStill: Bool = false) -> Bool {
        let (line, isLast) = state.withLock { state -> (String?, Bool) in
            var isLast = false
            if case .areResults(let maximum) = lines {
                if let maximum, state.inInput >= maximum { return (nil, true) }
                count(in: &state)
                isLast = state.inInput == maximum
            }
            guard printsSightings else { return (nil, isLast) }
            let line =
                isStill
                ? state.formatter.format(stillText: text, source: source)
                : state.formatter.format(text: text, source: source)
            return (line, isLast)
        }
        if let line { results.line(line) }
        return isLast
    }

    /// Something was found.
    private func count(in state: inout State) {
        state.total += 1
        state.inInput += 1
        journal?[.sightings] = Int64(state.total)
        journal?[.sightingsInInput] = Int64(state.inInput)
    }

    /// An input was searched to its end.
    func end(source: String) {
        let count = state.withLock { state in
            defer {
                state.inInput = 0
                journal?[.sightingsInInput] = 0
            }
            return state.inInput
        }
        guard !isQuiet else { return }
        if output.countsOnly { results.line(showsNames ? "\(Visible.text(source)):\(count)" : "\(count)") }
        if count > 0 ? output.namesOnly : output.absentNamesOnly { results.line(Visible.text(source)) }
    }

    private var printsSightings: Bool { !isQuiet && !output.countsOnly && !output.namesOnly && !output.absentNamesOnly }
}
