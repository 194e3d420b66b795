import COpenVINO
import Errors
import Synchronization
import TextSpotting

/// OpenVINO's entry object; owns it and frees it in `deinit`.
// OpenVINO documents its core object as safe to use from several threads.
final class OpenVINOCore: @unchecked Sendable {
    let runtime: OpenVINORuntime
    fileprivate let pointer: OpaquePointer

    init(_ runtime: OpenVINORuntime) throws {
        self.runtime = runtime
        var core: OpaquePointer?
        try runtime.check(runtime.functions.core_create(&core), "OpenVINO does not start")
        guard let core else { throw FramegrepError.neuralUnavailable("OpenVINO does not start.") }
        pointer = core
    }

    deinit { runtime.functions.core_free(pointer) }
}

/// A network as read from its file, not yet made for any input size; owns OpenVINO's model.
// The model is changed (given a shape) only inside `lock`.
final class NeuralModel: @unchecked Sendable {
    let core: OpenVINOCore
    /// The file it was read from, for messages.
    let path: String
    private let pointer: OpaquePointer
    private let lock = Mutex(())

    /// - Throws: a ``FramegrepError`` naming the file when it is missing or damaged.
    init(reading path: String, with core: OpenVINOCore) throws {
        self.core = core
        self.path = path
        let runtime = core.runtime
        var model: OpaquePointer?
        try runtime.check(
            runtime.functions.core_read_model(core.pointer, path, nil, &model), "The model \(path) cannot be read")
        guard let model else { throw FramegrepError.neuralUnavailable("The model \(path) cannot be read.") }
        pointer = model
    }

    deinit { core.runtime.functions.model_free(pointer) }

    /// Makes the network ready to run on pictures of one size, `[1, 3, height, width]`, or of one height and any of
    /// `widths`.
    ///
    /// Takes 0.1 to 0.5 s and blocks. For a range of widths the library prepares anew, for some 10 ms, with the first
    /// picture of each.
    func compiled(widths: ClosedRange<Int>, height: Int, options: CompileOptions) throws -> CompiledModel {
        try lock.withLock { _ in
            let runtime = core.runtime
            let failure = "The model \(path) cannot be prepared for \(widths.upperBound)×\(height) pixels"
            var dimensions = [1...1, 3...3, height...height, widths].map {
                ov_dimension_t(min: Int64($0.lowerBound), max: Int64($0.upperBound))
            }
            let status = dimensions.withUnsafeMutableBufferPointer { dimensions in
                let shape = ov_partial_shape_t(rank: ov_dimension_t(min: 4, max: 4), dimensions: dimensions.baseAddress)
                return runtime.functions.model_reshape_single_input(pointer, shape)
            }
            try runtime.check(status, failure)
            var compiled: OpaquePointer?
            try runtime.check(
                options.withProperties { properties in
                    runtime.functions.core_compile_model_props(
                        core.pointer, pointer, "CPU", properties.count, properties.baseAddress, &compiled)
                }, failure)
            guard let compiled else { throw FramegrepError.neuralUnavailable(failure + ".") }
            return CompiledModel(takingOwnershipOf: compiled, widths: widths, height: height, core: core)
        }
    }
}
