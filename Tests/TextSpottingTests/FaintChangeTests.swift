import Testing
import TextSpotting

/// Text so faint that a gate for finding takes its ground for flat.
@Suite struct FaintChangeTests {
    /// The indices of the frames read.
    private func reads(_ count: Int, seesFaintText: Bool = true, _ picture: (Int) -> Picture) -> [Int] {
        var settings = ChangeGate.Settings()
        settings.seesFaintText = seesFaintText
        var gate = ChangeGate(settings: settings)
        return (0..<count).filter { gate.consider(picture($0), at: frameTime($0)).reads != nil }
    }

    private static func sheet(_ ground: UInt8, _ difference: Double?) -> Sheet {
        var sheet = Sheet(320, 96, background: ground)
        if let difference { sheet.draw("EXIT", at: 40, 30, brightness: Double(ground) + difference) }
        return sheet
    }

    @Test("faint text that comes and goes is read", arguments: [8.0, 10, 12, -8, -12], [40, 120, 220] as [UInt8])
    func comesAndGoes(difference: Double, ground: UInt8) {
        let (empty, text) = (Self.sheet(ground, nil).picture, Self.sheet(ground, difference).picture)
        #expect(reads(100) { (20..<60).contains($0) ? text : empty } == [0, 21, 61])
        #expect(reads(100, seesFaintText: false) { (20..<60).contains($0) ? text : empty } == [0])
    }

    @Test func aWordAfterAnotherIsRead() {
        let words = ["EXIT", "DOOR"].map { word -> Picture in
            var sheet = Sheet(320, 96, background: 120)
            sheet.draw(word, at: 40, 30, brightness: 132)
            return sheet.picture
        }
        #expect(reads(60) { words[$0 < 20 ? 0 : 1] } == [0, 21])
    }

    /// An encoder lets grain stand still for some frames.
    @Test("grain in a part of the screen is none", arguments: 1...4)
    func grain(lasting frames: Int) {
        let still = Sheet(320, 96, background: 120)
        let pictures = (0..<40).map { seed -> Picture in
            var picture = still.noisy(8, seed: UInt64(seed))
            for y in 0..<96 { for x in 0..<240 { picture.bytes[y * 320 + x] = 120 } }
            return picture
        }
        let usual = reads(160, seesFaintText: false) { pictures[$0 / frames % 40] }
        #expect(reads(160) { pictures[$0 / frames % 40] }.count <= usual.count + 1)
    }

    @Test func aSurfaceThatBreathesIsNone() {
        let walls = (0..<8).map { Sheet(320, 96, background: 90 + $0).picture }
        #expect(reads(120) { walls[$0 % 8] } == [0])
    }
}
