import COpenVINO
import Errors
import Glibc
import Synchronization
import TextSpotting

/// OpenVINO's entry object, set up for one way of running networks; owns it and frees it in `deinit`.
// OpenVINO documents that its core object is safe to use from several threads; it is set up before it is shared.
final class OpenVINOCore: @unchecked Sendable {
    let runtime: OpenVINORuntime
    /// Identifies everything besides the network that a compiled network depends on: the library, the processor, and
    /// how it is run.
    let fingerprint: String
    private let pointer: OpaquePointer

    private let device: NeuralDevice
    /// Whether compiled networks can be exported and imported.
    var canExport: Bool { device.isCPU }

    private static let processor = "CPU"

    init(_ runtime: OpenVINORuntime, _ options: CompileOptions) throws {
        self.runtime = runtime
        device = options.device
        var core: OpaquePointer?
        try runtime.check(runtime.functions.core_create(&core), "OpenVINO does not start")
        guard let core else { throw FramegrepError.neuralUnavailable("OpenVINO does not start.") }
        pointer = core
        var parts = [runtime.version]
        parts.append(try Self.property("FULL_DEVICE_NAME", of: core, runtime))
        parts.append(try Self.property("OPTIMIZATION_CAPABILITIES", of: core, runtime))
        for (key, value) in options.texts { parts.append("\(key)=\(value)") }
        fingerprint = parts.joined(separator: "\n")
        for (key, value) in options.texts { try set(key, to: value) }
        try checkDevice()
    }

    /// The available devices, the processor first.
    func devices() -> [FoundDevice] {
        var found = ov_available_devices_t()
        guard runtime.functions.core_get_available_devices(pointer, &found) == ovOK else { return [] }
        defer { runtime.functions.available_devices_free(&found) }
        return (0..<found.size).compactMap { number in
            guard let name = found.devices[number].map({ String(cString: $0) }) else { return nil }
            return FoundDevice(
                name: name, fullName: (try? Self.property("FULL_DEVICE_NAME", of: pointer, runtime, name)) ?? "")
        }
    }

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) that names the missing device and the existing ones.
    private func checkDevice() throws {
        guard !device.isCPU else { return }
        let there = devices().map(\.name)
        for part in device.parts where !there.contains(where: { $0 == part || $0.hasPrefix(part + ".") }) {
            throw FramegrepError(
                .engineUnavailable,
                "The networks cannot run on \(part): OpenVINO finds \(there.joined(separator: ", ")) here. A graphics card or NPU needs its driver, and what 'framegrep setup --devices' installs; without --compute the processor reads."
            )
        }
        guard let virtual = device.virtual else { return }
        guard (try? Self.property("SUPPORTED_PROPERTIES", of: pointer, runtime, virtual)) != nil else {
            throw FramegrepError(
                .engineUnavailable,
                "OpenVINO's part for \(virtual) is not installed: 'framegrep setup --devices' installs it; without --compute the processor reads."
            )
        }
    }

    deinit { runtime.functions.core_free(pointer) }

    private static func property(
        _ key: String, of core: OpaquePointer, _ runtime: OpenVINORuntime, _ device: String = processor
    ) throws -> String {
        var text: UnsafeMutablePointer<CChar>?
        try runtime.check(
            runtime.functions.core_get_property(core, device, key, &text), "OpenVINO does not know the processor")
        defer { runtime.functions.free_text(text) }
        return text.map { String(cString: $0) } ?? ""
    }

    private func set(_ key: String, to value: String) throws {
        var functions = runtime.functions
        let status = key.withCString { key in
            value.withCString { value in
                fg_openvino_set_property(&functions, pointer, Self.processor, ov_property_t(key: key, value: value))
            }
        }
        try runtime.check(status, "OpenVINO does not take the setting \(key)")
    }

    /// Reads a network from its file. The caller frees the result.
    ///
    /// - Throws: a ``FramegrepError`` naming the file when it is missing or damaged.
    func read(_ path: String) throws -> OpaquePointer {
        var model: OpaquePointer?
        let failure = "The model \(path) cannot be read"
        try runtime.check(runtime.functions.core_read_model(pointer, path, nil, &model), failure)
        guard let model else { throw FramegrepError.neuralUnavailable(failure + ".") }
        return model
    }

    /// Compiles a network. Takes 0.1 to 0.5 s and blocks.
    func compile(_ model: OpaquePointer, _ failure: String) throws -> CompiledNetwork {
        var compiled: OpaquePointer?
        try runtime.check(
            runtime.functions.core_compile_model_props(pointer, model, device.name, 0, nil, &compiled), failure)
        guard let compiled else { throw FramegrepError.neuralUnavailable(failure + ".") }
        return CompiledNetwork(takingOwnershipOf: compiled, core: self)
    }

    /// Imports a compiled network; nil if OpenVINO rejects it. Takes a third of the time of compiling it.
    func network(from kept: KeptNetwork) -> CompiledNetwork? {
        var compiled: OpaquePointer?
        let status = runtime.functions.core_import_model(
            pointer, kept.bytes.baseAddress?.assumingMemoryBound(to: CChar.self), kept.bytes.count, device.name,
            &compiled)
        guard status == ovOK, let compiled else { return nil }
        return CompiledNetwork(takingOwnershipOf: compiled, core: self, from: kept)
    }
}

/// A network as OpenVINO runs it, one inference at a time; owns it. Thread-safe.
// OpenVINO documents that compiled models are safe to use from several threads: two that request an inference or an export at once
// do no harm. If nothing can be exported, several requests share this one, and OpenVINO makes their inferences wait for each
// other.
final class CompiledNetwork: @unchecked Sendable {
    // Kept as long as anything that was made by it.
    private let core: OpenVINOCore
    private let pointer: OpaquePointer
    // The bytes with its weights; nil for a network that was compiled, which has its own.
    private let origin: KeptNetwork?

    /// - Parameter origin: the bytes that it was imported from.
    init(takingOwnershipOf pointer: OpaquePointer, core: OpenVINOCore, from origin: KeptNetwork? = nil) {
        self.pointer = pointer
        self.core = core
        self.origin = origin
    }

    deinit { core.runtime.functions.compiled_model_free(pointer) }

    /// Releases the memory of the bytes that it was imported from until they are accessed again, which happens for
    /// another width.
    func letGoOfBytes() { origin?.letGo() }

    /// Makes another instance; nil if OpenVINO cannot. Takes a third of the time of compiling it.
    func another() -> CompiledNetwork? {
        guard core.canExport else { return nil }
        return (origin ?? kept()).flatMap(core.network(from:))
    }

    /// Exports it to be stored; nil if OpenVINO cannot.
    ///
    /// OpenVINO's C interface only writes to a file, so an unnamed file in memory is used.
    func kept() -> KeptNetwork? {
        let file = fg_openvino_memory_file()
        guard file >= 0 else { return nil }
        defer { close(file) }
        let path = "/proc/self/fd/\(file)"
        guard core.runtime.functions.compiled_model_export_model(pointer, path) == ovOK else { return nil }
        return KeptNetwork(mapping: file, from: 0)
    }

    /// Creates a request, which runs one inference at a time.
    func request() throws -> InferenceRequest {
        let failure = "OpenVINO cannot allocate memory to run a model"
        var request: OpaquePointer?
        try core.runtime.check(
            core.runtime.functions.compiled_model_create_infer_request(pointer, &request), failure)
        guard let request else { throw FramegrepError.neuralUnavailable(failure + ".") }
        return InferenceRequest(takingOwnershipOf: request, of: self, runtime: core.runtime)
    }
}

/// The device that the networks run on, by OpenVINO's own names: `CPU`, `GPU`, `GPU.1`, `NPU`, `AUTO`, `AUTO:GPU,CPU`,
/// `HETERO:GPU,CPU`.
///
/// Reproducible results are guaranteed for the processor only. Other devices calculate with other precisions.
public struct NeuralDevice: Hashable, Sendable {
    /// The name, in uppercase.
    public let name: String

    public static let cpu = NeuralDevice(name: "CPU")

    private init(name: String) { self.name = name }

    /// - Parameter text: in uppercase or lowercase; the result is nil if it cannot be the name of a device.
    public init?(_ text: String) {
        let name = text.uppercased()
        let mayStand = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:,_-")
        guard let first = name.first, first.isLetter, name.count <= 64, name.allSatisfy(mayStand.contains) else {
            return nil
        }
        self.name = name
    }

    /// Whether compiled networks are exported and kept for the next run, which is done for the processor only.
    var isCPU: Bool { self == .cpu }

    /// AUTO or HETERO, which choose among devices; nil for a device itself.
    var virtual: String? {
        let head = String(name.prefix { $0 != ":" })
        return ["AUTO", "HETERO"].contains(head) ? head : nil
    }

    /// The devices that it names; empty for AUTO alone, which uses any available device.
    var parts: [String] {
        guard virtual != nil else { return [name] }
        return name.split(separator: ":", maxSplits: 1).dropFirst().flatMap {
            $0.split(separator: ",").map(String.init)
        }
    }
}

/// A device that the networks can run on here.
public struct FoundDevice: Hashable, Sendable {
    /// OpenVINO's name, such as `CPU` or `GPU.0`.
    public let name: String
    /// The manufacturer's name, such as `Intel(R) Arc(TM) A770 Graphics`.
    public let fullName: String
}

/// The OpenVINO library, opened at run time from a file; once open it stays open until the process ends.
// C function pointers, set before the object is shared and never changed; the library's functions are thread-safe.
final class OpenVINORuntime: @unchecked Sendable {
    /// OpenVINO's major version, whose C interface `COpenVINO` declares.
    static let supportedMajorVersion = "2026."

    let functions: fg_openvino_t
    /// The library's own version, such as `2026.4.1-22982-…`.
    let version: String

    private static let opened = Mutex<[String: OpenVINORuntime]>([:])

    /// Returns the library at `path`, which the first call opens.
    static func shared(at path: String) throws -> OpenVINORuntime {
        try opened.withLock { opened in
            if let runtime = opened[path] { return runtime }
            let runtime = try OpenVINORuntime(opening: path)
            opened[path] = runtime
            return runtime
        }
    }

    /// Opens the library at `path` and checks its version.
    /// - Throws: a ``FramegrepError`` naming the file when it is missing, damaged, or of another major version.
    init(opening path: String) throws {
        var table = fg_openvino_t()
        let refusal = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { message -> String? in
            let status = fg_openvino_open(path, &table, message.baseAddress, message.count)
            return status == 0 ? nil : message.baseAddress.map { String(cString: $0) } ?? "unknown reason"
        }
        if let refusal {
            throw FramegrepError.neuralUnavailable("The OpenVINO library \(path) cannot be opened: \(refusal).")
        }
        functions = table
        var version = ov_version_t()
        guard functions.get_openvino_version(&version) == ovOK, let number = version.build_number else {
            throw FramegrepError.neuralUnavailable("The OpenVINO library \(path) does not report its version.")
        }
        self.version = String(cString: number)
        functions.version_free(&version)
        guard self.version.hasPrefix(Self.supportedMajorVersion) else {
            throw FramegrepError.neuralUnavailable(
                "The OpenVINO library \(path) is version \(self.version), and only \(Self.supportedMajorVersion)x is supported."
            )
        }
        // The library would print its warnings to standard output otherwise.
        functions.util_set_log_callback(nil)
    }

    /// Throws the library's message about its last failure if `status` is one.
    func check(_ status: ov_status_t, _ what: @autoclosure () -> String) throws {
        guard status != ovOK else { return }
        throw FramegrepError.neuralUnavailable("\(what()): \(lastMessage()).")
    }

    /// The first line of the library's last error message.
    private func lastMessage() -> String {
        guard let text = functions.get_last_err_msg() else { return "OpenVINO gives no reason" }
        defer { functions.free_text(text) }
        let lines = String(cString: text).split(separator: "\n").map { $0.trimmingSpaces }
        let telling = lines.filter { !$0.isEmpty && !$0.hasPrefix("Exception from") && !$0.hasPrefix("Check '") }
        let reason = telling.first ?? lines.first ?? "OpenVINO gives no reason"
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }
}

/// The status of success.
let ovOK = ov_status_t(OV_STATUS_OK)

extension FramegrepError {
    /// Creates an ``Code/engineUnavailable`` error whose sentence ends with the usual remedy.
    static func neuralUnavailable(_ sentence: String) -> FramegrepError {
        FramegrepError(
            .engineUnavailable,
            sentence + " Run 'framegrep setup' to install it, or 'sudo framegrep setup --system' for all users.")
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

/// The numbers that the networks calculate with.
public enum NeuralPrecision: String, Hashable, Sendable, CaseIterable {
    /// 32-bit floating-point numbers.
    case float32 = "f32"
    /// 16-bit floating-point numbers (bfloat16); on a processor without instructions for them, OpenVINO calculates with 32 bits.
    case bfloat16 = "bf16"

    /// The precision that is faster on this processor (docs/NEURAL.md).
    static let fastest: NeuralPrecision = fg_openvino_bfloat16_is_slow() == 1 ? .float32 : .bfloat16

    /// Returns the precision that the user requests, for all engines of this process; nil if none is requested.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for an unknown name.
    static func asked() throws(FramegrepError) -> NeuralPrecision? {
        guard let name = getenv("FRAMEGREP_PRECISION").map({ String(cString: $0) }), !name.isEmpty else { return nil }
        if let precision = NeuralPrecision(rawValue: name) { return precision }
        throw FramegrepError(
            .badArgument,
            "FRAMEGREP_PRECISION is '\(name)', which is not known: set it to f32 or bf16, or leave it out to let the processor decide."
        )
    }
}

/// Options for running a network.
struct CompileOptions: Hashable, Sendable {
    /// The number of threads of one inference. OpenVINO adds numbers up in an order that depends on it, so results are the
    /// same for any number of inferences side by side only with 1.
    var threads: Int
    var device = NeuralDevice.cpu
    var precision = NeuralPrecision.fastest

    /// OpenVINO's names for the processor's options, and their values. AUTO and HETERO pass them on to the processor.
    var texts: [(key: String, value: String)] {
        [
            // Concurrent inferences have a compiled network each (docs/decisions/compiled-networks.md).
            ("NUM_STREAMS", "1"),
            ("INFERENCE_NUM_THREADS", String(threads)),
            // Pinned threads of two programs would fight for the same cores.
            ("ENABLE_CPU_PINNING", "NO"),
            // Without this OpenVINO leaves half of a virtual machine's cores idle.
            ("ENABLE_HYPER_THREADING", "YES"),
            ("INFERENCE_PRECISION_HINT", precision.rawValue),
        ]
    }
}
