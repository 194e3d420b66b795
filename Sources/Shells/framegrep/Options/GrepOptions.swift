import Foundation

/// Options of grep that mean something else here, or nothing.
enum GrepOptions {
    /// Returns the arguments with `-h` alone (`framegrep -h`, `framegrep find -h`) replaced by a request for help. With
    /// a pattern, `-h` is grep's: no file names.
    static func helpAsked(in arguments: [String]) -> [String]? {
        switch arguments {
        case ["-h"]: ["--help"]
        case ["find", "-h"], ["live", "-h"], ["run", "-h"]: [arguments[0], "--help"]
        default: nil
        }
    }

    /// Returns advice for arguments that are invalid because of such an option; nil if there is none.
    ///
    /// - Parameter message: the parser's message, which names the argument that it could not use.
    static func answer(to arguments: [String], _ message: String) -> String? {
        if let answer = answer(toMissingValue: message, arguments) { return answer }
        guard let found = message.firstMatch(of: /^Unknown option '(-[^']*)'/) else { return nil }
        let argument = String(found.1)
        if ["live", "run"].contains(arguments.first) {
            if ["-A", "-B"].contains(where: argument.hasPrefix) {
                return
                    "\(argument.prefix(2)) is an option of grep's and of find: seconds around a sighting in what is saved; live and run "
                    + "have --record."
            }
            if names.contains(argument) {
                return
                    "\(argument) names the inputs that have a match or none, and live and run have one source: with -q the exit status "
                    + "tells, -c counts."
            }
        }
        if argument.hasPrefix("--") {
            let name = String(argument.dropFirst(2))
            return entries.first { $0.names.contains(name) }.map {
                "--\(name) is an option of \($0.program)'s: \($0.answer)"
            }
        }
        return short(argument.dropFirst()).map { "-\($0.letter) is an option of grep's: \($0.answer)" }
    }

    /// Returns the answer if an option is followed by something that begins like another one, as in `-m -1`.
    private static func answer(toMissingValue message: String, _ arguments: [String]) -> String? {
        guard let found = message.firstMatch(of: /Missing value for '(-[^ ']+)[^']*'(?: in '([^']+)')?/) else {
            return nil
        }
        let written = String(found.2 ?? found.1)
        let next = zip(arguments, arguments.dropFirst()).first { $0.0 == written && $0.1.hasPrefix("-") }
        return next.map { "\(found.1) needs a value, and '\($0.1)' behind it looks like another option." }
    }

    /// Explains `-o` to users who meant grep's.
    static func outputOption(_ name: String) -> String {
        "-o \(name) is the file that results are written to; grep's -o is --only-matching here."
    }

    /// Explains `-o` and `-v` if the user probably meant grep's.
    ///
    /// - Parameters:
    ///   - pattern: the argument taken for it; nil if patterns were given by options.
    ///   - output: the file of `-o`.
    static func tell(of arguments: [String], pattern: String?, output: String?, isQuiet: Bool) {
        guard !isQuiet else { return }
        if let output, let pattern, pattern.contains("."), FileManager.default.fileExists(atPath: pattern) {
            StandardError.line("framegrep: \(pattern) is taken for the pattern. \(outputOption(output))")
        }
        let ours = arguments.prefix { $0 != "--" }
        if let index = ours.firstIndex(of: "-v"), ours.indices.contains(index + 1), !ours[index + 1].hasPrefix("-") {
            StandardError.line("framegrep: -v prints details (verbose); grep's -v is --invert here.")
        }
    }

    private static let names: Set = ["-l", "-L", "--files-with-matches", "--files-without-match"]

    private struct Entry {
        let letters: String
        let names: Set<String>
        let answer: String
        var program = "grep"
    }

    private static let entries = [
        Entry(
            letters: "C", names: ["context"],
            answer:
                "lines around a match make no sense in a video. -A and -B are seconds around it, in what --save-clips and "
                + "--save-video write; --from and --to search a part of the time, --all-text prints every line that is read."
        ),
        Entry(
            letters: "", names: ["json"], answer: "--format jsonl writes a JSON object a sighting.", program: "ripgrep"),
        Entry(
            letters: "PG", names: ["perl-regexp", "basic-regexp"],
            answer: "-E takes regular expressions here, in a syntax much like Perl's."),
        Entry(letters: "x", names: ["line-regexp"], answer: "-E '^PATTERN$' finds whole lines here."),
        Entry(letters: "V", names: [], answer: "--version says which one this is."),
        Entry(letters: "y", names: [], answer: "case is ignored anyway; -s matches it."),
        Entry(letters: "", names: ["no-ignore-case"], answer: "-s minds case here."),
        Entry(
            letters: "", names: ["regexp"],
            answer: "-e gives a pattern here, and -E makes patterns regular expressions."),
        Entry(letters: "", names: ["file"], answer: "-f FILE reads patterns from a file here."),
        Entry(
            letters: "R", names: ["dereference-recursive"],
            answer: "-r searches folders here, without following links to others."),
        Entry(letters: "", names: ["line-buffered"], answer: "each line is written at once anyway."),
        Entry(letters: "", names: ["colour"], answer: "--color auto, always or never."),
        Entry(
            letters: "aIUzZbTu",
            names: [
                "text", "binary", "binary-files", "null-data", "byte-offset", "initial-tab",
                "unix-byte-offsets",
            ],
            answer: "it is about bytes of text files, and has no meaning for pictures."),
    ]

    /// Returns the first letter of a bundle such as `-iA1` that is such an option; `-5` requests context too.
    private static func short(_ bundle: Substring) -> (letter: Character, answer: String)? {
        if let first = bundle.first, first.isNumber, bundle.allSatisfy(\.isNumber) {
            return entries.first.map { (first, $0.answer) }
        }
        for letter in bundle.prefix(while: \.isLetter) {
            if let entry = entries.first(where: { $0.letters.contains(letter) }) { return (letter, entry.answer) }
            // The rest of the bundle is the value of one of our options.
            if "efjmoAB".contains(letter) { return nil }
        }
        return nil
    }
}
