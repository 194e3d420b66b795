import TextSpotting

/// A command on standard input while a job runs, one a line.
enum PatternLine: Hashable {
    /// Search for this instead.
    case replace(String)
    /// Search for this too.
    case add(String)
    /// Search for nothing until the next line.
    case clear

    /// - Parameter line: without its line break. `+word` adds, `\+word` is the text "+word".
    init(_ line: String) {
        let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
        if line.allSatisfy(\.isWhitespace) {
            self = .clear
        } else if line.hasPrefix("+"), line.count > 1 {
            self = .add(String(line.dropFirst()))
        } else if line.hasPrefix("\\+") {
            self = .replace(String(line.dropFirst()))
        } else {
            self = .replace(line)
        }
    }
}
