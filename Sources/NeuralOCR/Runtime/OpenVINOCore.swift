import COpenVINO
import Errors

/// OpenVINO's entry object, set up for one way of running networks; owns it and frees it in `deinit`.
// OpenVINO documents its core object as safe to use from several threads; it is set up before it is shared.
final class OpenVINOCore: @unchecked Sendable {
    let runtime: OpenVINORuntime
    /// Identifies everything besides the network that a compiled network depends on: the library, the processor, and
    /// how it is to be run.
    let fingerprint: String
    private let pointer: OpaquePointer

    private let device: NeuralDevice
    /// What is compiled can be exported, and made again from that.
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

    /// The devices that are there, the processor first.
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

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) that names the device which is not there, and those that are.
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

    /// Reads a network from its file. The result is the caller's to free.
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

    /// A network from the form in which it was kept; nil if OpenVINO does not take it. Takes a third of the time.
    func network(from kept: KeptNetwork) -> CompiledNetwork? {
        var compiled: OpaquePointer?
        let status = runtime.functions.core_import_model(
            pointer, kept.bytes.baseAddress?.assumingMemoryBound(to: CChar.self), kept.bytes.count, device.name,
            &compiled)
        guard status == ovOK, let compiled else { return nil }
        return CompiledNetwork(takingOwnershipOf: compiled, core: self, from: kept)
    }
}
