import Foundation
import Testing
import TextSpotting

/// Frames come at 25 a second; the picture is a window on a long wall with words on it.
@Suite("Motion of the whole picture")
struct GlobalMotionTests {
    /// The wall as seen from `x`, `y` pixels from its left and upper edge, perhaps with something else put on the picture.
    private static func wall(seenFrom x: Int, _ y: Int = 0, sign: String? = nil, noise: Int = 0) -> Picture {
        var sheet = Sheet(640, 240, background: 60)
        for row in 0..<8 {
            for column in 0..<14 {
                let word = ["ALPHA", "BRAVO", "CHARLIE", "DELTA", "ECHO"][(row * 3 + column) % 5] + "\(row)\(column)"
                sheet.draw(word, at: 20 + column * 170 + row * 23 - x, 12 + row * 60 - y)
            }
        }
        if let sign { sheet.draw(sign, at: 250, 100, brightness: 255) }
        return noise > 0 ? sheet.noisy(noise, seed: UInt64(x + 1000 * y)) : sheet.picture
    }

    private func considered(_ pictures: [Picture]) -> [ChangeGate.Decision] {
        var gate = ChangeGate()
        return pictures.enumerated().map { gate.consider($1, at: frameTime($0)) }
    }

    @Test("a pan is read where it uncovers something, and what was read is known to have moved", arguments: [0, 1, 2])
    func pan(noise: Int) throws {
        let decisions = considered((0..<60).map { Self.wall(seenFrom: $0 * 9, noise: noise) })
        let reads = decisions.indices.dropFirst().filter { decisions[$0].reads != nil }
        try #require(reads.count >= 3)
        var last = 0
        for index in reads {
            let decision = decisions[index]
            #expect(decision.displacement == Displacement(dx: -9 * (index - last), dy: 0))
            let mask = try #require(decision.reads)
            #expect(mask.share < 0.4, "the whole picture is to be read")
            // The part that came in at the right is new; the middle is not.
            #expect(mask.intersects(Rect(x: 624, y: 0, width: 16, height: 240)))
            #expect(!mask.intersects(Rect(x: 160, y: 48, width: 96, height: 96)))
            last = index
        }
    }

    @Test("what rolls upwards uncovers the lower edge", arguments: [0, 1, 2])
    func roll(noise: Int) throws {
        let decisions = considered((0..<40).map { Self.wall(seenFrom: 40, $0 * 5, noise: noise) })
        let later = decisions.dropFirst(12).filter { $0.reads != nil }
        try #require(!later.isEmpty)
        for decision in later {
            #expect(decision.displacement.dx == 0 && decision.displacement.dy < 0)
            #expect(decision.reads?.intersects(Rect(x: 0, y: 0, width: 640, height: 64)) == false)
        }
    }

    @Test("a word that appears while the picture moves is not explained by the motion")
    func wordInAPan() throws {
        // The sign stays where it is while the wall passes behind it.
        let decisions = considered((0..<40).map { Self.wall(seenFrom: $0 * 4, sign: $0 < 20 ? nil : "EXITEXIT") })
        let sign = Sheet.quad(of: "EXITEXIT", at: 250, 100).bounds
        let after = decisions[20...].compactMap(\.reads)
        #expect(after.first?.intersects(sign) == true)
    }

    /// The digits of a number move to the left and its sign, which lies on the border of two tiles, disappears.
    @Test("a sign that disappears is not explained by the motion", arguments: [115, 150, 180, 240] as [UInt8])
    func signThatDisappears(brightness: UInt8) {
        func picture(_ text: String, at x: Int, hasSign: Bool) -> Picture {
            var sheet = Sheet(640, 240)
            sheet.draw(text, at: x, 150)
            if hasSign { sheet.fill(Rect(x: Double(x - 17), y: 165, width: 14, height: 4), brightness: brightness) }
            return sheet.picture
        }
        let decisions = considered(
            (0..<50).map { picture("1273456", at: $0 < 25 ? 218 : 202, hasSign: $0 < 25) })
        #expect(decisions[25].displacement == Displacement(dx: -16, dy: 0))
        #expect(decisions[25].reads?.intersects(Rect(x: 185, y: 165, width: 14, height: 4)) == true)
    }

    /// On a smooth ground almost all edges are those of the caption, and those of another one fit best somewhere beside.
    @Test("a caption that replaces another on a smooth ground moves nothing")
    func captionOnASmoothGround() {
        func picture(_ text: String, _ index: Int) -> Picture {
            var sheet = Sheet(320, 192)
            for y in 0..<192 {
                for x in 0..<320 {
                    let level = 70 + 40 * sin(Double(x) / 9) * cos(Double(y) / 11)
                    sheet.fill(Rect(x: Double(x), y: Double(y), width: 1, height: 1), brightness: UInt8(level))
                }
            }
            sheet.draw(text, at: 40, 150, brightness: 255)
            return sheet.noisy(1, seed: UInt64(index))
        }
        let texts = ["OPEN THE DOOR", "THE TRAIN", " OPEN A WINDOW"]
        let decisions = considered((0..<60).map { picture(texts[$0 / 20], $0) })
        #expect(decisions.allSatisfy { $0.displacement == .none && $0.previousDisplacement == .none })
    }

    @Test("a cut to another picture is no motion")
    func cut() {
        let decisions = considered(
            (0..<30).map { $0 < 15 ? Self.wall(seenFrom: 0) : Self.wall(seenFrom: 977, 31) })
        #expect(decisions[15].reads != nil)
        #expect(decisions[15].displacement == .none)
    }
}
