import OverlayDrawing
import Painting
import TextSpotting

/// Scoreboards and meters: what `framegrep values` reads as a table. Their truth is exact to the frame; while a drum turns it has none.
extension ClipCatalog {
    /// Clips to tune with; ``heldOutMeters`` are for the last look only.
    static let meters: [ClipScene] = [
        meter(
            "meter-red",
            segments(red, size: 56, place: Point(80, 150), every: 16, values: (0..<12).map { "23.\($0 % 10)" }),
            on: black),
        meter(
            "meter-volts",
            segments(green, size: 48, place: Point(70, 160), every: 20, values: (0..<10).map { "12.\(40 + 3 * $0)" })
                + [ClipText("V", at: Point(250, 160), font: .sansBold, size: 40, color: green, anchor: .baseline)],
            on: OverlayColor(hex: 0x0C1A12)),
        meter(
            "meter-lcd",
            segments(
                ink, size: 52, place: Point(90, 190), every: 20,
                values: ["-3.27", "-2.81", "-1.96", "-0.42", "0.35", "1.08", "2.77", "4.19"]),
            on: OverlayColor(hex: 0xA9B8A0)),
        meter("meter-clock", blinkingClock, on: black),
        meter("meter-drum", drum, on: .white),
        meter("meter-score", score, on: OverlayColor(hex: 0x123524)),
        meter(
            "meter-queue",
            [ClipText("COUNTER 3", at: Point(60, 90), font: .sans, size: 28, color: ink, anchor: .baseline)]
                + lines(
                    ink, font: .sansBold, size: 64, place: Point(60, 200), every: 25,
                    values: (0..<8).map { "A-0\(17 + $0)" }), on: paper),
    ]

    /// The same kind of clip: never tuned with.
    static let heldOutMeters: [ClipScene] = [
        meter("meter-dimming", dimming, on: OverlayColor(hex: 0x1A0F08)),
        ClipScene(
            "meter-speed", summary: "a meter", width: 1280, height: 720, frameRate: 25, seconds: 8,
            background: .texture(
                ClipTexture(
                    from: OverlayColor(hex: 0x1B2430), to: OverlayColor(hex: 0x4E6173), roughness: 0.5, side: 512,
                    velocity: Point(60, 25))),
            texts: lines(
                .white, font: .sansBold, size: 30, place: Point(60, 640), every: 10,
                values: (0..<20).map { "SPEED \(42 + ($0 * $0) / 7) km/h" })
                + lines(
                    .white, font: .sansBold, size: 30, place: Point(900, 640), every: 40,
                    values: (0..<5).map { "ALT \(118 - 2 * $0) m" }),
            quantizer: 28),
        meter(
            "meter-pump",
            [ClipText("TOTAL", at: Point(70, 100), font: .sans, size: 26, color: ink, anchor: .baseline)]
                + lines(
                    ink, font: .mono, size: 40, place: Point(70, 170), every: 20,
                    values: (0..<10).map { "€ 1.23\(4 + $0 / 2),\($0 % 2 == 0 ? "08" : "67")" }), on: paper),
    ]

    private static let red = OverlayColor(hex: 0xFF3B30)
    private static let green = OverlayColor(hex: 0x46E07A)
    private static let black = OverlayColor(hex: 0x0A0808)

    private static func meter(_ name: String, _ texts: [ClipText], on color: OverlayColor) -> ClipScene {
        ClipScene(
            name, summary: "a meter", width: 640, height: 360, frameRate: 25, seconds: 8, background: .flat(color),
            texts: texts, quantizer: 26)
    }

    /// One value after the other, the last up to the end.
    private static func lines(
        _ color: OverlayColor, font: FontFace, size: Double, place: Point, every frames: Int, values: [String]
    ) -> [ClipText] {
        values.enumerated().map { index, value in
            ClipText(
                value, at: place, font: font, size: size, color: color,
                frames: index * frames..<(index == values.count - 1 ? 200 : (index + 1) * frames), anchor: .baseline)
        }
    }

    private static func segments(
        _ color: OverlayColor, size: Double, place: Point, every frames: Int, values: [String]
    ) -> [ClipText] {
        lines(color, font: .sans, size: size, place: place, every: frames, values: values).map { text in
            var text = text
            text.display = .segments
            return text
        }
    }

    /// Two seconds a minute; the colon is there for half of each second.
    private static var blinkingClock: [ClipText] {
        (0..<16).map { half in
            var text = ClipText(
                "12\(half % 2 == 0 ? ":" : " ")\(28 + half / 4)", at: Point(120, 190), size: 72, color: green,
                frames: half * 25 / 2..<(half + 1) * 25 / 2, anchor: .baseline)
            text.display = .segments
            return text
        }
    }

    /// A second each, of which the drum turns for six frames.
    private static var drum: [ClipText] {
        (0..<8).map { second in
            var text = ClipText(
                "0048\(17 + second)", at: Point(100, 180), font: .mono, size: 44, color: ink,
                frames: second * 25..<(second + 1) * 25, anchor: .baseline)
            if second < 7 { text.display = .rolling(to: "0048\(18 + second)", over: 6, window: .white) }
            return text
        }
    }

    private static var score: [ClipText] {
        [
            ClipText("HOME", at: Point(90, 120), font: .sansBold, size: 34, color: .white, anchor: .baseline),
            ClipText("GUEST", at: Point(390, 120), font: .sansBold, size: 34, color: .white, anchor: .baseline),
        ]
            + segments(.white, size: 70, place: Point(100, 230), every: 40, values: ["8", "9", "10", "12", "14"])
            + segments(.white, size: 70, place: Point(400, 230), every: 50, values: ["17", "18", "19", "21"])
    }

    /// A value is bright, then dimmed to half, then bright again.
    private static var dimming: [ClipText] {
        (0..<8).flatMap { second in
            [(0, 9, 0xFF9A2E), (9, 17, 0x8A5419), (17, 25, 0xFF9A2E)].map { from, to, color in
                var text = ClipText(
                    "\(64 + 3 * second).\(second)", at: Point(90, 180), size: 60,
                    color: OverlayColor(hex: UInt32(color)),
                    frames: second * 25 + from..<second * 25 + to, anchor: .baseline)
                text.display = .segments
                return text
            }
        }
    }
}

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
