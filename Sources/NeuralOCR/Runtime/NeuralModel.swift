import COpenVINO
import Errors
import Glibc
import Synchronization

/// A network as its file has it, to be made ready for sizes of input; owns OpenVINO's model.
final class NeuralModel: Sendable {
    /// The file it is read from, for messages.
    let path: String
    private let core: OpenVINOCore
    private let cache: NetworkCache?
    /// Identifies the file: networks compiled from another one are not used. Nil if it is unknown.
    private let identity: String?
    private let read = Mutex<ReadModel?>(nil)

    /// OpenVINO's model, read when something has to be compiled from it.
    // Only used while `read` is locked.
    private final class ReadModel: @unchecked Sendable {
        let pointer: OpaquePointer
        private let core: OpenVINOCore

        init(_ path: String, _ core: OpenVINOCore) throws {
            self.core = core
            pointer = try core.read(path)
        }

        deinit { core.runtime.functions.model_free(pointer) }
    }

    /// - Parameter cache: where compiled networks are kept; nil for nowhere.
    init(_ path: String, with core: OpenVINOCore, cache: NetworkCache?) {
        self.path = path
        self.core = core
        self.cache = cache
        var status = stat()
        identity =
            stat(path, &status) == 0
            ? "\(path) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ino)" : nil
    }

    /// Sees to it that the file is a network, unless something was made from it before.
    ///
    /// - Throws: a ``FramegrepError`` naming the file when it is missing or damaged.
    func check() throws {
        guard let cache, let name = name(of: "file"), cache.take(name) != nil else {
            return try read.withLock { try load(&$0) }
        }
    }

    /// Makes the network ready to run on pictures of one size, `[1, 3, height, width]`, or of one height and any of
    /// `widths`.
    ///
    /// Takes 0.1 to 0.5 s and blocks where it was never made before. For a range of widths the library prepares anew, for some
    /// 10 ms, with the first picture of each.
    func compiled(widths: ClosedRange<Int>, height: Int) throws -> CompiledModel {
        let name = name(of: "\(widths.lowerBound) \(widths.upperBound) \(height)")
        let network = try kept(name) ?? compiledAnew(widths: widths, height: height, keptAs: name)
        return try CompiledModel(network, widths: widths, height: height)
    }

    /// The form that was kept under a name; one that OpenVINO does not take is removed.
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
        // Next time it need not be read to know that it can be.
        if let name = name(of: "file") { [UInt8(1)].withUnsafeBytes { cache?.put($0, as: name) } }
    }

    /// Everything that a compiled form depends on.
    private func name(of size: String) -> String? { identity.map { "\(core.fingerprint)\n\($0)\n\(size)" } }
}
