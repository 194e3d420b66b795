import COpenVINO
import Errors
internal import Foundation
import Synchronization
import Threads

/// The output of a network: its shape, and its numbers row by row. Valid only inside the closure that gets it.
struct NetworkOutput {
    let shape: [Int]
    let values: UnsafeBufferPointer<Float>
}

/// The memory for one inference at a time; owns OpenVINO's request.
// One thread at a time uses a request; only `cancel()` is called by others, which OpenVINO allows at any time.
final class InferenceRequest: @unchecked Sendable {
    private let runtime: OpenVINORuntime
    private let pointer: OpaquePointer
    // Kept as long as its request.
    private let network: CompiledNetwork
    /// The widths that it has run on; each costs some 10 ms once. Accessed only by ``CompiledModel``, while that is locked.
    fileprivate var widths: Set<Int> = []
    /// The width that it ran on last. Another one makes the network lay out its memory again, which takes a
    /// millisecond: half as long as reading a short line.
    fileprivate var width = 0

    init(takingOwnershipOf pointer: OpaquePointer, of network: CompiledNetwork, runtime: OpenVINORuntime) {
        self.pointer = pointer
        self.network = network
        self.runtime = runtime
    }

    deinit { runtime.functions.infer_request_free(pointer) }

    /// Returns which of several requests should run on a width: one that ran on it last, otherwise the one that has
    /// run on it and was used longest ago, so that frequent widths stay laid out. If none has, it is the one used last:
    /// each further width costs an instance time and memory.
    ///
    /// - Parameter requests: the last width and all widths of each, the one used longest ago first; not empty.
    static func choice(for width: Int, among requests: [(last: Int, all: Set<Int>)]) -> Int {
        requests.lastIndex { $0.last == width } ?? requests.firstIndex { $0.all.contains(width) } ?? requests.count - 1
    }

    func run<Result>(
        _ cancellation: CancellationFlag, shape wanted: [Int], fill: (UnsafeMutableBufferPointer<Float>) throws -> Void,
        _ body: (NetworkOutput) throws -> Result
    ) throws -> Result {
        try withTensor(runtime.functions.infer_request_get_input_tensor, shapedAs: wanted) { values, shape in
            guard shape == wanted else {
                throw FramegrepError.neuralUnavailable(
                    "A model expects input of the shape \(shape), which framegrep does not know.")
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

    /// Calls `body` with the numbers of one of the request's tensors, after giving it a shape if one is given.
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
        try runtime.check(functions.tensor_get_shape(tensor, &dimensions), "OpenVINO does not report a tensor's shape")
        defer { _ = functions.shape_free(&dimensions) }
        let shape = UnsafeBufferPointer(start: dimensions.dimensions, count: Int(dimensions.rank)).map { Int($0) }
        var data: UnsafeMutableRawPointer?
        try runtime.check(functions.tensor_data(tensor, &data), "OpenVINO does not give access to a tensor's numbers")
        let count = shape.reduce(1, *)
        return try body(
            UnsafeMutableBufferPointer(
                start: data?.assumingMemoryBound(to: Float.self), count: data == nil ? 0 : count), shape)
    }
}

/// A network prepared for one input size (or one height and some widths). Thread-safe.
///
/// One compiled instance runs one inference at a time. Another is made once inferences have waited for each other for
/// as long as making it takes: so no search waits more than twice as long as it would with the best choice, and a short
/// clip, whose networks seldom wait, makes no more than it needs. Every instance reads the same to the last digit.
// Mutable state is accessed only while `condition` is locked.
final class CompiledModel: @unchecked Sendable {
    /// The cost of another instance: 50 ms for a detector and 25 for a recognizer, which then takes 8 for each new line
    /// width.
    private static let costOfAnother = Duration.milliseconds(120)

    /// In pixels.
    let widths: ClosedRange<Int>
    /// In pixels.
    let height: Int
    /// The first compiled network, from which others are made; if OpenVINO cannot do that, inferences share it.
    private let first: CompiledNetwork
    /// The largest number of instances.
    private let most: Int
    private let condition = NSCondition()
    private var forms = 1
    private var idle: [InferenceRequest]
    /// The time that inferences have waited since the last instance was made.
    private var waited = Duration.zero

    init(_ network: CompiledNetwork, widths: ClosedRange<Int>, height: Int, mostForms: Int = .max) throws {
        most = mostForms
        self.widths = widths
        self.height = height
        first = network
        idle = [try network.request()]
        network.letGoOfBytes()
        fg_openvino_return_free_memory()
    }

    /// Runs the network on a request, and blocks the calling thread meanwhile.
    ///
    /// - Parameters:
    ///   - width: the width of the input, in pixels; one of ``widths``.
    ///   - cancellation: stops the network in the middle when cancelled.
    ///   - fill: writes the input: three planes of `width * height` numbers.
    ///   - body: reads the output, which is valid only inside it.
    /// - Throws: `CancellationError` when cancelled.
    func run<Result>(
        width: Int, _ cancellation: CancellationFlag, fill: (UnsafeMutableBufferPointer<Float>) throws -> Void,
        _ body: (NetworkOutput) throws -> Result
    ) throws -> Result {
        let request = try take(width) ?? another()
        defer { giveBack(request, width) }
        precondition(widths.contains(width), "a network runs on the sizes it was made ready for")
        return try request.run(cancellation, shape: [1, 3, height, width], fill: fill, body)
    }

    /// Returns a request that is or becomes idle, preferably one that has run on the width; nil if another one should
    /// be created.
    private func take(_ width: Int) -> InferenceRequest? {
        condition.withLock {
            guard idle.isEmpty else { return known(width) }
            if waited >= Self.costOfAnother, forms < most {
                waited = .zero
                forms += 1
                return nil
            }
            let begun = ContinuousClock.now
            while idle.isEmpty { condition.wait() }
            waited += ContinuousClock.now - begun
            return known(width)
        }
    }

    /// Takes an idle request.
    private func known(_ width: Int) -> InferenceRequest {
        idle.remove(at: InferenceRequest.choice(for: width, among: idle.map { ($0.width, $0.widths) }))
    }

    private func giveBack(_ request: InferenceRequest, _ width: Int) {
        condition.withLock {
            if request.widths.insert(width).inserted { first.letGoOfBytes() }
            request.width = width
            idle.append(request)
            condition.signal()
        }
    }

    /// Creates a request for an additional concurrent inference.
    private func another() throws -> InferenceRequest {
        try (first.another() ?? first).request()
    }
}

/// A network for several input sizes, each compiled when it is first needed; if there are too many, those unused for longest are
/// released.
final class CompiledModels: Sendable {
    private struct Size: Hashable {
        var widths: ClosedRange<Int>
        var height: Int
    }
    private struct State {
        var ready: [Size: CompiledModel] = [:]
        /// In the order of their last use, the latest last.
        var order: [Size] = []
    }
    private let model: NeuralModel
    private let limit: Int
    private let mostForms: Int
    private let state = Mutex(State())
    private let compiling = Mutex(())

    /// - Parameters:
    ///   - limit: the largest number of sizes that are kept.
    ///   - mostForms: the largest number of concurrent inferences of one size.
    init(_ model: NeuralModel, limit: Int, mostForms: Int = .max) {
        self.model = model
        self.limit = limit
        self.mostForms = mostForms
    }

    /// Returns the network for pictures of one size; blocks while it is compiled for the first time.
    func model(width: Int, height: Int) throws -> CompiledModel { try model(widths: width...width, height: height) }

    /// Returns the network for pictures of one height and any of `widths`; blocks while it is compiled for the first time.
    func model(widths: ClosedRange<Int>, height: Int) throws -> CompiledModel {
        let size = Size(widths: widths, height: height)
        if let ready = take(size) { return ready }
        return try compiling.withLock { _ in
            if let ready = take(size) { return ready }
            let made = try model.compiled(widths: widths, height: height, mostForms: mostForms)
            state.withLock {
                $0.ready[size] = made
                $0.order.append(size)
                if $0.order.count > limit { $0.ready[$0.order.removeFirst()] = nil }
            }
            return made
        }
    }

    private func take(_ size: Size) -> CompiledModel? {
        state.withLock {
            guard let ready = $0.ready[size] else { return nil }
            $0.order.removeAll { $0 == size }
            $0.order.append(size)
            return ready
        }
    }
}
