public import Errors
import TextSpotting

/// A setting of a running source that the user can turn; the raw values are the names of the command's options.
public enum CameraKnob: String, Sendable, CaseIterable {
    case zoom, torch, autofocus, exposure, brightness
}

/// How a knob is turned.
public enum CameraTurn: Sendable, Hashable {
    /// One step: a key was pressed. Steps are of a size that a user sees.
    case up, down
    case on, off, toggle
    /// Autofocus: focus now, then stay.
    case once
    /// Exposure: the camera chooses.
    case automatic
    /// Zoom: a factor, 1 or more. Exposure and brightness: the camera's own number.
    case to(Double)
}

/// The controls of a running source, turned from the window's keys and from options.
///
/// Thread-safe. A call takes as long as the camera takes, which can be a second: not for the display thread.
public protocol CameraControls: Sendable {
    /// The knobs that this source has.
    var knobs: [CameraKnob] { get }

    /// Turns a knob.
    ///
    /// - Returns: its new value, for the window: `brightness 140 of 0 to 255`.
    /// - Throws: `FramegrepError` (`badArgument`) if the source lacks it, with what it has instead, or where the turn
    ///   makes no sense for it; `sourceUnavailable` where the camera refused or is gone.
    func turn(_ knob: CameraKnob, _ turn: CameraTurn) throws(FramegrepError) -> String
}
