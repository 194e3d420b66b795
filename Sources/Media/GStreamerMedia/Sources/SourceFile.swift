import Errors
import Glibc
import TextSpotting

/// The state of a source's file when it was opened, to determine afterward how it was changed meanwhile.
///
/// If a file is emptied or cut while it is read, GStreamer plays the rest without reporting an error.
public struct SourceFile: Sendable {
    /// A change to a file while it was read.
    public struct Change: Sendable, Hashable {
        /// A full sentence about the file as “it”.
        public let sentence: String
        /// Whether the file grew and its former contents are unchanged.
        public let isGrowth: Bool
    }

    private struct State {
        let device: UInt
        let number: UInt
        let size: Int
        /// In nanoseconds since 1970.
        let modified: Int
        /// The last bytes. They stay the same if the file grows, but hardly if it is overwritten.
        let tail: [UInt8]

        init?(_ path: String, tailOf size: Int? = nil) {
            guard let file = FileBytes(path), let status = file.status, status.isFile else { return nil }
            (device, number) = (status.device, status.number)
            (self.size, modified) = (status.size, status.modified)
            let end = size ?? self.size
            tail = file.bytes(at: UInt64(max(0, end - 256)), count: min(256, end))
        }
    }

    private let path: String
    private let before: State

    /// Returns nil if it is not an ordinary file, or cannot be opened.
    public init?(path: String) {
        guard FileStatus(of: path)?.isFile == true, let state = State(path) else { return nil }
        (self.path, before) = (path, state)
    }

    /// Returns the change to the file as the cause of a failure to read it; the failure itself if there was none.
    func cause(of failure: any Error, named name: String) -> any Error {
        guard failure is FramegrepError, let change = change(), !change.isGrowth else { return failure }
        return FramegrepError(.sourceDamaged, "'\(name)' cannot be read. \(change.sentence)")
    }

    /// Returns the change to the file since then; nil if it is unchanged, as far as can be determined without reading
    /// it again.
    public func change() -> Change? {
        guard let now = State(path, tailOf: before.size) else {
            let isGone = FileName.withCName(path) { access($0, F_OK) } != 0
            return Change(
                sentence: "It \(isGone ? "was removed" : "could no longer be opened") while it was read.",
                isGrowth: false)
        }
        guard (now.device, now.number) == (before.device, before.number) else {
            return Change(sentence: "It was replaced by another file while it was read.", isGrowth: false)
        }
        if now.size == 0, before.size > 0 {
            return Change(sentence: "It was emptied while it was read.", isGrowth: false)
        }
        if now.size < before.size {
            return Change(
                sentence: "It was cut from \(before.size) to \(now.size) bytes while it was read.", isGrowth: false)
        }
        if now.size > before.size, now.tail == before.tail {
            return Change(
                sentence:
                    "It grew while it was read, and what was added may be missing. Read it again when it is complete.",
                isGrowth: true)
        }
        guard now.size != before.size || now.modified != before.modified else { return nil }
        return Change(sentence: "It was written to while it was read.", isGrowth: false)
    }
}
