import Testing
import TextSpotting

@testable import NeuralOCR

struct SizeTests {
    @Test(arguments: [
        (0.1, 8, 64), (1.0, 48, 64), (3.34, 161, 176), (10.0, 480, 520), (40.0, 1920, 1920), (61.0, 2928, 3328),
        (500.0, 3840, 3840),
    ])
    func aLineGoesIntoTheSmallestBucketThatHoldsIt(ratio: Double, content: Int, bucket: Int) {
        let width = WidthBuckets.content(ratio: ratio, atMost: WidthBuckets.widest)
        #expect(width == content)
        #expect(WidthBuckets.bucket(width) == bucket)
    }

    @Test func bucketsAreWholeStepsInOrder() {
        #expect(WidthBuckets.all == WidthBuckets.all.sorted())
        #expect(WidthBuckets.all.allSatisfy { $0 % 8 == 0 })
    }

    /// The one used longest ago comes first.
    @Test func aLineIsReadWhereItsWidthIsLaidOut() {
        let requests: [(last: Int, all: Set<Int>)] = [(64, [64, 80]), (96, [64, 80, 96]), (80, [80])]
        #expect(InferenceRequest.choice(for: 96, among: requests) == 1)
        #expect(InferenceRequest.choice(for: 80, among: requests) == 2)
        #expect(InferenceRequest.choice(for: 64, among: requests.reversed()) == 2)
        // Laying out a width again costs less than the first time.
        #expect(InferenceRequest.choice(for: 64, among: [(112, [112]), (96, [64, 96]), (80, [64, 80])]) == 1)
        #expect(InferenceRequest.choice(for: 128, among: requests) == 2)
    }

    @Test(arguments: [
        (1920, 1080, 1280, 1280, 736), (640, 360, 640, 640, 352), (10, 2000, 640, 32, 640), (1, 1, 960, 960, 960),
    ])
    func theDetectorsSidesAreMultiplesOf32(width: Int, height: Int, side: Int, toWidth: Int, toHeight: Int) {
        let size = DetectionSize(forWidth: width, height: height, side: side)
        #expect(size.width == toWidth)
        #expect(size.height == toHeight)
    }

    @Test(arguments: [(320, 180), (1200, 600), (1920, 1080), (3840, 2160), (8, 8), (7680, 4320)])
    func theChosenSizeKeepsTheShape(width: Int, height: Int) {
        let size = DetectionSize(forWidth: width, height: height)
        #expect(size.width % 32 == 0 && size.height % 32 == 0)
        #expect(size.width <= 2560 && size.height <= 2560)
        #expect(abs(Double(size.width) / Double(size.height) / (Double(width) / Double(height)) - 1) < 0.1)
    }

    @Test(arguments: [(640, 36, 0, 14), (640, 24, 0, 20), (640, 48, 0, 0), (30, 640, 17, 0), (1, 1, 32, 32)])
    func lowAndNarrowPicturesGetMargins(width: Int, height: Int, x: Int, y: Int) {
        #expect(DetectionSize.margin(ofWidth: width, height: height) == (x, y))
        let size = DetectionSize(forWidth: width + 2 * x, height: height + 2 * y)
        #expect(min(size.width, size.height) >= DetectionSize.least)
    }

    @Test func aBlobIsGrownAsDBNetSays() throws {
        let blob = MapBlob(center: Point(100, 50), axis: Point(1, 0), length: 80, breadth: 10, score: 0.9)
        let faint = MapBlob(center: Point(100, 90), axis: Point(1, 0), length: 80, breadth: 10, score: 0.1)
        let regions = TextBoxes.regions(of: [blob, faint], scaleX: 2, scaleY: 2)
        #expect(regions.count == 1)
        let margin = 80 * 10 * TextBoxes.growth / (2 * (80 + 10))
        #expect(abs(regions[0].quad.width - 2 * (80 + 2 * margin)) < 1e-9)
        #expect(abs(regions[0].quad.height - 2 * (10 + 2 * margin)) < 1e-9)
        #expect(regions[0].quad.center == Point(200, 100))
    }
}
