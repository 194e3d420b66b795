import Foundation
import Synchronization

/// Earlier searches, newest first, kept in a file that only its owner may read. Thread-safe.
///
/// A file that cannot be read or written is not an error: then only the searches of this run are offered.
public final class SearchHistory: Sendable {
    /// The largest number of searches that are kept.
    public static let limit = 100
    /// The length, in characters, beyond which a search is not kept.
    static let longest = 200

    private let file: StateFile?
    private let recent: Mutex<[String]>

    /// - Parameter path: the file, whose folder is created when something is added; nil to keep nothing.
    public init(path: String?) {
        file = path.map(StateFile.init)
        recent = Mutex(Self.joined(file?.lines ?? []))
    }

    /// The searches, newest first.
    public var searches: [String] { recent.withLock { $0 } }

    /// Adds a search at the front, and stores it.
    public func add(_ text: String) {
        remember(text)
        // Another run may have added some meanwhile.
        if let file { file.replace(by: Self.joined([text] + file.lines)) }
    }

    /// Adds a search at the front for this run only.
    public func remember(_ text: String) {
        recent.withLock { $0 = Self.joined([text] + $0) }
    }

    /// Returns the path of `framegrep/searches` in the state folder; nil if the environment has none.
    public static func defaultPath(in environment: [String: String]) -> String? {
        StateFile.path(of: "searches", in: environment)
    }

    /// Returns each text once, without those that a file of lines cannot hold.
    private static func joined(_ texts: some Sequence<String>) -> [String] {
        var seen = Set<String>()
        return Array(
            texts.filter { text in
                !text.isEmpty && text.count <= longest && !text.contains(where: \.isNewline)
                    && seen.insert(text).inserted
            }.prefix(limit))
    }
}

/// A file of lines in the state folder, which only its owner may read. A file that cannot be read or written is not an
/// error: then nothing is remembered.
public struct StateFile: Sendable {
    private let path: String

    /// - Parameter path: its folder is created when something is written.
    public init(path: String) { self.path = path }

    /// Returns the path of `framegrep/NAME` in the state folder (XDG Base Directory Specification, 0.8); nil if the
    /// environment has none.
    public static func path(of name: String, in environment: [String: String]) -> String? {
        // The specification says that relative paths must be ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/framegrep/\(name)" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/framegrep/\(name)"
    }

    public var lines: [String] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Writes a new file and then replaces the old one with it, so that readers never see a partial file.
    public func replace(by lines: [String]) {
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let temporary = "\(path).\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        let isWritten = Foundation.write(descriptor, bytes, bytes.count) == bytes.count
        let isClosed = close(descriptor) == 0
        if isWritten, isClosed, rename(temporary, path) == 0 { return }
        unlink(temporary)
    }
}
