import Errors
import Foundation

/// A file with something in it that others must not read: a password, or addresses with passwords in them.
enum PrivateFile {
    /// Its lines; empty ones and those that begin with `#` are left out.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if it cannot be read, is no file, or others can read it.
    static func lines(_ path: String) throws(FramegrepError) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FramegrepError(.badArgument, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FramegrepError(.badArgument, "\(path) is no file.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw FramegrepError(
                .badArgument, "\(path) can be read by other users; 'chmod 600 \(path)' keeps it to yourself.")
        }
        guard status.st_size <= 1 << 20, let bytes = PipeBytes.readSome(1 << 20, from: descriptor),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw FramegrepError(.badArgument, "\(path) is no text of at most a megabyte.")
        }
        return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }
}
