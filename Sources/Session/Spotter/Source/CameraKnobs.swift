import Cameras
public import Errors
import Foundation
import Synchronization
import TextSpotting
import Threads

/// The controls of a V4L2 camera.
///
/// Each call queries the camera again, so that it sees changes by other programs too. Thread-safe, as the device is.
final class CameraKnobs: CameraControls {
    private let device: CameraDevice

    init(_ device: CameraDevice) {
        self.device = device
    }

    var knobs: [CameraKnob] {
        CameraKnob.allCases.filter { knob in
            switch knob {
            case .zoom: zoomControl != nil
            case .torch: device.control(KnownControl.flashMode)?.entries[Self.torch] != nil
            case .autofocus: (device.control(KnownControl.autofocus) ?? device.control(KnownControl.focusOnce)) != nil
            case .exposure: (device.control(KnownControl.exposureMode) ?? exposureValue) != nil
            case .brightness: device.control(KnownControl.brightness) != nil
            }
        }
    }

    func turn(_ knob: CameraKnob, _ turn: CameraTurn) throws(FramegrepError) -> String {
        switch knob {
        case .zoom: try zoom(turn)
        case .torch: try torch(turn)
        case .autofocus: try autofocus(turn)
        case .exposure: try exposure(turn)
        case .brightness: try brightness(turn)
        }
    }

    // MARK: Each

    /// The camera's zoom, where its numbers can be read as factors: 100 to 500 is 1 to 5 times. One that counts from 0
    /// does not say how much it enlarges, so the digital zoom is taken instead.
    private var zoomControl: CameraControl? {
        device.control(KnownControl.zoom).flatMap { $0.minimum > 0 && $0.maximum > $0.minimum ? $0 : nil }
    }

    private func zoom(_ turn: CameraTurn) throws(FramegrepError) -> String {
        let control = try found(zoomControl, .zoom)
        let widest = Double(control.minimum)
        let now = Double(control.value ?? control.minimum)
        let wanted: Double
        switch turn {
        case .up: wanted = max(now * 1.25, now + Double(control.step))
        case .down: wanted = min(now / 1.25, now - Double(control.step))
        case .off: wanted = widest
        case .to(let factor) where factor >= 1: wanted = widest * factor
        default: throw nonsense(.zoom, "a factor of 1 or more, such as 2")
        }
        let set = try set(control, wanted)
        return String(format: "zoom %.0f %%", Double(set) / widest * 100)
    }

    private static let torch = 2

    private func torch(_ turn: CameraTurn) throws(FramegrepError) -> String {
        let control = try found(device.control(KnownControl.flashMode), .torch)
        let isOn = try isOn(turn, now: control.value == Self.torch, .torch)
        try device.set(control, to: isOn ? Self.torch : 0)
        return isOn ? "torch on" : "torch off"
    }

    private func autofocus(_ turn: CameraTurn) throws(FramegrepError) -> String {
        let always = device.control(KnownControl.autofocus)
        if turn == .once {
            if let button = device.control(KnownControl.focusOnce) {
                try device.set(button, to: 1)
                return "focusing once"
            }
            let always = try found(always, .autofocus)
            try device.set(always, to: 1)
            BlockingSleep.sleep(Self.focusingTime)
            try device.set(always, to: 0)
            return "focused once"
        }
        let control = try found(always, .autofocus)
        let isOn = try isOn(turn, now: control.value == 1, .autofocus)
        try device.set(control, to: isOn ? 1 : 0)
        return isOn ? "autofocus on" : "autofocus off"
    }

    /// The time for which a camera that only focuses continuously may focus.
    private static let focusingTime = Duration.milliseconds(1500)

    private var exposureValue: CameraControl? {
        device.control(KnownControl.exposureTime) ?? device.control(KnownControl.exposure)
    }

    private func exposure(_ turn: CameraTurn) throws(FramegrepError) -> String {
        let mode = device.control(KnownControl.exposureMode)
        if turn == .automatic || turn == .on {
            let mode = try found(mode, .exposure)
            try device.set(mode, to: [3, 0, 2].first { mode.entries[$0] != nil } ?? mode.standard)
            return "exposure automatic"
        }
        if let mode, mode.entries[1] != nil, mode.value != 1 { try device.set(mode, to: 1) }
        let control = try found(exposureValue, .exposure)
        // Twice the light is a visible step; for a control without a unit, use a tenth of its range.
        let isTime = control.id == KnownControl.exposureTime
        let now = Double(control.value ?? control.standard)
        let step = max(Double(control.step), control.reach / 10)
        let wanted: Double
        switch turn {
        case .up: wanted = isTime ? max(now * 1.5, now + Double(control.step)) : now + step
        case .down: wanted = isTime ? now / 1.5 : now - step
        case .to(let value): wanted = value
        default: throw nonsense(.exposure, "auto or a number, \(control.range)")
        }
        return "exposure \(try set(control, wanted)) of \(control.range)"
    }

    private func brightness(_ turn: CameraTurn) throws(FramegrepError) -> String {
        let control = try found(device.control(KnownControl.brightness), .brightness)
        let now = Double(control.value ?? control.standard)
        let step = max(Double(control.step), control.reach / 16)
        let wanted: Double
        switch turn {
        case .up: wanted = now + step
        case .down: wanted = now - step
        case .to(let value): wanted = value
        default: throw nonsense(.brightness, "a number, \(control.range)")
        }
        return "brightness \(try set(control, wanted)) of \(control.range)"
    }

    // MARK: Pieces

    /// Sets the nearest value that the control accepts, and returns it.
    private func set(_ control: CameraControl, _ value: Double) throws(FramegrepError) -> Int {
        let bounded = control.nearest(to: value)
        try device.set(control, to: bounded)
        return device.control(control.id)?.value ?? bounded
    }

    private func isOn(_ turn: CameraTurn, now: Bool, _ knob: CameraKnob) throws(FramegrepError) -> Bool {
        switch turn {
        case .on, .up: return true
        case .off, .down: return false
        case .toggle: return !now
        default: throw nonsense(knob, "on or off")
        }
    }

    private func found(_ control: CameraControl?, _ knob: CameraKnob) throws(FramegrepError) -> CameraControl {
        guard let control else {
            let list = device.controls.map(\.name).joined(separator: ", ")
            throw FramegrepError(
                .badArgument, "The camera \(device.path) has no control for \(knob.rawValue). It has: \(list).")
        }
        return control
    }

    private func nonsense(_ knob: CameraKnob, _ takes: String) -> FramegrepError {
        FramegrepError(.badArgument, "The camera's \(knob.rawValue) takes \(takes).")
    }
}

/// A setting of a running source that the user can change; the raw values are the names of the command's options.
public enum CameraKnob: String, Sendable, CaseIterable {
    case zoom, torch, autofocus, exposure, brightness
}

/// A change to a setting.
public enum CameraTurn: Sendable, Hashable {
    /// One step, for a key press. Steps are large enough to be visible.
    case up, down
    case on, off, toggle
    /// Autofocus: focus now, then stay.
    case once
    /// Exposure: the camera chooses.
    case automatic
    /// Zoom: a factor, 1 or more. Exposure and brightness: the camera's own value.
    case to(Double)
}

/// The controls of a running source, used by the window's keys and by options.
///
/// Thread-safe. A call takes as long as the camera takes, up to a second: do not call it on the display thread.
public protocol CameraControls: Sendable {
    /// The settings that this source has.
    var knobs: [CameraKnob] { get }

    /// Changes a control.
    ///
    /// - Returns: its new value, for the window: `brightness 140 of 0 to 255`.
    /// - Throws: `FramegrepError` (`badArgument`) if the source lacks it, naming what it has instead, or if the change
    ///   makes no sense for it; `sourceUnavailable` if the camera refused or is gone.
    func turn(_ knob: CameraKnob, _ turn: CameraTurn) throws(FramegrepError) -> String
}

/// The controls of a source that may be opened again: the camera's own, and the digital zoom if it has none.
final class SourceControls: CameraControls {
    private let zoom: DigitalZoom
    private let own = Mutex<(any CameraControls)?>(nil)

    /// The factor of one key press.
    private static let zoomStep = 1.25

    init(zoom: DigitalZoom) {
        self.zoom = zoom
    }

    /// Sets the camera's own controls; nil if it has none, or is gone.
    func attach(_ controls: (any CameraControls)?) { own.withLock { $0 = controls } }

    var knobs: [CameraKnob] {
        let own = own.withLock { $0 }?.knobs ?? []
        return own.contains(.zoom) ? own : [.zoom] + own
    }

    func turn(_ knob: CameraKnob, _ turn: CameraTurn) throws(FramegrepError) -> String {
        let own = own.withLock { $0 }
        if let own, own.knobs.contains(knob) { return try own.turn(knob, turn) }
        guard knob == .zoom else {
            let list = knobs.map(\.rawValue).joined(separator: ", ")
            throw FramegrepError(.badArgument, "This source has no control for \(knob.rawValue); it has \(list).")
        }
        return try zoomDigitally(turn)
    }

    private func zoomDigitally(_ turn: CameraTurn) throws(FramegrepError) -> String {
        switch turn {
        case .up: zoom.set(zoom.factor * Self.zoomStep)
        case .down: zoom.set(zoom.factor / Self.zoomStep)
        case .to(let factor) where factor >= 1 && factor <= DigitalZoom.maximum: zoom.set(factor)
        case .off: zoom.set(1)
        default:
            throw FramegrepError(
                .badArgument, "Zoom takes a factor from 1 to \(Int(DigitalZoom.maximum)), such as 2.")
        }
        return "zoom \(Int((zoom.factor * 100).rounded())) %"
    }
}

/// Changes a source's settings, and shows their values in the window. Thread-safe.
struct CameraTurns: Sendable {
    /// The controls; nil if the source has none.
    let camera: (any CameraControls)?
    let notices: PictureNotices

    /// Changes a setting of the source and shows its new value, or why it cannot be changed.
    ///
    /// Returns at once, because a camera may take a second. Changes are made one after the other.
    ///
    /// - Parameter done: called after the change.
    func turn(_ knob: CameraKnob, _ turn: CameraTurn, done: @escaping @Sendable () -> Void = {}) {
        guard let camera else {
            return notices.say("This source has no \(knob.rawValue) to turn.", kind: .failure, for: .seconds(2))
        }
        cameraTurns.start { [notices] in
            do throws(FramegrepError) {
                notices.say(try camera.turn(knob, turn), for: .seconds(2))
                done()
            } catch {
                notices.say(error.message, kind: .failure)
            }
        }
    }

    /// The settings that can be changed.
    var knobs: [CameraKnob] { camera?.knobs ?? [] }

    /// Whether the source has a light that can be turned on.
    var hasLight: Bool { knobs.contains(.torch) }
}

/// The queue for changing settings: it may take a while, and the order matters.
private let cameraTurns = SerialQueue("framegrep.camera-turns")
