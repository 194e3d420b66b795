import COpenVINO
import Errors
import Glibc

/// A network as OpenVINO runs it, one inference at a time; owns it. Thread-safe.
// OpenVINO documents compiled models as safe to use from several threads: two that want a request at once, or its kept form,
// do no harm. Where nothing is exported several requests share this one, and OpenVINO has their inferences wait for each
// other.
final class CompiledNetwork: @unchecked Sendable {
    // Held as long as what was made by it.
    private let core: OpenVINOCore
    private let pointer: OpaquePointer
    // Where its weights are; nil for one that was compiled, which has its own.
    private let origin: KeptNetwork?

    /// - Parameter origin: the bytes that it was imported from.
    init(takingOwnershipOf pointer: OpaquePointer, core: OpenVINOCore, from origin: KeptNetwork? = nil) {
        self.pointer = pointer
        self.core = core
        self.origin = origin
    }

    deinit { core.runtime.functions.compiled_model_free(pointer) }

    /// Another network of the same; nil if OpenVINO gives none. Takes a third of the time of compiling it.
    func another() -> CompiledNetwork? {
        guard core.canExport else { return nil }
        return (origin ?? kept().map(KeptNetwork.init)).flatMap(core.network(from:))
    }

    /// The form in which it can be kept; nil if OpenVINO gives none.
    ///
    /// OpenVINO's C interface writes it to a file only: to one that is in memory and has no name.
    func kept() -> [UInt8]? {
        let file = fg_openvino_memory_file()
        guard file >= 0 else { return nil }
        defer { close(file) }
        let path = "/proc/self/fd/\(file)"
        guard core.runtime.functions.compiled_model_export_model(pointer, path) == ovOK else { return nil }
        return WholeFile.read(file)
    }

    /// Makes room for one inference.
    func request() throws -> InferenceRequest {
        let failure = "OpenVINO cannot make room to run a model"
        var request: OpaquePointer?
        try core.runtime.check(
            core.runtime.functions.compiled_model_create_infer_request(pointer, &request), failure)
        guard let request else { throw FramegrepError.neuralUnavailable(failure + ".") }
        return InferenceRequest(takingOwnershipOf: request, of: self, runtime: core.runtime)
    }
}
