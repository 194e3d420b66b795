import Testing
import TextSpotting

@testable import Cameras

/// What can be seen without a camera; `scripts/test-camera` has one.
@Suite struct CameraTests {
    @Test func aDeviceThatIsNotThereSaysSo() {
        let error = #expect(throws: FramegrepError.self) { try Camera.find("/dev/video4711") }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("/dev/video4711 cannot be used: there is no such device.") == true)
    }

    @Test func aFileThatIsNoCameraSaysSo() {
        let error = #expect(throws: FramegrepError.self) { try Camera.find("/dev/null") }
        #expect(error?.message.contains("it gives no pictures") == true)
    }

    @Test func aNameThatNoCameraHasIsAnError() {
        #expect(throws: FramegrepError.self) { try Camera.find("no camera has this name") }
    }

    @Test func controlNamesAreThoseOfOtherTools() {
        #expect(CameraControl.key(of: "White Balance, Automatic") == "white_balance_automatic")
        #expect(CameraControl.key(of: "Gain") == "gain")
        #expect(CameraControl.key(of: " S-Video  (Out)") == "s_video_out")
    }

    @Test func changesAreWhatWentCameAndChanged() {
        func camera(_ path: String, _ name: String, _ problem: CameraProblem? = nil) -> Camera {
            Camera(path: path, name: name, bus: "usb-\(name)", problem: problem, modes: [], controls: [])
        }
        let (a, b) = (camera("/dev/video0", "A"), camera("/dev/video2", "B"))
        let busy = camera("/dev/video2", "B", .busy(users: ["cheese (7)"]))
        let other = camera("/dev/video0", "C")
        #expect(CameraChanges.changes(from: [a, b], to: [a, b]) == [])
        #expect(CameraChanges.changes(from: [a], to: [a, b]) == [.added(b)])
        #expect(CameraChanges.changes(from: [a, b], to: [b]) == [.removed(a)])
        #expect(CameraChanges.changes(from: [a, b], to: [a, busy]) == [.changed(busy)])
        #expect(CameraChanges.changes(from: [a], to: [other]) == [.removed(a), .added(other)])
    }

    @Test func whoUsesACameraIsNamed() {
        #expect(CameraProblem.busy(users: ["cheese (7)"]).text == "it is in use by cheese (7)")
        #expect(CameraProblem.busy(users: []).text == "another program is using it")
    }
}
