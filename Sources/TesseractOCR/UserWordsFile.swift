import Errors
internal import Foundation
internal import TextSpotting

/// A file with the words that Tesseract shall know, one a line; it is there as long as the value that owns it.
///
/// It has no name any more as soon as it is written, so that nothing is left behind however the program ends: Tesseract
/// opens it by its descriptor (proc(5), `/proc/self/fd`).
final class UserWordsFile: Sendable {
    /// For this process only.
    let path: String
    private let descriptor: Int32

    /// Nil if there are no words.
    /// - Throws: ``FramegrepError`` `engineUnavailable` when the file cannot be written.
    init?(_ words: [String]) throws {
        let single = words.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        guard !single.isEmpty else { return nil }
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("framegrep-\(UUID().uuidString).words")
            .path
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        path = "/proc/self/fd/\(descriptor)"
        guard descriptor >= 0 else { throw Self.failure(name) }
        unlink(name)
        let text = Array((single.joined(separator: "\n") + "\n").utf8)
        guard write(descriptor, text, text.count) == text.count else { throw Self.failure(name) }
    }

    private static func failure(_ name: String) -> FramegrepError {
        FramegrepError(
            .engineUnavailable,
            "The list of searched words for Tesseract could not be written to \(name): \(String(cString: strerror(errno))). "
                + "Set TMPDIR to a folder that can be written to.")
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
