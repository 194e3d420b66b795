import Spotter
import TextSpotting

/// Changes what a running job searches for: from lines on standard input and from files of patterns that change.
///
/// A pattern that cannot be searched for is a warning, and what was searched for before still is.
actor PatternChanges {
    private let spotter: LiveSpotter
    private let options: PatternOptions

    init(_ spotter: LiveSpotter, options: PatternOptions) {
        self.spotter = spotter
        self.options = options
    }

    /// Takes a line from standard input.
    func take(_ line: PatternLine) {
        change {
            switch line {
            case .replace(let text): try options.manner.matcher(for: [text])
            case .add(let text): try options.manner.matcher(for: spotter.matcher.patterns.map(\.text) + [text])
            case .clear: try options.manner.matcher(for: [])
            }
        }
    }

    /// Reads all that was given on the command line anew, because a file of it changed.
    func readFiles() {
        change { try options.matcher(positional: nil) }
    }

    func warn(_ warning: FramegrepError) { spotter.warn(warning) }

    private func change(_ matcher: () throws -> Matcher) {
        do {
            spotter.search(for: try matcher())
        } catch let error as FramegrepError {
            spotter.warn(FramegrepError(error.code, "\(error.message) What was searched for before still is."))
        } catch {
            spotter.warn(FramegrepError(.badPattern, "The pattern cannot be searched for: \(error)."))
        }
    }
}
