import Errors
import TextSpotting

/// A file of patterns, one a line (`-` for standard input); blank lines are ignored.
public struct PatternFile: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// - Throws: `FramegrepError` (`badPattern`) when the file cannot be read, is no text, or holds no pattern.
    public func patterns() throws -> [String] {
        let shown = path == TextFile.standardInput ? "Standard input (-f -)" : "The pattern file \(path)"
        let text: String
        do { text = try TextFile.text(of: path, limit: 4 << 20) } catch {
            guard case .unreadable(let reason) = error else {
                throw FramegrepError(.badPattern, "\(shown) is not UTF-8 text of at most 4 MiB.")
            }
            throw FramegrepError(.badPattern, "\(shown) cannot be read: \(reason). Check its name and permissions.")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else {
            throw FramegrepError(.badPattern, "\(shown) has no pattern in it; write one a line.")
        }
        return lines
    }
}
