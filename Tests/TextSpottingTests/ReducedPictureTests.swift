import Testing

@testable import TextSpotting

@Suite struct ReducedPictureTests {
    @Test(arguments: [(8, 8), (37, 29), (64, 16), (131, 50), (1280, 7)], [1, 2, 3, 4, 16])
    func eachPixelIsTheMeanOfASquare(size: (width: Int, height: Int), factor: Int) {
        var numbers = SeededNumbers(seed: 3)
        let bytes = (0..<(size.width * size.height)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let picture = Picture(format: .luma, width: size.width, height: size.height, bytes: bytes)
        let (columns, rows) = (size.width / factor, size.height / factor)
        guard columns > 0, rows > 0 else { return #expect(picture.reduced(by: factor).width == size.width) }
        let means = (0..<(columns * rows)).map { place in
            let (left, top) = (place % columns * factor, place / columns * factor)
            var sum = 0
            for y in top..<(top + factor) {
                for x in left..<(left + factor) { sum += Int(bytes[y * size.width + x]) }
            }
            return UInt8(sum / (factor * factor))
        }
        let reduced = picture.reduced(by: factor)
        #expect(reduced.width == columns && reduced.height == rows && reduced.bytes == means)
    }
}
