import OverlayDrawing
import TextSpotting

/// Clips of values that change in one place: clocks, tenths of seconds, frame counters. Their truth is exact to the frame.
extension ClipCatalog {
    /// Clips to tune with; ``heldOutClocks`` are for the last look only.
    static let clocks: [ClipScene] = [
        clock("clock-plain", size: 24, font: .sans, color: .white, on: .flat(OverlayColor(hex: 0x808080))),
        clock("clock-small", size: 14, font: .sans, color: .white, on: .flat(OverlayColor(hex: 0x303A44))),
        clock(
            "clock-mono", size: 20, font: .mono, color: .white, on: .flat(OverlayColor(hex: 0x101010)), quantizer: 30),
        clock("clock-bold", size: 40, font: .sansBold, color: amber, on: .flat(night), quantizer: 34),
        clock(
            "clock-serif", size: 28, font: .serif, color: ink, on: .flat(paper), quantizer: 26, width: 1280, height: 720
        ),
        clock(
            "clock-noise", size: 22, font: .sansBold, color: .white, on: .flat(OverlayColor(hex: 0x39424C)), noise: 0.2),
        clock("clock-texture", size: 26, font: .sansBold, color: .white, on: still, quantizer: 28),
        clock(
            "clock-moving", size: 24, font: .mono, color: .white, on: moving, quantizer: 30, width: 1280, height: 720),
        clock(
            "clock-date", size: 18, font: .monoBold, color: .white, on: still, quantizer: 32, before: "2026-11-23 ",
            after: " CAM 01"),
        clock(
            "clock-crf38", size: 32, font: .sans, color: .white, on: .flat(OverlayColor(hex: 0x556270)), quantizer: 38,
            frameRate: 30),
    ]

    /// The same kind of clip with other looks: never tuned with.
    static let heldOutClocks: [ClipScene] = [
        clock(
            "clock-held-gray", size: 16, font: .mono, color: .white, on: .flat(OverlayColor(hex: 0x787878)), first: 5),
        clock(
            "clock-held-condensed", size: 30, font: FontFace("DejaVu Sans Condensed,sans-serif"), color: amber,
            on: still,
            quantizer: 32, frameRate: 30, first: 38),
        clock(
            "clock-held-noise", size: 26, font: .serifBold, color: .white, on: .flat(night), quantizer: 30, noise: 0.25,
            first: 49),
        clock(
            "clock-held-1080", size: 36, font: .sansBold, color: .white, on: moving, quantizer: 26, width: 1920,
            height: 1080, frameRate: 30, first: 22, after: "  LIFT 3"),
        clock("clock-held-light", size: 20, font: .sans, color: ink, on: .flat(paper), quantizer: 36, first: 31),
    ]

    /// Half and fifth seconds, and counters that change with every frame.
    static let fastValues: [ClipScene] = [
        fast("halves-plain", size: 28, font: .sans, on: .flat(OverlayColor(hex: 0x50606E)), framesEach: 12.5),
        fast("halves-texture", size: 22, font: .monoBold, on: still, framesEach: 12.5, quantizer: 30),
        fast("fifths-plain", size: 28, font: .mono, on: .flat(night), framesEach: 5),
        fast(
            "fifths-noise", size: 32, font: .sansBold, on: .flat(OverlayColor(hex: 0x303840)), framesEach: 5, noise: 0.2
        ),
        counter("counter-plain", font: .mono, on: .flat(night)),
        counter("counter-texture", font: .sansBold, on: still),
    ]

    private static let amber = OverlayColor(hex: 0xFFD24A)
    private static let still = ClipBackground.texture(
        ClipTexture(from: OverlayColor(hex: 0x20261E), to: OverlayColor(hex: 0x6A7460), roughness: 0.6, side: 256))
    private static let moving = ClipBackground.texture(
        ClipTexture(
            from: OverlayColor(hex: 0x1B2430), to: OverlayColor(hex: 0x4E6173), roughness: 0.5, side: 512,
            velocity: Point(60, 25)))

    /// Ten seconds of a clock with whole seconds, from 19:41:`first` on.
    private static func clock(
        _ name: String, size: Double, font: FontFace, color: OverlayColor, on background: ClipBackground,
        quantizer: Int = 23, noise: Double = 0, width: Int = 640, height: Int = 360, frameRate: Int = 25,
        first: Int = 10,
        before: String = "", after: String = ""
    ) -> ClipScene {
        let place = Point(Double(width) * 0.05, Double(height) * 0.12)
        let texts = (0..<10).map { second in
            ClipText(
                before + "19:41:" + twoDigits(first + second) + after, at: place, font: font, size: size, color: color,
                frames: second * frameRate..<(second + 1) * frameRate, anchor: .baseline)
        }
        return ClipScene(
            name, summary: "a clock with whole seconds", width: width, height: height, frameRate: frameRate,
            seconds: 10,
            background: background, texts: texts, noise: noise, quantizer: quantizer)
    }

    /// Six seconds of a stopwatch with one place behind the point.
    private static func fast(
        _ name: String, size: Double, font: FontFace, on background: ClipBackground, framesEach: Double,
        quantizer: Int = 23, noise: Double = 0
    ) -> ClipScene {
        let frameCount = 150
        let texts = (0..<Int(Double(frameCount) / framesEach)).map { number in
            let tenths = Int((Double(number) * framesEach / 2.5).rounded())
            let first = Int((Double(number) * framesEach).rounded(.up))
            let next = Int((Double(number + 1) * framesEach).rounded(.up))
            return ClipText(
                "03:\(twoDigits(tenths / 10)).\(tenths % 10)", at: Point(60, 80), font: font, size: size, color: .white,
                frames: first..<min(frameCount, next), anchor: .baseline)
        }
        return ClipScene(
            name, summary: "a stopwatch", width: 640, height: 360, frameRate: 25, seconds: 6, background: background,
            texts: texts, noise: noise, quantizer: quantizer)
    }

    /// A number that counts frames.
    private static func counter(_ name: String, font: FontFace, on background: ClipBackground) -> ClipScene {
        let texts = (0..<100).map { number in
            ClipText(
                "\(48_350 + number)", at: Point(70, 90), font: font, size: 28, color: .white,
                frames: number..<number + 1,
                anchor: .baseline)
        }
        return ClipScene(
            name, summary: "a counter that changes with every frame", width: 640, height: 360, frameRate: 25,
            seconds: 4,
            background: background, texts: texts, quantizer: 23)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
