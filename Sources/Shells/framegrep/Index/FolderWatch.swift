import Foundation
import TextSpotting

/// Reports which files in some folders and their subfolders were added or written to, using inotify, without waiting.
///
/// Used by one task. If the system allows no more watches, or the folder is on another machine, changes are not
/// reported: the caller must check for itself occasionally.
final class FolderWatch {
    /// The files that changed since the previous call.
    enum Changes: Equatable {
        case files([String])
        /// There were too many changes to list.
        case many
    }

    private static let events =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_ONLYDIR)
    /// The size of an event without its name.
    private static let headLength = 16

    private let descriptor: Int32
    /// The folders, keyed by the numbers of their watches.
    private var folders: [Int32: String] = [:]
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// - Parameter roots: folders.
    init(_ roots: [String]) {
        descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        for root in roots { _ = add(root) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The number of watched folders.
    var count: Int { folders.count }

    /// Returns the changes since the last call.
    func changes() -> Changes {
        var files: [String] = []
        while descriptor >= 0 {
            let length = read(descriptor, &buffer, buffer.count)
            guard length > 0 else { break }
            var start = 0
            while start + Self.headLength <= length {
                let (number, mask, name, next) = event(at: start)
                start = next
                if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .many }
                if mask & UInt32(IN_IGNORED) != 0 { folders[number] = nil }
                guard let folder = folders[number], !name.isEmpty else { continue }
                let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                if mask & UInt32(IN_ISDIR) != 0 {
                    // Add files that were created before it was watched.
                    files += add(path)
                } else {
                    files.append(path)
                }
            }
        }
        return .files(files)
    }

    private func event(at start: Int) -> (watch: Int32, mask: UInt32, name: String, next: Int) {
        buffer.withUnsafeBytes { bytes in
            let watch = bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
            let first = start + Self.headLength
            let end = min(bytes.count, first + length)
            // The name is padded with zeros.
            let name = FileName.text(of: bytes[first..<end].prefix { $0 != 0 })
            return (watch, mask, name, end)
        }
    }

    /// Watches a folder and its subfolders without following links.
    ///
    /// - Returns: the existing files.
    private func add(_ folder: String) -> [String] {
        let watch = FileName.withCName(folder) { inotify_add_watch(descriptor, $0, Self.events) }
        if watch >= 0 { folders[watch] = folder }
        return (FileName.names(inFolder: folder) ?? []).flatMap { name -> [String] in
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            guard let status = FileStatus(of: path, followsLinks: false) else { return [] }
            return status.isFolder ? add(path) : status.isFile ? [path] : []
        }
    }
}
