import Errors
import Foundation
import TextSpotting

/// A file of patterns, one a line; lines of white space are none.
struct PatternFile: Sendable {
    let path: String

    /// - Throws: ``FramegrepError`` (`badPattern`) when the file cannot be read, is no text, or holds no pattern.
    func patterns() throws -> [String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FramegrepError(
                .badPattern, "The pattern file \(path) cannot be read: it does not exist, or you may not read it.")
        }
        guard data.count <= 4 << 20, let text = String(data: data, encoding: .utf8) else {
            throw FramegrepError(.badPattern, "The pattern file \(path) is not UTF-8 text of at most 4 MiB.")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else {
            throw FramegrepError(.badPattern, "The pattern file \(path) has no pattern in it; write one a line.")
        }
        return lines
    }
}
