import Errors
import Foundation
import TextSpotting
import Threads

extension LiveSession {
    /// Turns something at the source and says in the window where it stands now, or why it cannot be turned.
    ///
    /// Returns at once: a camera may take a second. Turns are made one after the other.
    func turn(_ knob: CameraKnob, _ turn: CameraTurn) {
        guard let camera else {
            return window.say(
                "This source has no \(knob.rawValue) to turn.", kind: .failure, for: .seconds(2))
        }
        cameraTurns.start { [window] in
            do throws(FramegrepError) {
                window.say(try camera.turn(knob, turn), for: .seconds(2))
            } catch {
                window.say(error.message, kind: .failure)
            }
        }
    }

    /// The source has a light that can be turned on.
    var hasLight: Bool { camera?.knobs.contains(.torch) ?? false }
}

/// Where cameras are turned: it may take a while, and the order counts.
private let cameraTurns = SerialQueue("framegrep.camera-turns")
