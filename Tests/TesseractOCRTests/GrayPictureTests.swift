import Testing
import TextSpotting

@testable import TesseractOCR

@Suite("Tesseract: pictures in other sizes")
struct GrayPictureTests {
    @Test("growing interpolates, shrinking averages")
    func resizing() {
        let picture = Picture(format: .luma, width: 2, height: 1, bytes: [0, 200])
        #expect(picture.resized(width: 4, height: 1).bytes == [0, 50, 150, 200])
        #expect(picture.resized(width: 1, height: 1).bytes == [100])
        #expect(picture.resized(width: 2, height: 3).bytes == [0, 200, 0, 200, 0, 200])
        let flat = Picture(format: .luma, width: 7, height: 5, bytes: [UInt8](repeating: 255, count: 35))
        #expect(flat.resized(width: 3, height: 11).bytes == [UInt8](repeating: 255, count: 33))
    }

    @Test("color becomes brightness")
    func brightness() {
        let picture = Picture(
            format: .rgb, width: 4, height: 1, bytes: [255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255])
        #expect(picture.gray().bytes == [255, 76, 149, 28])
    }

    @Test("small pictures are enlarged and read as a block, others as sparse text")
    func plan() throws {
        let small = try #require(PagePlan(width: 320, height: 180, layout: .automatic))
        #expect((small.mode, small.width, small.height) == (.block, 960, 540))
        let large = try #require(PagePlan(width: 1920, height: 1080, layout: .automatic))
        #expect((large.mode, large.width, large.height) == (.sparse, 1920, 1080))
        #expect(PagePlan(width: 5, height: 100, layout: .automatic) == nil)
    }
}
