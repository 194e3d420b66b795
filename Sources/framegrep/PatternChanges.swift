import Errors
import Spotter
import TextMatching
import TextSpotting

/// Changes the patterns of a running job: from lines on standard input and from files of patterns that change.
///
/// An invalid pattern is a warning, and the search stays as it was.
actor PatternChanges {
    private let spotter: LiveSpotter
    private var options: PatternOptions
    private let changed: @Sendable ([String]) -> Void

    /// - Parameter changed: gets the new patterns.
    init(_ spotter: LiveSpotter, options: PatternOptions, changed: @escaping @Sendable ([String]) -> Void = { _ in }) {
        self.spotter = spotter
        self.options = options
        self.changed = changed
    }

    /// Searches for what other options say from now on.
    func use(_ options: PatternOptions) {
        self.options = options
        readFiles()
    }

    /// Takes lines from standard input, all that came at once, and searches for the result.
    func take(_ lines: [InputLines.Line]) {
        var asked: [PatternLine] = []
        for line in lines {
            switch line {
            case .success(let text): asked.append(PatternLine(text))
            case .failure(let warning): spotter.warn(warning)
            }
        }
        take(asked[...])
    }

    /// Searches for these words only; for nothing if there are none.
    func replace(with words: [String]) {
        guard let first = words.first else { return take([PatternLine.clear][...]) }
        take(([.replace(first)] + words.dropFirst().map { .add($0) })[...])
    }

    /// One of many that cannot be searched for leaves the others as they are: it is found by taking half of them at a time.
    private func take(_ lines: ArraySlice<PatternLine>) {
        guard lines.count > 1 else {
            if let line = lines.first { change { try matcher(after: [line]) } }
            return
        }
        if let matcher = try? matcher(after: lines) { return search(for: matcher) }
        let middle = lines.startIndex + lines.count / 2
        take(lines[..<middle])
        take(lines[middle...])
    }

    private func search(for matcher: Matcher) {
        spotter.search(for: matcher)
        changed(matcher.patterns.map(\.text))
    }

    private func matcher(after lines: ArraySlice<PatternLine>) throws -> Matcher {
        var texts = spotter.matcher.patterns.map(\.text)
        for line in lines {
            switch line {
            case .replace(let text): texts = [text]
            case .add(let text): texts.append(text)
            case .clear: texts = []
            }
        }
        return try options.manner.matcher(for: texts)
    }

    /// Reads all that was given on the command line anew, because a file of it changed.
    func readFiles() {
        change { try options.matcher(positional: nil) }
    }

    private func change(_ matcher: () throws -> Matcher) {
        do {
            search(for: try matcher())
        } catch let error as FramegrepError {
            spotter.warn(FramegrepError(error.code, "\(error.message) What was searched for before still is."))
        } catch {
            spotter.warn(FramegrepError(.badPattern, "The pattern cannot be searched for: \(error)."))
        }
    }
}
