import Glibc
import Testing
import TextSpotting
import Vision

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

struct OpticalFlowTests {
    /// Spots of random brightness, the same for each seed, moved by whole pixels.
    func spots(shift: (Int, Int)) -> Picture {
        var bytes = [UInt8](repeating: 90, count: 240 * 180)
        var seed: UInt32 = 7
        for row in 0..<12 {
            for column in 0..<16 {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                let (left, top) = (20 + column * 12 + shift.0, 15 + row * 12 + shift.1)
                for y in top..<top + 5 { for x in left..<left + 5 { bytes[y * 240 + x] = UInt8(seed >> 24) } }
            }
        }
        return Picture(format: .luma, width: 240, height: 180, bytes: bytes)
    }

    @Test func pointsAreFollowedAndTheirMotionFitted() throws {
        var points: [Point] = []
        for y in stride(from: 15.0, to: 159, by: 12) {
            for x in stride(from: 20.0, to: 212, by: 12) { points.append(Point(x, y)) }
        }
        let steps = try OpticalFlow.flow(points: points, from: spots(shift: (0, 0)), to: spots(shift: (4, -3)))
        #expect(steps.count > points.count / 2)
        let motion = try #require(PlanarMotion(fitting: steps))
        #expect((motion.apply(Point(120, 90)) - Point(124, 87)).length < 0.3)
        #expect(motion.support > 0.8)
    }

    @Test func noPointsGiveNoMotion() throws {
        #expect(try OpticalFlow.flow(points: [], from: spots(shift: (0, 0)), to: spots(shift: (1, 0))).isEmpty)
        #expect(PlanarMotion(fitting: []) == nil)
    }

    @Test func aThirdOfWrongStepsDoesNotDisturb() throws {
        let truth = PlanarMotion(xAxis: Point(1.1, 0.2), yAxis: Point(-0.15, 0.95), shift: Point(12, -7))
        let steps = (0..<60).map { index -> OpticalFlow.Step in
            let from = Point(Double(index * 37 % 200), Double(index * 53 % 150))
            let wrong = index % 3 == 0 ? Point(Double(index), 40) : Point(0, 0)
            return OpticalFlow.Step(from: from, to: truth.apply(from) + wrong, error: 0)
        }
        let motion = try #require(PlanarMotion(fitting: steps, tolerance: 8))
        for corner in [Point(0, 0), Point(200, 0), Point(200, 150), Point(0, 150)] {
            #expect((motion.apply(corner) - truth.apply(corner)).length < 3)
        }
    }

    @Test func twoStepsGiveTheirShift() throws {
        let steps = [
            OpticalFlow.Step(from: Point(0, 0), to: Point(5, 5), error: 0),
            OpticalFlow.Step(from: Point(1, 0), to: Point(6, 5), error: 0),
        ]
        #expect(PlanarMotion(fitting: steps)?.apply(Point(100, 100)) == Point(105, 105))
    }
}
