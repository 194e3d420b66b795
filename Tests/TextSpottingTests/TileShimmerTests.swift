import Testing

@testable import TextSpotting

@Suite struct TileShimmerTests {
    private let grid = TileGrid(width: 320, height: 96, side: 16)

    /// Whether any tile counts as changed when every tile is under suspicion.
    private func differs(_ a: Picture, _ b: Picture) -> Bool {
        var comparison = ReferenceComparison(a, with: b, on: grid)
        return comparison.withoutShimmer([Bool](repeating: true, count: grid.count), a, b).contains(true)
    }

    private func adjusted(_ picture: Picture, _ change: (Double) -> Double) -> Picture {
        var result = picture
        for index in result.bytes.indices {
            result.bytes[index] = UInt8(clamping: Int(change(Double(result.bytes[index]))))
        }
        return result
    }

    @Test func softenedSharpenedAndRelitTextIsTheSame() {
        let text = Picture.showing("EXIT")
        #expect(!differs(text, text))
        #expect(!differs(text, adjusted(text) { 40 + ($0 - 40) * 0.93 }))
        #expect(!differs(text, adjusted(text) { $0 + 10 }))
    }

    @Test func anotherLetterIsAnother() {
        #expect(differs(.showing("EXIT"), .showing("EXAT")))
        #expect(differs(.showing("EXIT"), .showing("EXIT 2")))
    }

    @Test func whatComesAndGoesIsAChange() {
        #expect(differs(.showing("EXIT", opacity: 0.2), .showing("EXIT", opacity: 0.3)))
        #expect(differs(.showing(nil), .showing("EXIT")))
        #expect(differs(.showing("EXIT"), .showing(nil)))
        #expect(differs(.showing("EXIT"), .showing("EXIT", at: 42)))
    }

    @Test func aFlatSurfaceMayBreatheButNotBecomeAnother() {
        let wall = Sheet(320, 96, background: 90).picture
        #expect(!differs(wall, Sheet(320, 96, background: 97).picture))
        #expect(differs(wall, Sheet(320, 96, background: 120).picture))
    }

    @Test func onlySuspectedTilesAreLookedAt() {
        let none = [Bool](repeating: false, count: grid.count)
        var comparison = ReferenceComparison(.showing(nil), with: .showing("EXIT"), on: grid)
        #expect(comparison.withoutShimmer(none, .showing(nil), .showing("EXIT")) == none)
    }

    @Test func theGateDoesNotReadAShimmerAgain() {
        var gate = ChangeGate()
        let text = Picture.showing("EXIT")
        #expect(gate.consider(text, at: frameTime(0)).reads != nil)
        for index in 1..<60 {
            let breathing = adjusted(text) { 40 + ($0 - 40) * (index % 10 < 5 ? 0.93 : 1) }
            #expect(gate.consider(breathing, at: frameTime(index)).reads == nil, "frame \(index)")
        }
        #expect(gate.consider(.showing("EXAT"), at: frameTime(60)).reads != nil)
    }
}
