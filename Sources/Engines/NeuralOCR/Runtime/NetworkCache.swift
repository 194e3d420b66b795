import COpenVINO
import Errors
import Glibc
import Processes
import Synchronization
import TextSpotting

/// A network as stored in its file, which can be prepared for sizes of input; owns OpenVINO's model.
final class NeuralModel: Sendable {
    /// The file that it is read from, for messages.
    let path: String
    private let core: OpenVINOCore
    private let cache: NetworkCache?
    /// Identifies the file: networks compiled from another one are not used. Nil if it is unknown.
    private let identity: String?
    private let read = Mutex<ReadModel?>(nil)

    /// OpenVINO's model, read when something has to be compiled from it.
    // Accessed only while `read` is locked.
    private final class ReadModel: @unchecked Sendable {
        let pointer: OpaquePointer
        private let core: OpenVINOCore

        init(_ path: String, _ core: OpenVINOCore) throws {
            self.core = core
            pointer = try core.read(path)
        }

        deinit { core.runtime.functions.model_free(pointer) }
    }

    /// - Parameter cache: the cache of compiled networks; nil to keep none.
    init(_ path: String, with core: OpenVINOCore, cache: NetworkCache?) {
        self.path = path
        self.core = core
        self.cache = cache
        var status = stat()
        identity =
            stat(path, &status) == 0
            ? "\(path) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ino)" : nil
    }

    /// Checks that the file is a network, unless something was made from it before.
    ///
    /// - Throws: a ``FramegrepError`` naming the file if it is missing or damaged.
    func check() throws {
        guard let cache, let name = name(of: "file"), cache.take(name) != nil else {
            return try read.withLock { try load(&$0) }
        }
    }

    /// Prepares the network for pictures of one size, `[1, 3, height, width]`, or of one height and any of `widths`.
    ///
    /// Takes 0.1 to 0.5 s and blocks if it is not in the cache. For a range of widths the library prepares again, for
    /// some 10 ms, with the first picture of each.
    func compiled(widths: ClosedRange<Int>, height: Int, mostForms: Int = .max) throws -> CompiledModel {
        let name = name(of: "\(widths.lowerBound) \(widths.upperBound) \(height)")
        let network = try kept(name) ?? compiledAnew(widths: widths, height: height, keptAs: name)
        return try CompiledModel(network, widths: widths, height: height, mostForms: mostForms)
    }

    /// Returns the instance stored under a name; one that OpenVINO rejects is removed.
    private func kept(_ name: String?) -> CompiledNetwork? {
        guard let name, let kept = cache?.take(name) else { return nil }
        if let network = core.network(from: kept) { return network }
        cache?.remove(name)
        return nil
    }

    private func compiledAnew(widths: ClosedRange<Int>, height: Int, keptAs name: String?) throws -> CompiledNetwork {
        let network = try compile(widths: widths, height: height)
        if let name, let cache, let kept = network.kept() { cache.put(kept.bytes, as: name) }
        return network
    }

    private func compile(widths: ClosedRange<Int>, height: Int) throws -> CompiledNetwork {
        try read.withLock { read in
            try load(&read)
            guard let model = read?.pointer else { throw FramegrepError.neuralUnavailable("\(path) cannot be read.") }
            let failure = "The model \(path) cannot be prepared for \(widths.upperBound)×\(height) pixels"
            var dimensions = [1...1, 3...3, height...height, widths].map {
                ov_dimension_t(min: Int64($0.lowerBound), max: Int64($0.upperBound))
            }
            let status = dimensions.withUnsafeMutableBufferPointer { dimensions in
                let shape = ov_partial_shape_t(rank: ov_dimension_t(min: 4, max: 4), dimensions: dimensions.baseAddress)
                return core.runtime.functions.model_reshape_single_input(model, shape)
            }
            try core.runtime.check(status, failure)
            return try core.compile(model, failure)
        }
    }

    private func load(_ read: inout ReadModel?) throws {
        guard read == nil else { return }
        read = try ReadModel(path, core)
        // Next time it need not be read to know that it is intact.
        if let name = name(of: "file") { [UInt8(1)].withUnsafeBytes { cache?.put($0, as: name) } }
    }

    /// Everything that a compiled form depends on.
    private func name(of size: String) -> String? { identity.map { "\(core.fingerprint)\n\($0)\n\(size)" } }
}

/// A cache of compiled networks in the user's folder, so that the next run need not compile them.
///
/// An entry is used only if the library, the processor, the network's file and the size are the same: they are stored
/// in the file, before the bytes and their checksum. If the folder cannot be used, nothing is kept and nothing is
/// reported.
struct NetworkCache: Sendable {
    /// The largest number of files; those used last are kept. A video of another size needs some three other networks of 2 MB each; the recognizers
    /// have 4.5 and 21 MB.
    static let limit = 64

    private let folder: String

    /// Returns the user's own cache: `$XDG_CACHE_HOME/framegrep/networks`, otherwise under `~/.cache`; nil if there is
    /// none.
    static func ofUser() -> NetworkCache? {
        let given = getenv("XDG_CACHE_HOME").map { String(cString: $0) }
        // Relative paths must be ignored (XDG Base Directory Specification).
        if let given, given.hasPrefix("/") { return NetworkCache(in: given) }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else { return nil }
        return NetworkCache(in: home + "/.cache")
    }

    /// Returns nil if other users cannot be kept from writing there.
    ///
    /// - Parameter parent: the folder for it, made if it is missing.
    init?(in parent: String) {
        folder = parent + "/framegrep/networks"
        for path in [parent, parent + "/framegrep", folder] { mkdir(path, 0o700) }
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & (S_IWGRP | S_IWOTH) == 0
        else { return nil }
    }

    /// Returns the entry under this name, if it is intact.
    func take(_ name: String) -> KeptNetwork? {
        let file = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let head = Self.head(name)
        guard let start = PipeBytes.read(head.count + 8, from: file), start.starts(with: head),
            let content = KeptNetwork(mapping: file, from: start.count),
            start[head.count...].elementsEqual(Self.bytes(of: Self.sum(content.bytes)))
        else { return nil }
        // It is used now, so others are removed first.
        futimens(file, nil)
        return content
    }

    /// Stores bytes under a name, in one step, so that a reader never sees half of them.
    func put(_ content: UnsafeRawBufferPointer, as name: String) {
        let (path, unfinished) = (path(name), "\(folder)/\(getpid())-\(UInt32.random(in: 0 ... .max)).part")
        let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let start = Self.head(name) + Self.bytes(of: Self.sum(content))
        let isWhole = PipeBytes.write(start, to: file) && PipeBytes.failure(writing: content, to: file) == nil
        close(file)
        if !isWhole || rename(unfinished, path) != 0 { unlink(unfinished) }
        tidy()
    }

    func remove(_ name: String) { unlink(path(name)) }

    /// Removes the entries unused for longest, if they are too many, and leftovers of other programs.
    private func tidy() {
        let files: [(path: String, used: Int)] = (FileName.names(inFolder: folder) ?? []).compactMap { name in
            var status = stat()
            guard !name.hasPrefix("."), lstat("\(folder)/\(name)", &status) == 0 else { return nil }
            return ("\(folder)/\(name)", status.st_mtim.tv_sec)
        }
        let hourAgo = time(nil) - 3600
        for file in files where file.path.hasSuffix(".part") && file.used < hourAgo { unlink(file.path) }
        let kept = files.filter { $0.path.hasSuffix(".network") }.sorted { $0.used > $1.used }
        for file in kept.dropFirst(Self.limit) { unlink(file.path) }
    }

    private func path(_ name: String) -> String {
        "\(folder)/" + String(Array(name.utf8).withUnsafeBytes(Self.sum), radix: 16) + ".network"
    }

    /// The header of a file. It is padded so that, with the checksum after it, the network's numbers are aligned for the processor.
    private static func head(_ name: String) -> [UInt8] {
        let text = Array("framegrep network 2\n\(name)\n\n".utf8)
        return text + Array(repeating: UInt8(ascii: "\n"), count: (2 * 64 - (text.count + 8) % 64) % 64)
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// A checksum against accidental damage: eight bytes at a time, spread by Fibonacci hashing's multiplier (2⁶⁴ over the golden ratio;
    /// Knuth, The Art of Computer Programming, volume 3, section 6.4).
    static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = UInt64(bytes.count)
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 32
        }
        let whole = bytes.count / 8 * 8
        for place in stride(from: 0, to: whole, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        }
        for place in whole..<bytes.count { add(UInt64(bytes[place])) }
        return sum
    }
}

/// A compiled network in the form in which it can be stored; owns its bytes.
///
/// OpenVINO does not copy imported bytes: the weights of an imported network stay in them, so they live as long as
/// every network made from them.
// Mapped bytes are never written to; reading them while they are released gives the same bytes.
final class KeptNetwork: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    /// The mapping, from the file's beginning.
    private let mapped: UnsafeMutableRawBufferPointer

    /// Maps the rest of an open file; nil if it cannot be read, or nothing is left of it.
    ///
    /// It is mapped like the library that runs it: OpenVINO copies the data that it computes with, and needs the bytes
    /// only occasionally. The file must therefore not be truncated while it is in use; the cache replaces an old file
    /// by a new one.
    init?(mapping descriptor: CInt, from offset: Int) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int(status.st_size) > offset else { return nil }
        let size = Int(status.st_size)
        let start = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0)
        guard let start, start != MAP_FAILED else { return nil }
        mapped = UnsafeMutableRawBufferPointer(start: start, count: size)
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(mapped)[offset...])
    }

    /// Returns the memory of the bytes to the system. They are read from the file again on the next access.
    func letGo() { madvise(mapped.baseAddress, mapped.count, CInt(MADV_DONTNEED)) }

    deinit { munmap(mapped.baseAddress, mapped.count) }
}
