import Foundation
import OverlayDrawing
import Painting
import Testing
import TextSpotting

/// The advice for pictures with known faults.
@Suite struct PictureQualityTests {
    private let width = 640
    private let height = 360

    /// A few words of usual size.
    private func words(
        on background: OverlayColor = OverlayColor(hex: 0xE8E4D8), in color: OverlayColor = .black
    ) throws -> Canvas {
        let canvas = try Canvas(width: width, height: height, color: background)
        for (index, text) in ["GATE 12", "Kitchen", "cable ties", "EXIT"].enumerated() {
            let place = Affine.move(to: Point(40 + Double(index % 2) * 300, 60 + Double(index / 2) * 150))
            canvas.draw(CanvasText(text, font: .sansBold, size: 40, color: color), at: place)
        }
        return canvas
    }

    private func problem(_ picture: Picture) -> PictureProblem? {
        PictureProblem.of(PictureMeasures(of: picture), speed: nil)
    }

    /// Takes the mean of `length` pixels along a direction, as a moving camera does while the shutter is open.
    private func smeared(_ picture: Picture, _ length: Int, dx: Int, dy: Int) -> Picture {
        var result = picture
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let sum = (0..<length).reduce(0) { sum, step in
                    let column = min(max(x + step * dx, 0), picture.width - 1)
                    let row = min(max(y + step * dy, 0), picture.height - 1)
                    return sum + Int(picture.bytes[row * picture.width + column])
                }
                result.bytes[y * picture.width + x] = UInt8(sum / length)
            }
        }
        return result
    }

    private func noisy(_ picture: Picture, _ amount: Int) -> Picture {
        var generator = SeededGenerator(seed: 7)
        var result = picture
        for index in result.bytes.indices {
            result.bytes[index] = UInt8(
                max(0, min(255, Int(result.bytes[index]) + Int.random(in: -amount...amount, using: &generator))))
        }
        return result
    }

    @Test(arguments: [0, 6]) func sharpWordsAreFine(noise: Int) throws {
        #expect(problem(noisy(try words().picture(.luma), noise)) == nil)
        #expect(problem(noisy(try words(on: .black, in: .white).picture(.luma), noise)) == nil)
    }

    @Test func aSharpPictureWithLittleTextIsFine() throws {
        let canvas = try Canvas(width: width, height: height, color: OverlayColor(hex: 0x808880))
        canvas.draw(CanvasText("EXIT", font: .sansBold, size: 30), at: .move(to: Point(300, 200)))
        #expect(problem(canvas.picture(.luma)) == nil)
        #expect(problem(noisy(canvas.picture(.luma), 5)) == nil)
    }

    @Test func aPlainWallIsNoFault() throws {
        let wall = try Canvas(width: width, height: height)
        // The light comes from one side.
        wall.fillGradient(
            Rect(x: 0, y: 0, width: 640, height: 360), from: Point(0, 0), OverlayColor(hex: 0xF0F0E8),
            to: Point(640, 360), OverlayColor(hex: 0x909088))
        #expect(problem(wall.picture(.luma)) == nil)
        #expect(problem(noisy(wall.picture(.luma), 6)) == nil)
        for gray: UInt32 in [0x000000, 0x404040, 0xFFFFFF] {
            #expect(
                problem(try Canvas(width: width, height: height, color: OverlayColor(hex: gray)).picture(.luma)) == nil)
        }
    }

    @Test func stripesAreNoSmear() throws {
        let canvas = try Canvas(width: width, height: height)
        for y in stride(from: 0, to: 360, by: 16) {
            canvas.fill(Rect(x: 0, y: Double(y), width: 640, height: 8), .black)
        }
        #expect(problem(canvas.picture(.luma)) == nil)
    }

    @Test(arguments: [3.0, 5.0, 8.0]) func blur(sigma: Double) throws {
        let canvas = try words()
        try canvas.blur(sigma: sigma)
        #expect(problem(canvas.picture(.luma)) == .blurred)
        #expect(problem(noisy(canvas.picture(.luma), 4)) == .blurred)
    }

    @Test func aTouchOfBlurIsLeftToTheReader() throws {
        let canvas = try words()
        try canvas.blur(sigma: 1)
        #expect(problem(canvas.picture(.luma)) == nil)
    }

    @Test(arguments: [(1, 0), (0, 1)]) func smear(dx: Int, dy: Int) throws {
        #expect(problem(smeared(try words().picture(.luma), 14, dx: dx, dy: dy)) == .smeared)
    }

    @Test func aSlantingSmearLeavesNoEdgeOfALetterSharp() throws {
        let found = problem(smeared(try words().picture(.luma), 14, dx: 1, dy: 1))
        #expect(found == .smeared || found == .blurred)
    }

    @Test func darkness() throws {
        let dark = try words(on: OverlayColor(hex: 0x1C1C1C), in: OverlayColor(hex: 0x080808)).picture(.luma)
        #expect(problem(dark) == .dark)
        #expect(problem(noisy(dark, 5)) == .dark)
        // A few bright letters on black are a slide.
        #expect(problem(try words(on: .black, in: OverlayColor(hex: 0xC0C0C0)).picture(.luma)) == nil)
    }

    @Test func motion() throws {
        let canvas = try words()
        let picture = canvas.picture(.luma)
        for (dx, dy) in [(64, 0), (-40, 16), (0, -32)] {
            let moved = try Canvas(width: width, height: height, color: OverlayColor(hex: 0xE8E4D8))
            moved.draw(canvas, in: Rect(x: Double(dx), y: Double(dy), width: 640, height: 360))
            let distance = try #require(PictureMotion.distance(from: picture, to: moved.picture(.luma)))
            let expected = Point(Double(dx), Double(dy)).length / 640
            #expect(abs(distance - expected) < 0.015, "\(dx), \(dy): \(distance)")
        }
        #expect(PictureMotion.distance(from: picture, to: picture) == 0)
        #expect(PictureMotion.distance(from: picture, to: noisy(picture, 6)) == 0)
        // An entirely different picture is not motion.
        let other = try Canvas(width: width, height: height, color: .black).picture(.luma)
        #expect(PictureMotion.distance(from: picture, to: other) == nil)
        #expect(PictureProblem.of(PictureMeasures(of: picture), speed: 1.5) == .moving)
        #expect(PictureProblem.of(PictureMeasures(of: picture), speed: 0.4) == nil)
    }

    @Test func tinyPicturesTellNothing() throws {
        for (width, height) in [(1, 1), (5, 300), (30, 8)] {
            let picture = Picture(
                format: .luma, width: width, height: height, bytes: [UInt8](repeating: 100, count: width * height))
            #expect(problem(picture) == nil)
            #expect(PictureMotion.distance(from: picture, to: picture) == nil)
        }
    }
}
