import Testing

@testable import TextSpotting

/// The parts left out of the search must make no difference to its result.
@Suite("The search for a displacement")
struct MotionSearchTests {
    /// A picture without repetition, or one of stripes that fit in many places.
    private static func picture(_ seed: UInt64, movedBy dx: Int, _ dy: Int, noise: Int) -> Picture {
        var sheet = Sheet(200, 80, background: 60)
        var numbers = SeededNumbers(seed: seed % 4)
        for row in 0..<4 {
            let word = (0..<9).map { _ in String(UnicodeScalar(UInt8(65 + numbers.next() % 26))) }.joined()
            sheet.draw(seed % 3 == 0 ? "HHHHHHHHH" : word, at: 4 + dx, 4 + row * 19 + dy)
        }
        return sheet.noisy(noise, seed: seed)
    }

    @Test("is as thorough as one that tries each displacement by itself", arguments: 0..<24 as Range<UInt64>)
    func nothingIsMissed(seed: UInt64) throws {
        let search = MotionSearch(Self.picture(seed, movedBy: 0, 0, noise: 3), stride: 1)
        let moved = Self.picture(seed, movedBy: Int(seed % 7) - 3, Int(seed % 5) - 2, noise: Int(seed) * 2)
        let guess = Displacement(dx: Int(seed % 3) - 1, dy: seed % 2 == 0 ? 70 : 1)
        var expected: (cost: Double, distance: Int, displacement: Displacement)?
        for dy in (guess.dy - 5)...(guess.dy + 5) {
            for dx in (guess.dx - 5)...(guess.dx + 5) {
                let one = Displacement(dx: dx, dy: dy)
                guard let cost = search.best(in: moved, near: one, radius: 0)?.cost else { continue }
                let distance = abs(dx - guess.dx) + abs(dy - guess.dy)
                if expected.map({ (cost, distance) < ($0.cost, $0.distance) }) ?? true {
                    expected = (cost, distance, one)
                }
            }
        }
        let found = search.best(in: moved, near: guess, radius: 5)
        #expect(found?.displacement == expected?.displacement && found?.cost == expected?.cost)
    }

    @Test("samples of a patch are added up alike inside the picture and across its edge")
    func samples() {
        let picture = Self.picture(5, movedBy: 0, 0, noise: 40)
        var numbers = SeededNumbers(seed: 9)
        let samples = (0..<50).map { _ in
            (x: Int32(numbers.next() % 60), y: Int32(numbers.next() % 20), difference: Float(numbers.next() % 100) - 50)
        }
        let sought = SoughtSamples(samples, in: picture)
        for (dx, dy) in [(0, 0), (70, 31), (139, 60), (141, 60), (-30, 5), (10, -7), (180, 75), (400, 0)]
            as [(Int32, Int32)]
        {
            var expected = SoughtSamples.Sums()
            for sample in samples {
                let (x, y) = (Int(sample.x + dx), Int(sample.y + dy))
                guard (0..<200).contains(x), (0..<80).contains(y) else { continue }
                let value = Float(picture.bytes[y * 200 + x])
                expected.values += value
                expected.squares += value * value
                expected.products += value * sample.difference
                expected.inside += 1
            }
            let found = picture.bytes.withUnsafeBufferPointer { sought.sums(movedBy: dx, dy, $0) }
            #expect(found.values == expected.values && found.squares == expected.squares, "\(dx), \(dy)")
            #expect(found.products == expected.products && found.inside == expected.inside, "\(dx), \(dy)")
        }
    }
}
