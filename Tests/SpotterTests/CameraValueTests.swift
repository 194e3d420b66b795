import Testing

@testable import Cameras
@testable import Spotter

@Suite struct CameraValueTests {
    private func control(_ kind: CameraControl.Kind, _ low: Int = 0, _ high: Int = 255, _ entries: [Int: String] = [:])
        -> CameraControl
    {
        CameraControl(id: 1, name: "x", kind: kind, minimum: low, maximum: high, standard: 7, entries: entries)
    }

    @Test func numbersInRange() {
        let brightness = control(.integer, -64, 64)
        #expect(brightness.value(from: "-64") == -64)
        #expect(brightness.value(from: "default") == 7)
        for text in ["65", "", "on", "1.5", "0x10", "99999999999999999999"] {
            #expect(brightness.value(from: text) == nil, "\(text)")
        }
    }

    @Test func switchesAreOnOrOff() {
        #expect(["on", "ON", "true", "1"].allSatisfy { control(.boolean, 0, 1).value(from: $0) == 1 })
        #expect(["off", "no", "0"].allSatisfy { control(.boolean, 0, 1).value(from: $0) == 0 })
        #expect(control(.boolean, 0, 1).value(from: "2") == nil)
    }

    @Test func menusTakeNumbersAndNames() {
        let exposure = control(.menu, 0, 3, [1: "Manual Mode", 3: "Aperture Priority Mode"])
        #expect(exposure.value(from: "3") == 3)
        #expect(exposure.value(from: "manual mode") == 1)
        #expect(exposure.value(from: "2") == nil)
        #expect(exposure.range == "1 (Manual Mode), 3 (Aperture Priority Mode)")
    }
}
