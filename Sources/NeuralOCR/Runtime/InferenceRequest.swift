import COpenVINO
import Errors
import Threads

/// The output of a network: `shape` and its numbers, row by row. Valid only inside the closure that gets it.
struct NetworkOutput {
    let shape: [Int]
    let values: UnsafeBufferPointer<Float>
}

/// The room in which one inference runs; owns OpenVINO's request.
// One thread at a time holds a request; only `cancel()` comes from others, which OpenVINO allows at any time.
final class InferenceRequest: @unchecked Sendable {
    private let runtime: OpenVINORuntime
    private let pointer: OpaquePointer
    // Held as long as its room.
    private let network: CompiledNetwork

    init(takingOwnershipOf pointer: OpaquePointer, of network: CompiledNetwork, runtime: OpenVINORuntime) {
        self.pointer = pointer
        self.network = network
        self.runtime = runtime
    }

    deinit { runtime.functions.infer_request_free(pointer) }

    func run<Result>(
        _ cancellation: CancellationFlag, shape wanted: [Int], fill: (UnsafeMutableBufferPointer<Float>) throws -> Void,
        _ body: (NetworkOutput) throws -> Result
    ) throws -> Result {
        try withTensor(runtime.functions.infer_request_get_input_tensor, shapedAs: wanted) { values, shape in
            guard shape == wanted else {
                throw FramegrepError.neuralUnavailable(
                    "A model wants input of the shape \(shape), which is unknown here.")
            }
            try fill(values)
        }
        let status = try cancellation.withStop(cancel) { runtime.functions.infer_request_infer(pointer) }
        try cancellation.check()
        try runtime.check(status, "OpenVINO failed to run a model")
        return try withTensor(runtime.functions.infer_request_get_output_tensor) { values, shape in
            try body(NetworkOutput(shape: shape, values: UnsafeBufferPointer(values)))
        }
    }

    /// Stops the inference under way, if any; returns at once.
    @Sendable private func cancel() { _ = runtime.functions.infer_request_cancel(pointer) }

    /// Lends the numbers of one of the request's tensors, after giving it a shape if one is asked for.
    private func withTensor<Result>(
        _ get: (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> ov_status_t, shapedAs wanted: [Int]? = nil,
        _ body: (UnsafeMutableBufferPointer<Float>, [Int]) throws -> Result
    ) throws -> Result {
        let functions = runtime.functions
        var tensor: OpaquePointer?
        try runtime.check(get(pointer, &tensor), "OpenVINO lends no tensor")
        defer { functions.tensor_free(tensor) }
        if let wanted {
            var sizes = wanted.map { Int64($0) }
            let status = sizes.withUnsafeMutableBufferPointer {
                functions.tensor_set_shape(tensor, ov_shape_t(rank: Int64($0.count), dimensions: $0.baseAddress))
            }
            try runtime.check(status, "A model does not take input of the shape \(wanted)")
        }
        var dimensions = ov_shape_t()
        try runtime.check(functions.tensor_get_shape(tensor, &dimensions), "OpenVINO tells no tensor's shape")
        defer { _ = functions.shape_free(&dimensions) }
        let shape = UnsafeBufferPointer(start: dimensions.dimensions, count: Int(dimensions.rank)).map { Int($0) }
        var data: UnsafeMutableRawPointer?
        try runtime.check(functions.tensor_data(tensor, &data), "OpenVINO lends no tensor's numbers")
        let count = shape.reduce(1, *)
        return try body(
            UnsafeMutableBufferPointer(
                start: data?.assumingMemoryBound(to: Float.self), count: data == nil ? 0 : count), shape)
    }
}
