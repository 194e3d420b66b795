import Errors
import TextSpotting
import Threads

/// Changes a source's settings, and shows their values in the window. Thread-safe.
struct CameraTurns: Sendable {
    /// Nil if the source has nothing to turn.
    let camera: (any CameraControls)?
    let notices: PictureNotices

    /// Turns something at the source and says where it stands now, or why it cannot be turned.
    ///
    /// Returns at once: a camera may take a second. Turns are made one after the other.
    ///
    /// - Parameter done: called once it is turned.
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

    /// The settings that can be turned.
    var knobs: [CameraKnob] { camera?.knobs ?? [] }

    /// The source has a light that can be turned on.
    var hasLight: Bool { knobs.contains(.torch) }
}

/// Where cameras are turned: it may take a while, and the order counts.
private let cameraTurns = SerialQueue("framegrep.camera-turns")
