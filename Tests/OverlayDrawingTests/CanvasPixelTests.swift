import OverlayDrawing
import Painting
import Testing
import TextSpotting

@Suite struct CanvasPixelTests {
    @Test func brightnessHasTheWeightsOfBT601() throws {
        let canvas = try Canvas(width: 3, height: 1)
        for (x, color) in [0xFF0000, 0x00FF00, 0x0000FF].enumerated() {
            canvas.fill(Rect(x: Double(x), y: 0, width: 1, height: 1), OverlayColor(hex: UInt32(color)))
        }
        #expect(canvas.picture(.luma).bytes == [76, 149, 28])
        #expect(canvas.picture(.rgb).bytes == [255, 0, 0, 0, 255, 0, 0, 0, 255])
        #expect(try Canvas(canvas.picture(.rgb)).bgra == canvas.bgra)
    }

    @Test func blurKeepsTheBrightnessAndSpreadsIt() throws {
        let canvas = try Canvas(width: 60, height: 60, color: .black)
        canvas.fill(Rect(x: 25, y: 25, width: 10, height: 10), .white)
        try canvas.blur(sigma: 3)
        let bytes = canvas.picture(.luma).bytes
        let sum = bytes.reduce(0) { $0 + Int($1) }
        #expect(abs(sum - 25_500) < 2_600, "\(sum)")
        #expect(bytes[30 * 60 + 30] > 150 && bytes[30 * 60 + 22] > 10 && bytes[0] == 0)
        #expect(abs(Int(bytes[30 * 60 + 22]) - Int(bytes[30 * 60 + 37])) <= 4, "the same on both sides")
        let flat = try Canvas(width: 20, height: 20, color: OverlayColor(hex: 0x808080))
        try flat.blur(sigma: 4)
        #expect(flat.picture(.luma).bytes.allSatisfy { (126...129).contains($0) })
    }

    @Test func texturesRepeatTheirSeed() throws {
        func clouds(seed: UInt64) throws -> [UInt8] {
            let canvas = try Canvas(width: 64, height: 64)
            canvas.fill(try Texture.clouds(side: 32, from: .black, to: .white, seed: seed))
            return canvas.bgra
        }
        #expect(try clouds(seed: 3) == clouds(seed: 3))
        #expect(try clouds(seed: 3) != clouds(seed: 4))
        let bytes = try clouds(seed: 3)
        // The texture repeats without a seam.
        #expect((0..<64).allSatisfy { y in bytes[y * 256..<y * 256 + 128] == bytes[y * 256 + 128..<y * 256 + 256] })
    }

    @Test func grainStaysWithinItsAmplitude() throws {
        let canvas = try Canvas(width: 64, height: 64, color: OverlayColor(hex: 0x808080))
        canvas.fill(try Texture.grain(side: 64, amplitude: 0.25, seed: 9))
        let bytes = canvas.picture(.luma).bytes.map { Int($0) }
        let mean = Double(bytes.reduce(0, +)) / Double(bytes.count)
        #expect((95...161).contains(bytes.min() ?? 0) && (95...161).contains(bytes.max() ?? 0))
        #expect(abs(mean - 128) < 3, "\(mean)")
        #expect(Set(bytes).count > 40)
    }
}
