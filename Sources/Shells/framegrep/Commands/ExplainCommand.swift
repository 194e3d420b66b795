import ArgumentParser
import Errors
import Foundation
import TextMatching
import TextSpotting

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why a pattern matches a text, or why not.",
        usage: "framegrep explain [<options>] [<pattern> <text> ...]",
        discussion: """
            framegrep explain EXIT 'the EX1T sign'
            framegrep explain -E 'GATE [0-9]+' 'GATE l2'
            framegrep explain :ip 'host 999.1.1.1'
            framegrep explain recognition 'text recog-' 'nition works'
            framegrep explain --meaning 'way out' EXIT

            Each text is a line as it was read; several texts are the lines of one block, from top to bottom. Put texts that begin \
            with a hyphen after --. Exit status: 0 it matches, 1 it does not, 2 an error.
            """,
        helpNames: .shortAndLong)

    @OptionGroup var patterns: PatternOptions

    @Option(help: "text or json.")
    var format = ExplanationFormat.text

    @Option(
        help: ArgumentHelp("Explain as if the engine were this sure of each character, 0 to 1.", valueName: "score"))
    var confidence = 1.0

    @Option(help: ArgumentHelp("Ignore matches with a lower score, 0 to 1, as in find.", valueName: "score"))
    var minScore = Matcher.usualMinimumScore

    @Argument(
        help: ArgumentHelp("The pattern (unless -e or -f is given), then lines of text.", valueName: "pattern> <text"))
    var arguments: [String] = []

    func validate() throws {
        guard (0...1).contains(confidence) else { throw ValidationError("--confidence must be between 0 and 1.") }
        guard (0...1).contains(minScore) else { throw ValidationError("--min-score must be between 0 and 1.") }
    }

    func run() throws {
        let matcher = try patterns.matcher(
            positional: patterns.areGivenByOption ? nil : arguments.first,
            example: "framegrep explain EXIT \"EX1T 12\"")
        let texts = patterns.areGivenByOption ? arguments[...] : arguments.dropFirst()
        guard !texts.isEmpty else {
            throw FramegrepError(
                .badArgument,
                "There is no text to compare it with: give one, as in 'framegrep explain EXIT \"EX1T 12\"'."
            )
        }
        let lines = texts.enumerated().map { index, text in
            Self.line(String(text.prefix(10_000)), confidence: confidence, y: Double(index) * 40)
        }
        let explanations = matcher.explanations(in: lines)
        let printer = ExplanationPrinter(
            format: format, minimumScore: minScore,
            isColored: isatty(StandardOutput.descriptor) == 1 && Terminal.wantsColor)
        let text = texts.joined(separator: "\n")
        let parts = zip(matcher.patterns, explanations).map { printer.text($0, text, $1) }
        try StandardOutput.print(parts.joined(separator: format == .json ? "\n" : "\n\n"))
        let isFound = explanations.map { $0.matches.contains { $0.score >= minScore } }
        throw (matcher.manner.requiresAll ? isFound.allSatisfy { $0 } : isFound.contains(true))
            ? ExitStatus.found : ExitStatus.notFound
    }

    /// Returns a line in the form that an engine would give, in letters of one size.
    private static func line(_ text: String, confidence: Double, y: Double) -> TextLine {
        var words: [TextWord] = []
        var x = 0.0
        for part in text.split(whereSeparator: \.isWhitespace) {
            let width = Double(part.count) * 10
            let quad = Quad(Rect(x: x, y: y, width: width, height: 30))
            words.append(TextWord(text: String(part), quad: quad, confidence: confidence))
            x += width + 10
        }
        return TextLine(
            quad: Quad(Rect(x: 0, y: y, width: max(1, x - 10), height: 30)), words: words, confidence: confidence)
    }
}
