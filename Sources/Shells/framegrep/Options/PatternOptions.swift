import ArgumentParser
import Engines
import Errors
import Foundation
import Spotter
import TextMatching

/// Options for the patterns: shared by `find`, `live`, `run` and `explain`.
struct PatternOptions: ParsableArguments {
    @Option(
        name: [.customShort("e", allowingJoined: true), .customLong("pattern")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Search for this; may be given several times. :url :email :phone :date :time :number :ip :money :plate :code :card :iban find anything of that kind; \\:url is the text ':url'.",
            valueName: "pattern"),
        completion: Completions.contentKinds)
    var patterns: [String] = []

    @Option(
        name: [.customShort("f", allowingJoined: true), .customLong("pattern-file")],
        help: ArgumentHelp(
            "Read patterns from a file, one a line; live and run read it again when it changes.", valueName: "file"),
        completion: .file())
    var fileArguments: [FileArgument] = []

    var files: [String] { fileArguments.map(\.path) }

    @Option(
        name: .customLong("meaning"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Search for lines that mean this, in any words or language; may be given several times, beside -e. Needs 'framegrep setup --meaning'.",
            valueName: "words"))
    var meanings: [String] = []

    @Flag(help: "Allow no misreadings: every letter and gap must be as given.")
    var exact = false

    @Flag(
        name: [.customShort("E"), .customLong("extended-regexp")],
        help: "Patterns are regular expressions, as in Swift, without look-around and back-references.")
    var expressions = false

    @Flag(name: [.customShort("s"), .customLong("case-sensitive")], help: "Match case and accents.")
    var caseSensitive = false

    @Flag(
        name: [.customShort("i"), .customLong("ignore-case")],
        help: ArgumentHelp("Ignore case, as is done anyway.", visibility: .hidden))
    var ignoresCase = false

    @Flag(
        name: [.customShort("F"), .customLong("fixed-strings")],
        help: ArgumentHelp("Patterns are text, as they are anyway.", visibility: .hidden))
    var areFixed = false

    @Flag(name: [.customShort("w"), .customLong("whole-words")], help: "Match whole words only.")
    var wholeWords = false

    @Flag(help: "Matches count only while all patterns are in view at the same time.")
    var all = false

    /// Whether patterns were given by options, so that no positional argument is one.
    var areGivenByOption: Bool { !patterns.isEmpty || !fileArguments.isEmpty || !meanings.isEmpty }

    /// The way in which all patterns are searched for.
    var manner: SearchMode {
        SearchMode(
            kind: expressions ? .expression : exact ? .exact : .plain,
            options: MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords), requiresAll: all,
            meaning: MeaningInstallation.source)
    }

    func validate() throws {
        guard !exact || !expressions else {
            throw ValidationError("--exact and -E search in different ways; give one of them.")
        }
        guard !areFixed || !expressions else {
            throw ValidationError("-F and -E say what patterns are, and not the same; give one of them.")
        }
        guard meanings.isEmpty || !exact && !expressions else {
            throw ValidationError(
                "--meaning asks for other words than those given, and \(exact ? "--exact" : "-E") for these; search twice."
            )
        }
        guard !ignoresCase || !caseSensitive else {
            throw ValidationError("-i ignores case and -s minds it; give one of them.")
        }
    }

    /// Returns a question by meaning, written as a pattern.
    ///
    /// - Throws: ``FramegrepError`` (`badPattern`) for an empty question.
    private static func question(_ words: String) throws -> String {
        guard words.contains(where: { !$0.isWhitespace }) else {
            throw FramegrepError(.badPattern, "--meaning was given no words; give some, as in --meaning 'way out'.")
        }
        return "\(Pattern.meaningMark) \(words)"
    }

    /// Returns the matcher of all patterns, in the order given: those of `-e`, then those of `-f`, then `positional`,
    /// and last those of `--meaning`.
    ///
    /// - Parameters:
    ///   - mayBeNone: whether patterns may still arrive while the job runs.
    ///   - example: a command with a pattern, shown to a user who has given none.
    /// - Throws: ``FramegrepError`` for an empty pattern, a file that cannot be read, or no pattern at all.
    func matcher(positional: String?, mayBeNone: Bool = false, example: String = usualExample) throws -> Matcher {
        try manner.matcher(for: try texts(positional: positional, mayBeNone: mayBeNone, example: example))
    }

    static let usualExample = "framegrep EXIT lobby.mp4"

    func texts(
        positional: String?, mayBeNone: Bool = false, example: String = usualExample
    ) throws -> [String] {
        var texts = patterns
        for file in files { texts += try PatternFile(path: file).patterns() }
        if let positional { texts.append(positional) }
        // These come last, so that matches of the words themselves come first.
        for meaning in meanings { texts.append(try Self.question(meaning)) }
        guard !texts.isEmpty || mayBeNone else {
            throw FramegrepError(
                .badPattern, "There is no pattern to search for: give a word, as in '\(example)'.")
        }
        return texts
    }
}

/// Options for reporting all text instead of a pattern: shared by `find`, `live` and `run`.
struct TextOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Print every line that is read, once, in its best reading; needs no pattern.",
            discussion: """
                Without -e and -f, the first argument is then an input and no pattern: in find if it is an existing file (with -r \
                also a folder), an address, or the only input; in live if it is the only argument.
                """))
    var allText = false

    @Flag(help: "With --all-text: print each state of a line that is typed or deleted letter by letter.")
    var eachChange = false

    @Flag(
        help:
            "Print the text in paragraphs: lines that continue each other are joined, and text that stays through most of the recording is left out (unless --all-text is given too)."
    )
    var transcript = false

    @Flag(
        help:
            "Print the captions that are part of the picture as an SRT file: the place where they come and go is found, text of 0.3 s or less is left out, and line breaks are kept."
    )
    var subtitles = false

    var joinsLines: Bool { transcript || subtitles }

    /// - Throws: ``FramegrepError`` (`badArgument`) for options that cannot be combined with paragraphs.
    func checkTranscript(areTherePatterns: Bool, isLive: Bool = false) throws {
        guard joinsLines else { return }
        let name = subtitles ? "--subtitles" : "--transcript"
        if isLive {
            throw FramegrepError(
                .badArgument, "\(name) joins lines when a recording has ended; live has --all-text.")
        }
        if areTherePatterns || eachChange {
            throw FramegrepError(
                .badArgument,
                "\(name) writes \(subtitles ? "the captions" : "all the text") and takes no \(eachChange ? "--each-change" : "pattern"); --all-text prints lines beside sightings."
            )
        }
    }

    /// Whether no pattern has to be given.
    var isAsked: Bool { allText || eachChange || joinsLines }
}

/// Options for patterns that arrive while a live job runs: shared by `live` and `run`.
struct LivePatternOptions: ParsableArguments {
    @Option(
        name: .customLong("patterns-from"),
        help: ArgumentHelp(
            "- : lines on standard input change the pattern while it runs; +word adds one, an empty line clears all.",
            valueName: "-"),
        completion: .list(["-"]))
    var source: String?

    /// Whether patterns may still arrive, so that none has to be given.
    var areAwaited: Bool { source != nil }

    func validate() throws {
        guard source == nil || source == "-" else {
            throw ValidationError(
                "--patterns-from takes - (standard input); patterns in a file are read with -f, which is watched.")
        }
    }
}
