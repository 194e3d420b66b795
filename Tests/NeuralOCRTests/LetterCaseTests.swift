import Testing

@testable import NeuralOCR
@testable import TextSpotting

/// Letters whose capitals have the same shape are small, and numbers stand apart, where the picture shows it.
struct LetterCaseTests {
    /// A line whose letters are blocks of 12 columns: 30 pixels tall if they are capitals or have an ascender in `drawn`,
    /// else 21. A space takes one more block, and a `_` joins its neighbors.
    private struct Line {
        let ink: LineInk
        private(set) var peaks: [Double] = []

        init(_ drawn: String, blur: Int = 0) {
            let width = 16 * drawn.count + 16
            var samples = [UInt8](repeating: 240, count: width * 48)
            for (index, letter) in drawn.enumerated() where !letter.isWhitespace {
                let left = 10 + 16 * index
                let isTall = letter.isUppercase || "bdfhkl0123456789".contains(letter)
                let rows = letter == "_" ? 36..<39 : (isTall ? 9 - blur : 18 - blur)..<39 + blur
                for y in rows { for x in left..<left + (letter == "_" ? 16 : 12) { samples[y * width + x] = 15 } }
                if letter == "_" { for y in rows { for x in left - 4..<left { samples[y * width + x] = 15 } } }
                if letter != "_" { peaks.append((Double(left) + 6) / 8) }
            }
            ink = LineInk(width: width, height: 48, samples: samples)
        }

        /// Returns the text after a reading of its letters.
        func settled(_ read: String) -> String {
            var places = peaks[...]
            let letters = read.map { character in
                CTCDecoder.Letter(
                    character: character, peak: character == " " ? (places.first ?? 1) - 1 : places.removeFirst(),
                    confidence: 0.9)
            }
            return String(LetterCase(of: letters, in: ink).settled.map(\.character))
        }
    }

    @Test(arguments: [
        ("Now", "NoW"), ("How", "HoW"), ("Raw", "RaW"), ("Bus", "BuS"), ("Zoo", "ZoO"), ("Door", "D00r"),
        ("No wow", "NO wow"), ("Row-box", "RoW-boX"),
    ])
    func lettersHaveTheCaseThatIsDrawn(drawn: String, read: String) {
        for blur in 0...1 {
            #expect(Line(drawn, blur: blur).settled(read) == drawn)
            #expect(Line(drawn, blur: blur).settled(drawn) == drawn)
        }
    }

    /// Words of one height, numbers and codes say nothing, and a small letter never becomes a capital.
    @Test(arguments: [
        ("wow", "WOW"), ("SOS", "sos"), ("O2", "o2"), ("Boo", "B00"), ("ROWo", "ROW0"), ("100", "100"), ("w", "W"),
        ("Zoo5", "Z005"), ("kW", "kw"), ("hOc", "hoc"), ("LaTeX", "LaTeX"), ("DevOps", "DevOps"), ("kW", "kW"),
        ("Zosux", "ZOSUX"),
    ])
    func whatTheHeightsDoNotTellStays(drawn: String, read: String) { #expect(Line(drawn).settled(read) == read) }

    @Test func lettersThatTouchOthersStay() {
        #expect(Line("R_w").settled("RW") == "RW")
        #expect(Line("Rw").settled("RW") == "Rw")
    }

    /// In small capitals, other capitals are small as well.
    @Test func smallCapitalsStayCapitals() { #expect(Line("Missis").settled("MISSIS") == "MISSIS") }

    @Test(
        .enabled(if: Engines.isInstalled, "the networks are not installed"),
        arguments: ["DejaVu Sans", "DejaVu Sans Bold"])
    func shortLinesAreReadAsTheyAreDrawn(font: String) async throws {
        let texts = [
            "How", "Now", "Raw", "Row", "Show", "Door", "Bus", "View", "Review", "kWh", "DevOps", "B21", "C3", "T9",
            "L4", "Z70", "M1", "N1",
            "C 3", "B 21", "T 9", "K 11", "No. 5",
        ]
        let recognizer = try await Engines.engine().recognizer
        var wrong: [String] = []
        for (text, size) in texts.flatMap({ text in [20.0, 28, 44].map { (text, $0) } }) {
            let line = RenderedText.Line(text: text, font: font, size: size, origin: Point(40, 40))
            let page = RenderedText(width: 400, height: 140, lines: [line])
            let words = page.words.map(\.quad.bounds)
            let place = words.dropFirst().reduce(words[0]) { $0.union($1) }
            let read = try await recognizer.recognize([Quad(place.grown(by: 0.25 * size))], in: page.picture)[0]
            if read?.textWithGaps != text { wrong.append("\(text) \(size): \(read?.textWithGaps ?? "-")") }
        }
        // Networks give different last digits on other processors.
        #expect(wrong.count <= 2, "\(wrong)")
    }
}
