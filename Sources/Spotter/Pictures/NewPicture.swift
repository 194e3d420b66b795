import Errors
import Foundation
import TextSpotting

/// A picture in a file of its own: nothing that exists is ever overwritten, and one that cannot be written whole is removed.
struct NewPicture {
    let folder: String
    /// Advice for the user if it cannot be written.
    let advice: String
    /// A file of the wanted name with the very same bytes is the picture already: a search that is repeated adds nothing.
    var keepsSame = true

    /// Writes a PNG file under the next free name where `stem` is taken, and returns its path.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) naming the file and the system's reason.
    func write(_ bytes: [UInt8], named stem: String) throws(FramegrepError) -> String {
        let folder = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        for number in 1...999 {
            let path = "\(folder)\(stem)\(number == 1 ? "" : "-\(number)").png"
            let descriptor = FileName.withCName(path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
            if descriptor < 0 {
                guard errno == EEXIST else { throw failure(path, errno) }
                if keepsSame, holds(bytes, path) { return path }
                continue
            }
            let reason = Self.write(bytes, to: descriptor)
            guard reason != 0 else { return path }
            _ = FileName.withCName(path) { unlink($0) }
            throw failure(path, reason)
        }
        throw FramegrepError(
            .outputFailed, "The picture \(folder)\(stem).png cannot be written: a thousand of its names are taken.")
    }

    private func holds(_ bytes: [UInt8], _ path: String) -> Bool {
        let file = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == bytes.count else {
            return false
        }
        return FileHandle(fileDescriptor: file).readDataToEndOfFile().elementsEqual(bytes)
    }

    /// Writes all and closes; returns the system's reason where that fails, else 0.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var reason: Int32 = 0
        bytes.withUnsafeBytes { all in
            var rest = UnsafeRawBufferPointer(all)
            while !rest.isEmpty, reason == 0 {
                let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if errno != EINTR {
                    reason = errno
                }
            }
        }
        // A full disk may show only here.
        if close(descriptor) != 0, reason == 0 { reason = errno }
        return reason
    }

    private func failure(_ path: String, _ reason: Int32) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The picture \(path) cannot be written: \(String(cString: strerror(reason))). "
                + "Check that the folder exists, can be written to and has room, or \(advice).")
    }
}
