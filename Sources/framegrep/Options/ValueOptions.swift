public import ArgumentParser
public import TextSpotting

extension ValueKind: ExpressibleByArgument {}

/// How `values` prints its table.
enum ValueFormat: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl, csv
}

/// Which values are wanted, and in what form: what `values` has besides the options of reading.
struct ValueOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The place after this word, in its line or on its row, or below it.", valueName: "word"))
    var near: String?

    @Option(help: "What is a value: number, time, money or code (default: what the texts look most like).")
    var kind: ValueKind?

    @Option(help: "text, jsonl or csv.")
    var format = ValueFormat.text

    @Option(
        help: ArgumentHelp(
            "A row for each step of time, with the value then, in place of one for each value.", valueName: "time"))
    var every: DurationArgument?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the table to a file.", valueName: "file"), completion: .file())
    var path: String?

    @Option(help: ArgumentHelp("Draw the numbers over time, as SVG.", valueName: "file"), completion: .file())
    var plot: String?

    /// The name of the value, where it needs one.
    var shownName: String { near ?? "value" }

    func validate() throws {
        if let near, near.allSatisfy(\.isWhitespace) {
            throw ValidationError("--near takes a word that stands in the picture.")
        }
        if let every, every.time < StreamTime(seconds: 0.001) { throw ValidationError("--every must be at least 1ms.") }
        if plot != nil, kind == .code {
            throw ValidationError("--plot draws numbers, and codes are none; leave one out.")
        }
    }
}
