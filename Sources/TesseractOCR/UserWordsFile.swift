internal import Foundation
internal import TextSpotting

/// A file with the words that Tesseract shall know, one a line; it is there as long as the value that owns it.
final class UserWordsFile: Sendable {
    let path: String

    /// Nil where there are no words.
    /// - Throws: ``FramegrepError`` `engineUnavailable` when the file cannot be written.
    init?(_ words: [String]) throws {
        let single = words.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        guard !single.isEmpty else { return nil }
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("framegrep-\(UUID().uuidString).words").path
        do {
            try (single.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw FramegrepError(
                .engineUnavailable,
                "The list of searched words for Tesseract could not be written to \(path): \(error). "
                    + "Set TMPDIR to a folder that can be written to.")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
