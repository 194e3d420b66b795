import Errors
import Testing
import TextSpotting

@testable import Cameras

/// Tests without a camera; `scripts/check camera` tests with one.
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

/// Controls with values that no driver should report, but some do.
@Suite struct OddControlTests {
    private func control(_ low: Int, _ high: Int) -> CameraControl {
        CameraControl(id: 1, name: "x", kind: .integer, minimum: low, maximum: high, standard: 0)
    }

    @Test func numbersTheWrongWayRound() {
        let odd = control(5, 2)
        #expect(odd.reach == 0)
        let values: [Double] = [-1, 3, 9, .nan, .infinity]
        #expect(values.map { odd.nearest(to: $0) } == [5, 5, 2, 5, 2])
    }

    @Test func numbersOfAllBits() {
        let wide = control(.min, .max)
        #expect(wide.reach > 1.8e19)
        #expect(wide.nearest(to: .infinity) == .max && wide.nearest(to: -1e300) == .min)
        #expect(wide.nearest(to: 9_223_372_036_854_775_808) == .max && wide.nearest(to: .nan) == .min)
        #expect(wide.nearest(to: -7.4) == -7)
        let usual = control(0, 255)
        #expect(usual.nearest(to: 254.6) == 255 && usual.nearest(to: 0.4) == 0 && usual.nearest(to: .nan) == 0)
    }

    @Test func menusOfAnySize() {
        #expect(CameraControl.menuNumbers(from: 0, to: 3) == 0...3)
        #expect(CameraControl.menuNumbers(from: 0, to: 255) == 0...255)
        #expect(CameraControl.menuNumbers(from: 255, to: 255) == 255...255)
        #expect(CameraControl.menuNumbers(from: 256, to: 300) == 256...300)
        #expect(CameraControl.menuNumbers(from: -4, to: 2) == 0...2)
        #expect(CameraControl.menuNumbers(from: 0, to: .max) == 0...255)
        #expect(CameraControl.menuNumbers(from: 3, to: 1) == nil && CameraControl.menuNumbers(from: -5, to: -1) == nil)
        #expect(CameraControl.menuNumbers(from: 1 << 32, to: .max) == nil)
        #expect(CameraControl.menuNumbers(from: 4_294_967_290, to: .max) == 4_294_967_290...UInt32.max)
    }
}
