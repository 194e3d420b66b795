import CProcesses
import Foundation

/// Reads and writes pipes completely.
public enum PipeBytes {
    /// Writes all bytes; returns false if the reader is gone.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { failure(writing: $0, to: descriptor) == nil }
    }

    /// Writes all bytes, however few the system accepts at a time. Blocks even if the descriptor is non-blocking.
    ///
    /// - Returns: the value of `errno` if that fails; otherwise nil.
    public static func failure(writing bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                // The descriptor is non-blocking because another program made it so, and the pipe is full.
                var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&place, 1, -1) < 0, errno != EINTR { return errno }
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// The same for an array.
    public static func failure(writing bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { failure(writing: $0, to: descriptor) }
    }

    /// Makes a file in memory, without a name that others could open.
    ///
    /// - Parameter label: what it is for, as the system shows it.
    /// - Returns: a descriptor at the file's beginning, which the caller must close and no other program inherits; nil
    ///   with `errno` if there is no room.
    public static func file(of bytes: [UInt8], label: String) -> Int32? {
        let descriptor = memfd_create(label, framegrep_memfd_cloexec)
        guard descriptor >= 0 else { return nil }
        if let reason = failure(writing: bytes, to: descriptor) {
            close(descriptor)
            errno = reason
            return nil
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    /// Writes a file, or the names in a folder, to the disk (fsync). It is not a failure if the file system does not
    /// support that, as some do not for folders.
    ///
    /// - Returns: the value of `errno` if that fails, for example on a broken or full disk; otherwise nil.
    public static func failure(syncing descriptor: Int32) -> Int32? {
        guard fsync(descriptor) != 0 else { return nil }
        let reason = errno
        // SMB reports EBADF for a folder, because it is not open for writing.
        return [EINVAL, EBADF, ENOSYS, ENOTSUP].contains(reason) ? nil : reason
    }

    /// Whether a read would return at once: there are bytes, or the end has been reached.
    public static func isReadable(_ descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// Reads this many bytes; nil if the pipe ends first.
    public static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        let bytes = readAll(atMost: count, from: descriptor)
        return bytes.count == count ? bytes : nil
    }

    /// Reads to the end, but at most this many bytes. It allocates memory as they arrive, because an announced length
    /// may be wrong.
    public static func readAll(atMost most: Int, from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < most {
            let some = readSome(min(most - bytes.count, 64 << 10), from: descriptor) ?? []
            guard !some.isEmpty else { break }
            bytes += some
        }
        return bytes
    }

    /// Reads at most this many bytes; none at the end, nil if reading fails.
    public static func readSome(_ most: Int, from descriptor: Int32) -> [UInt8]? {
        while true {
            var got = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
                got = Foundation.read(descriptor, buffer.baseAddress, most)
                filled = max(0, got)
            }
            if got < 0, errno == EINTR { continue }
            return got < 0 ? nil : bytes
        }
    }
}

/// Reads lines from a pipe; for one thread at a time.
// @unchecked: callers wait for each line before they ask for the next.
public final class LineReader: @unchecked Sendable {
    /// The result of one read.
    public enum Line: Hashable, Sendable {
        /// A line, without its line ending.
        case line([UInt8])
        /// A line longer than the limit, which was skipped.
        case tooLong
    }

    private let descriptor: Int32
    private let longest: Int
    private var ready: ArraySlice<Line> = []
    private var line: [UInt8] = []
    private var isTooLong = false
    private var isOver = false

    /// - Parameter longest: the longest line that is returned, in bytes.
    public init(_ descriptor: Int32, longest: Int = 1 << 20) { (self.descriptor, self.longest) = (descriptor, longest) }

    /// Returns the next line, or nil at the end of the input; the last line may lack a line ending. Blocks.
    public func next() -> Line? {
        if ready.isEmpty { ready = (batch() ?? [])[...] }
        return ready.popFirst()
    }

    /// Returns all complete lines among the bytes that arrive next, at least one; nil at the end of the input. Blocks.
    /// Do not mix it with ``next()``.
    public func batch() -> [Line]? {
        var lines: [Line] = []
        while lines.isEmpty, !isOver {
            var rest = (PipeBytes.readSome(64 << 10, from: descriptor) ?? [])[...]
            isOver = rest.isEmpty
            while let end = rest.firstIndex(of: 0x0A) {
                add(rest[..<end])
                lines.append(takeLine())
                rest = rest[(end + 1)...]
            }
            add(rest)
            if isOver, isTooLong || !line.isEmpty { lines.append(takeLine()) }
        }
        return lines.isEmpty ? nil : lines
    }

    private func add(_ piece: ArraySlice<UInt8>) {
        isTooLong = isTooLong || line.count + piece.count > longest
        if isTooLong { line = [] } else { line += piece }
    }

    private func takeLine() -> Line {
        defer { (line, isTooLong) = ([], false) }
        return isTooLong ? .tooLong : .line(line)
    }
}
