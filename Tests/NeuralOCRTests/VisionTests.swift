import Glibc
import Testing
import TextSpotting

@testable import NeuralOCR

struct MapBlobTests {
    @Test(arguments: [0.0, 10, 30, -20])
    func aRectangleIsFoundAtAnyAngle(degrees: Double) throws {
        let turn = degrees * .pi / 180
        let along = Point(cos(turn), sin(turn))
        let (width, height) = (200, 160)
        var map = [Float](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let away = Point(Double(x) + 0.5, Double(y) + 0.5) - Point(100, 80)
                let inside =
                    abs(away.x * along.x + away.y * along.y) <= 50 && abs(away.x * -along.y + away.y * along.x) <= 10
                if inside { map[y * width + x] = 0.8 }
            }
        }
        let blobs = try map.withUnsafeBufferPointer {
            try MapBlob.find(in: $0, width: width, height: height, above: 0.3, smallest: 3)
        }
        #expect(blobs.count == 1)
        let quad = try #require(blobs.first).quad(grownBy: 0)
        #expect((quad.center - Point(100, 80)).length < 1)
        #expect(abs(quad.width - 100) < 2)
        #expect(abs(quad.height - 20) < 2)
        let direction = quad.topRight - quad.topLeft
        #expect(abs(atan2(direction.y, direction.x) - turn) < 0.03)
        #expect(blobs[0].score > 0.7)
    }

    @Test func specksAndTheEmptyMapGiveNothing() throws {
        var map = [Float](repeating: 0, count: 64 * 64)
        map[200] = 1
        let blobs = try map.withUnsafeBufferPointer {
            try MapBlob.find(in: $0, width: 64, height: 64, above: 0.3, smallest: 3)
        }
        #expect(blobs.isEmpty)
    }
}

struct PictureTensorTests {
    /// Red grows to the right and green downwards, one a pixel.
    static let ramp = Picture(
        format: .rgb, width: 100, height: 80,
        bytes: (0..<80).flatMap { y in (0..<100).flatMap { x in [UInt8(x), UInt8(y), 7] } })
    let plain = Normalization(mean: [0, 0, 0], deviation: [1 / 255, 1 / 255, 1 / 255])

    @Test func aPartIsCutOutPixelForPixel() throws {
        var planes = [Float](repeating: -1, count: 3 * 40 * 20)
        try planes.withUnsafeMutableBufferPointer {
            try Self.ramp.write(
                lineIn: Quad(Rect(x: 10, y: 30, width: 30, height: 20)), contentWidth: 30, width: 40, height: 20, plain,
                into: $0)
        }
        #expect(abs(planes[0] - 10) < 0.01)
        #expect(abs(planes[29] - 39) < 0.01)
        #expect(planes[30] == 0)
        #expect(abs(planes[800 + 19 * 40] - 49) < 0.01)
        #expect(abs(planes[1600 + 5] - 7) < 0.01)
    }

    @Test func aTurnedPartIsStraightened() throws {
        let quad = Quad(
            topLeft: Point(50, 10), topRight: Point(50, 40), bottomRight: Point(30, 40), bottomLeft: Point(30, 10))
        var planes = [Float](repeating: -1, count: 3 * 30 * 20)
        try planes.withUnsafeMutableBufferPointer {
            try Self.ramp.write(lineIn: quad, contentWidth: 30, width: 30, height: 20, plain, into: $0)
        }
        // Its right is down in the picture, and its down is left.
        #expect(abs(planes[600] - 10) < 0.01)
        #expect(abs(planes[600 + 29] - 39) < 0.01)
        #expect(abs(planes[0] - 49) < 0.01)
        #expect(abs(planes[19 * 30] - 30) < 0.01)
    }

    @Test func scalingKeepsTheCorners() throws {
        var planes = [Float](repeating: -1, count: 3 * 50 * 40)
        try planes.withUnsafeMutableBufferPointer {
            try Self.ramp.write(scaledToWidth: 50, height: 40, plain, into: $0)
        }
        #expect(abs(planes[0] - 0.5) <= 0.51)
        #expect(abs(planes[49] - 98.5) <= 0.51)
        #expect(abs(planes[2000 + 39 * 50] - 78.5) <= 0.51)
    }
}
