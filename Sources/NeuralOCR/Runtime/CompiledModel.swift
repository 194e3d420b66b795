import COpenVINO
import Errors
import Synchronization
import Threads

/// A network made ready for one input size (or one height and some widths), and its idle requests; owns OpenVINO's compiled model.
// OpenVINO's compiled model is safe to use from several threads; the list of requests is behind a lock.
final class CompiledModel: @unchecked Sendable {
    /// In pixels.
    let widths: ClosedRange<Int>
    /// In pixels.
    let height: Int
    private let core: OpenVINOCore
    private let pointer: OpaquePointer
    private let idle = Mutex<[InferenceRequest]>([])

    init(takingOwnershipOf pointer: OpaquePointer, widths: ClosedRange<Int>, height: Int, core: OpenVINOCore) {
        self.core = core
        self.pointer = pointer
        self.widths = widths
        self.height = height
    }

    deinit {
        idle.withLock { $0.removeAll() }
        core.runtime.functions.compiled_model_free(pointer)
    }

    /// Lends a request of this network to the calling thread; blocks it until the network has run.
    ///
    /// - Parameters:
    ///   - width: of the input, in pixels; one of ``widths``.
    ///   - cancellation: stops the network in the middle when it is cancelled.
    ///   - fill: writes the input: three planes of `width * height` numbers.
    ///   - body: reads the output, which is valid only inside it.
    /// - Throws: `CancellationError` when cancelled.
    func run<Result>(
        width: Int, _ cancellation: CancellationFlag, fill: (UnsafeMutableBufferPointer<Float>) throws -> Void,
        _ body: (NetworkOutput) throws -> Result
    ) throws -> Result {
        let request = try idle.withLock { $0.popLast() } ?? makeRequest()
        defer { idle.withLock { $0.append(request) } }
        precondition(widths.contains(width), "a network runs on the sizes it was made ready for")
        return try request.run(cancellation, shape: [1, 3, height, width], fill: fill, body)
    }

    private func makeRequest() throws -> InferenceRequest {
        var request: OpaquePointer?
        try core.runtime.check(
            core.runtime.functions.compiled_model_create_infer_request(pointer, &request),
            "OpenVINO cannot make room to run a model")
        guard let request else { throw FramegrepError.neuralUnavailable("OpenVINO cannot make room to run a model.") }
        return InferenceRequest(takingOwnershipOf: request, runtime: core.runtime)
    }
}
