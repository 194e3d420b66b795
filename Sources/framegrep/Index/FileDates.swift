import Foundation
import Synchronization
import TextIndex
import TextSpotting

/// When recordings were made that do not say so themselves: their files' dates, taken for their ends. Remembers for which that was
/// done, to say so. Thread-safe.
final class FileDates: Sendable {
    private static let mostNamed = 3
    private let names = Mutex<[String]>([])

    /// Estimates the wall clock time of a recording's beginning from its file's date; nil if it is not a file.
    func start(of path: String?, _ stamp: FileStamp? = nil, length: StreamTime?, named name: String) -> Date? {
        guard let stamp = stamp ?? path.flatMap(FileStamp.init(path:)) else { return nil }
        names.withLock { if !$0.contains(name) { $0.append(name) } }
        return Date(timeIntervalSince1970: Double(stamp.modified) / 1e9 - (length?.seconds ?? 0))
    }

    /// For which it was done; nil for none.
    var sentence: String? {
        let names = names.withLock { $0 }.sorted()
        guard !names.isEmpty else { return nil }
        let named = names.prefix(Self.mostNamed).joined(separator: ", ")
        let more = names.count > Self.mostNamed ? " and \(names.count - Self.mostNamed) more" : ""
        let verb = names.count == 1 ? "does not say when it was" : "do not say when they were"
        return
            "\(named)\(more) \(verb) recorded: the \(names.count == 1 ? "file's date" : "files' dates") counted as the end, which a copy may have changed."
    }
}
