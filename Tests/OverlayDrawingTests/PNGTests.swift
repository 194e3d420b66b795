import Errors
import Foundation
import OverlayDrawing
import Painting
import Testing
import TextSpotting

@Suite struct PNGTests {
    private static func temporary(_ name: String) -> String {
        NSTemporaryDirectory() + "framegrep-\(UUID().uuidString)-\(name)"
    }

    @Test func writtenPicturesReadBackTheSame() throws {
        let path = Self.temporary("page.png")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let canvas = try Canvas(width: 123, height: 45, color: OverlayColor(hex: 0x336699))
        canvas.draw(CanvasText("PNG", size: 24, color: .white), at: .move(to: Point(10, 10)))
        try PNGWriter.write(canvas, to: path)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        let back = try PNGReader.read(path)
        #expect(back.width == 123 && back.height == 45 && back.bgra == canvas.bgra)
        #expect(try PNGWriter.encode(canvas) == bytes)
    }

    @Test func picturesAreWrittenWithTheirOverlay() throws {
        let path = Self.temporary("boxed.png")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let picture = Picture(format: .luma, width: 64, height: 48, bytes: [UInt8](repeating: 100, count: 64 * 48))
        let patch = OverlayPatch(x: 10, y: 20, width: 2, height: 1, bgra: [0, 0, 255, 255, 0, 0, 0, 128])
        let canvas = try Canvas(picture)
        try canvas.draw([patch])
        try PNGWriter.write(canvas, to: path)
        let back = try PNGReader.read(path)
        #expect(back.pixel(10, 20) == [255, 0, 0] && back.pixel(9, 20) == [100, 100, 100])
        #expect((49...51).contains(back.pixel(11, 20)[0]))
    }

    @Test func missingAndDamagedFilesAreNamed() throws {
        let path = Self.temporary("none.png")
        #expect { try PNGReader.read(path) } throws: {
            guard let error = $0 as? FramegrepError else { return false }
            return error.code == .sourceUnavailable && error.message.contains(path)
        }
        try Data("not a picture".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect { try PNGReader.read(path) } throws: { ($0 as? FramegrepError)?.code == .sourceDamaged }
        let canvas = try Canvas(width: 4, height: 4)
        #expect { try PNGWriter.write(canvas, to: "/nowhere/at/all.png") } throws: {
            guard let error = $0 as? FramegrepError else { return false }
            return error.code == .outputFailed && error.message.contains("/nowhere/at/all.png")
        }
    }

    /// A device that is always full fails only when buffered data is written.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aFullDiskIsAnError() throws {
        let canvas = try Canvas(width: 4, height: 4)
        #expect { try PNGWriter.write(canvas, to: "/dev/full") } throws: {
            ($0 as? FramegrepError)?.code == .outputFailed
        }
    }

    @Test func sizesThatCannotBeDrawnAreErrors() {
        for (width, height) in [(0, 10), (-1, 10), (40_000, 10), (Int.max, Int.max)] {
            #expect { try Canvas(width: width, height: height) } throws: {
                ($0 as? FramegrepError)?.code == .outputFailed
            }
        }
    }

    @Test func contactSheetsShowEveryPicture() throws {
        let colors = [0xD04040, 0x40D040, 0x4040D0, 0xD0D040, 0x40D0D0].map { OverlayColor(hex: $0) }
        let pictures = try colors.enumerated().map { index, color in
            (picture: try Canvas(width: 64, height: 36, color: color), caption: "frame \(index)\n\u{202E}x")
        }
        let sheet = try ContactSheet(cellWidth: 160, cellHeight: 90, columns: 3).compose(pictures)
        let bytes = sheet.bgra
        func count(_ color: OverlayColor) -> Int {
            let wanted = [color.blue, color.green, color.red, 1].map { UInt8(($0 * 255).rounded()) }
            return stride(from: 0, to: bytes.count, by: 4).count { bytes[$0..<$0 + 4].elementsEqual(wanted) }
        }
        for color in colors { #expect((14_000...14_400).contains(count(color)), "\(count(color))") }
        #expect(sheet.width > 3 * 160 && sheet.width < 4 * 160 && sheet.height > 2 * 90)
        #expect { try ContactSheet().compose([]) } throws: { ($0 as? FramegrepError)?.code == .outputFailed }
    }
}
