import OverlayDrawing
import Painting
import Testing
import TextSpotting

/// Patches are at the places of the draw list, inside the picture, whatever it contains.
@Suite struct OverlayRasterizerTests {
    private static let green = OverlayColor(hex: 0x3DF5A0)

    private static func drawn(_ primitives: [OverlayPrimitive], width: Int = 320, height: Int = 180) throws -> Canvas {
        let canvas = try Canvas(width: width, height: height, color: .white)
        try canvas.draw(OverlayRasterizer().rasterize(primitives, width: width, height: height))
        return canvas
    }

    private static let quads = [
        Quad(Rect(x: 60, y: 50, width: 120, height: 40)),
        Quad(Rect(x: 60, y: 50, width: 120, height: 40)).mapped {
            Affine.place(Point(160, 90), degrees: 25).apply($0 - Point(120, 70))
        },
        Quad(
            topLeft: Point(250, 150), topRight: Point(90, 140), bottomRight: Point(90, 60), bottomLeft: Point(250, 50)),
    ]

    @Test(arguments: quads) func outlinesRunAlongTheirQuad(quad: Quad) throws {
        let canvas = try Self.drawn([.outline(quad, color: Self.green, thickness: 4, opacity: 1)])
        let corners = quad.corners
        for (index, corner) in corners.enumerated() {
            let middle = corner.interpolated(to: corners[(index + 1) % 4], at: 0.5)
            let color = canvas.pixel(Int(middle.x.rounded(.down)), Int(middle.y.rounded(.down)))
            #expect(color == [0x3D, 0xF5, 0xA0], "the middle of side \(index)")
        }
        #expect(canvas.pixel(Int(quad.center.x), Int(quad.center.y)) == [255, 255, 255])
        let seen = try #require(canvas.ink(tolerance: 0))
        // Half the line, its soft shadow (1.5 lines) and an antialiased pixel.
        #expect(quad.bounds.grown(by: 4 / 2 + 6 + 2).contains(seen))
        #expect(seen.contains(quad.bounds.grown(by: -2)))
    }

    @Test(arguments: [
        Rect(x: -40, y: -30, width: 80, height: 60), Rect(x: 300, y: 170, width: 500, height: 100),
        Rect(x: -1000, y: -1000, width: 5000, height: 5000), Rect(x: 500, y: 20, width: 30, height: 30),
        Rect(x: 0, y: 0, width: 320, height: 180), Rect(x: 20, y: 20, width: 0, height: 0),
        Rect(x: 1e12, y: 0, width: 10, height: 10), Rect(x: .nan, y: 0, width: 10, height: 10),
        Rect(x: 10, y: 10, width: .infinity, height: 10),
    ])
    func nothingIsOutsideThePicture(rect: Rect) throws {
        let label = OverlayLabel(
            runs: [.init("label", color: .white)], slot: rect, preferredX: rect.x, fontSize: 14, background: .black,
            cornerRadius: 4, opacity: 0.5)
        let patches = try OverlayRasterizer().rasterize(
            [
                .outline(Quad(rect), color: Self.green, thickness: 3, opacity: 0.7), .fill(Quad(rect), color: .black),
                .label(label),
            ], width: 320, height: 180)
        for patch in patches {
            #expect(patch.x >= 0 && patch.y >= 0 && patch.x + patch.width <= 320 && patch.y + patch.height <= 180)
            #expect(patch.width > 0 && patch.height > 0)
            // Premultiplied: no channel is above alpha.
            #expect(
                !stride(from: 0, to: patch.bgra.count, by: 4).contains { pixel in
                    (0..<3).contains { patch.bgra[pixel + $0] > patch.bgra[pixel + 3] }
                })
        }
    }

    @Test func largeOutlinesAreDrawnInStrips() throws {
        let quad = Quad(Rect(x: 20, y: 20, width: 3800, height: 2100))
        let patches = try OverlayRasterizer().rasterize(
            [.outline(quad, color: Self.green, thickness: 6, opacity: 1)], width: 3840, height: 2160)
        let bytes = patches.reduce(0) { $0 + $1.bgra.count }
        #expect(patches.count > 1 && bytes < 3840 * 2160 * 4 / 10, "\(bytes) bytes in \(patches.count) patches")
    }

    /// A cached outline equals a newly drawn one: at another place, next to another, faded, and after many others.
    @Test func anOutlineThatIsDrawnAgainIsTheSame() throws {
        let rasterizer = OverlayRasterizer()
        func outline(_ quad: Quad, opacity: Double = 1) -> OverlayPrimitive {
            .outline(quad, color: Self.green, thickness: 3, opacity: opacity)
        }
        func pixels(_ patches: [OverlayPatch]) throws -> [UInt8] {
            let canvas = try Canvas(width: 320, height: 180)
            try canvas.draw(patches)
            return canvas.bgra
        }
        for quad in Self.quads + [Quad(Rect(x: 30.3, y: 40.6, width: 24.2, height: 14.4))] {
            for (step, opacity) in [(0.0, 1.0), (3, 1), (7, 0.5), (0.5, 1), (0, 1)] {
                let moved = outline(quad.moved(by: Point(step, -step)), opacity: opacity)
                let again = try pixels(rasterizer.rasterize([moved], width: 320, height: 180))
                let first = try pixels(OverlayRasterizer().rasterize([moved], width: 320, height: 180))
                #expect(again == first)
            }
        }
        // A shift of a quarter of a pixel gives another picture.
        let here = try pixels(rasterizer.rasterize([outline(Self.quads[0])], width: 320, height: 180))
        let beside = Self.quads[0].moved(by: Point(0.25, 0))
        #expect(try pixels(rasterizer.rasterize([outline(beside)], width: 320, height: 180)) != here)
        // This is far more than the cache holds.
        for number in 0..<200 {
            let quad = Quad(Rect(x: 20, y: 20, width: 200 + Double(number) / 4, height: 120))
            #expect(try !rasterizer.rasterize([outline(quad)], width: 320, height: 180).isEmpty)
        }
        #expect(try pixels(rasterizer.rasterize([outline(Self.quads[0])], width: 320, height: 180)) == here)
    }

    @Test(arguments: [
        "", "\0", "a\nb\r\nc\u{2028}d", "\u{202E}gnp.exe", "<b>&amp;</b>", "%s%n%d", "\u{FFFF}\u{E000}",
        String(repeating: "W", count: 20_000), "Z\u{351}\u{36B}\u{343}\u{36A}\u{302}\u{36B}\u{33D}\u{34F}",
        "👩‍👩‍👧‍👦🇰🇷", "مرحبا بالعالم", "한국어 표지판", "\u{1B}[31mred",
    ])
    func hostileLabelsDrawInsideTheirSlot(text: String) throws {
        let composer = OverlayComposer(pictureWidth: 640, pictureHeight: 360)
        let quad = Quad(Rect(x: 200, y: 150, width: 120, height: 30))
        let list = composer.compose(
            [OverlayBox(quad: quad, text: text, score: .nan, age: .nan)],
            status: OverlayStatus(searched: [text, text], matches: .max, readingsPerSecond: .infinity))
        for primitive in list {
            guard case .label(let label) = primitive else { continue }
            let patch = try #require(try OverlayRasterizer().rasterize([primitive], width: 640, height: 360).first)
            #expect(Double(patch.width) <= label.slot.width + 1 && patch.height <= Int(label.slot.height.rounded()))
            #expect(Double(patch.x) >= label.slot.minX - 1 && Double(patch.x + patch.width) <= label.slot.maxX + 1)
        }
    }

    @Test func labelsThatWereNotMadeSafeDoNoHarm() throws {
        let texts = ["a\nb\u{2029}c", "\0\0", String(repeating: "x", count: 100_000), "\u{202E}abc", "<span>"]
        for text in texts {
            let label = OverlayLabel(
                runs: [.init(text, color: .white)], slot: Rect(x: 10, y: 10, width: 100, height: 20), preferredX: 10,
                fontSize: 12, background: .black, cornerRadius: 3, opacity: 1)
            let canvas = try Self.drawn([.label(label)])
            let seen = try #require(canvas.ink(tolerance: 0))
            #expect(Rect(x: 10, y: 10, width: 100, height: 20).contains(seen))
        }
    }

    @Test func theSameLabelIsTheSameBytesAndFadesEvenly() throws {
        let rasterizer = OverlayRasterizer()
        var label = OverlayLabel(
            runs: [.init("EXIT", color: .white, isBold: true)], slot: Rect(x: 10, y: 10, width: 200, height: 30),
            preferredX: 50, fontSize: 18, background: .black, cornerRadius: 5, opacity: 1)
        let first = try rasterizer.rasterize([.label(label)], width: 320, height: 180)
        #expect(try rasterizer.rasterize([.label(label)], width: 320, height: 180) == first)
        #expect(try OverlayRasterizer().rasterize([.label(label)], width: 320, height: 180) == first)
        #expect(first.first?.x == 50 && first.first?.y == 10 && first.first?.height == 30)
        label.opacity = 0.5
        let faded = try #require(try rasterizer.rasterize([.label(label)], width: 320, height: 180).first)
        let strongest = try #require(faded.bgra.max())
        #expect((126...128).contains(strongest))
        label.opacity = 0
        #expect(try rasterizer.rasterize([.label(label)], width: 320, height: 180).isEmpty)
    }

    @Test func longLabelsEndInAnEllipsis() throws {
        func width(_ text: String) throws -> Int {
            let label = OverlayLabel(
                runs: [.init(text, color: .white)], slot: Rect(x: 0, y: 0, width: 90, height: 20), preferredX: 0,
                fontSize: 14, background: .black, cornerRadius: 0, opacity: 1)
            return try OverlayRasterizer().rasterize([.label(label)], width: 320, height: 180).first?.width ?? 0
        }
        let (short, long) = try (width("ab"), width(String(repeating: "ab", count: 200)))
        #expect(short > 10 && short < 50 && long > 70 && long <= 90)
    }
}
