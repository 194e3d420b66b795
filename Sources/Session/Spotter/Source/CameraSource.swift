public import Cameras
import Errors
import Synchronization
import Threads

/// A V4L2 camera as a source that can be unplugged and comes back.
public final class CameraSource: Sendable {
    private let wanted: String?
    private let mode: ModeRequest
    private let controls: [(name: String, value: String)]
    private let policy: LossPolicy
    /// The camera that was opened first; it may come back as another node.
    private let first = Mutex<Camera?>(nil)
    private let device = Mutex<CameraDevice?>(nil)

    /// - Parameters:
    ///   - wanted: a path, a part of a name, or nil for the first camera that can be used.
    ///   - controls: the controls to set, by the driver's names, with their values as a user writes them; set in this
    ///     order.
    public init(_ wanted: String?, _ mode: ModeRequest, controls: [(name: String, value: String)], waitsWhenLost: Bool)
    {
        (self.wanted, self.mode, self.controls) = (wanted, mode, controls)
        policy = waitsWhenLost ? .waitingCamera : .exitingCamera
    }

    /// The camera as a source of the live job.
    public var source: LiveSource {
        var source = LiveSource(
            policy: policy,
            // Drivers may take their time to answer.
            open: { try await DedicatedThread.runUnlessCancelled(named: "framegrep-camera") { try self.open() } },
            opened: { try await DedicatedThread.runUnlessCancelled(named: "framegrep-camera") { try self.set() } })
        source.explain = { self.explain($0) }
        return source
    }

    /// Finds the camera, chooses its mode, and checks that it has the controls to be set.
    ///
    /// - Throws: `FramegrepError` that says why it cannot be used, and which cameras there are.
    public func open() throws -> LiveSource.Opening {
        let camera = try find()
        let choice = mode.choice(among: camera.modes)
        do {
            let device = try CameraDevice(opening: camera.path)
            try controls.forEach { _ = try value(of: $0, at: device) }
            self.device.withLock { $0 = device }
        } catch let problem as CameraProblem {
            throw FramegrepError(
                .sourceUnavailable, "The camera \(camera.path) cannot be used: \(problem.text).")
        }
        first.withLock { $0 = $0 ?? camera }
        let filter = choice.map { "capsfilter caps=\"\($0.caps)\" ! " } ?? mode.caps
        let exception = choice.map { $0.isAsAsked ? "" : " (the nearest to what was asked for)" } ?? ""
        let nature = "\(camera.path) (\(camera.name))" + (choice.map { ": \($0.text)\(exception)" } ?? "")
        return LiveSource.Opening(
            description: SourceDescription.liveSource("v4l2://\(camera.path)", filter: filter), nature: nature,
            controls: device.withLock { $0 }.map { CameraKnobs($0) })
    }

    private func find() throws(FramegrepError) -> Camera {
        guard let known = first.withLock({ $0 }) else { return try Camera.find(wanted) }
        // Prefer the same plug, because two cameras may have one name.
        let candidates = Camera.all().filter { $0.name == known.name }
        let back =
            candidates.first { $0.bus == known.bus } ?? candidates.first { $0.problem == nil } ?? candidates.first
        guard let back else { throw gone(known) }
        guard let problem = back.problem else { return back }
        if problem == .notPermitted {
            throw FramegrepError(.sourceUnavailable, "There is no permission to open \(back.path) yet.")
        }
        throw FramegrepError(.sourceUnavailable, "The camera \(back.path) cannot be used: \(problem.text).")
    }

    private func gone(_ camera: Camera) -> FramegrepError {
        FramegrepError(.sourceUnavailable, "The camera \(camera.path) (\(camera.name)) was unplugged.")
    }

    private func explain(_ failure: FramegrepError) -> FramegrepError {
        // The node of an unplugged camera stays as long as it is open in any program, but it does not answer.
        device.withLock { device in
            guard let camera = first.withLock({ $0 }) else { return failure }
            guard device?.identity == nil else { return failure }
            // If it were held, its node's number would not be available to the camera when that comes back.
            device = nil
            return gone(camera)
        }
    }

    private func set() throws {
        guard let device = device.withLock({ $0 }) else { return }
        for setting in controls {
            let (control, value) = try value(of: setting, at: device)
            try device.set(control, to: value)
        }
    }

    private func value(
        of setting: (name: String, value: String), at device: CameraDevice
    ) throws(FramegrepError) -> (CameraControl, Int) {
        guard let control = device.control(named: setting.name) else {
            let list = device.controls.map(\.name).joined(separator: ", ")
            throw FramegrepError(
                .badArgument, "The camera \(device.path) has no control '\(setting.name)'. It has: \(list).")
        }
        guard let value = control.value(from: setting.value) else {
            throw FramegrepError(
                .badArgument, "The control \(control.name) takes \(control.range), not '\(setting.value)'.")
        }
        return (control, value)
    }
}

extension CameraControl {
    /// Returns the value that a user means: a number in range, on or off, or the name of a menu entry.
    func value(from text: String) -> Int? {
        let text = text.lowercased()
        switch kind {
        case .button: return 1
        case .boolean:
            if ["on", "true", "yes", "1"].contains(text) { return 1 }
            return ["off", "false", "no", "0"].contains(text) ? 0 : nil
        case .menu:
            if let entry = entries.first(where: { $0.value.lowercased() == text }) { return entry.key }
            return Int(text).flatMap { entries[$0] == nil ? nil : $0 }
        case .integer, .bitmask:
            if text == "default" { return standard }
            return Int(text).flatMap { (minimum...max(minimum, maximum)).contains($0) ? $0 : nil }
        }
    }
}
