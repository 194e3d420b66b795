import Engines
import Foundation
import NeuralOCR
import OverlayDrawing
import TestSupport
import Testing
import TextSpotting

/// Lines in scripts that the networks do not know: noticed in `--all-text`, and read where Tesseract has the language.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OtherScriptsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: The evidence

    /// As the networks read them, with their scores.
    @Test(arguments: [
        ("KongaHBnybI: [onuHarap] [TIPKEIrI] OuHgrap:", 0.819, "Cyrillic"), ("npemeTabe noMepaj", 0.932, "Cyrillic"),
        ("TO5bIH IWIHE KOCY KEPEK ∏E?", 0.925, "Cyrillic"), ("Mεσatwvuká Oλλavδuká (πεp. 1050-1350)", 0.891, "Greek"),
        ("Uuunztqhugluò ηtp", 0.866, "Armenian"), ("3J3mgósdob bsbg20", 0.897, "Georgian"),
        ("wùqùtgųuò t", 0.758, "Armenian"), ("318 71171n7 0W", 0.914, "Hebrew"),
    ])
    func foreignLinesAreNoticed(text: String, score: Double, script: String) {
        let evidence = ScriptEvidence(of: text, score: score)
        #expect(evidence.strength > 0.3, "\(evidence.strength)")
        #expect(evidence.script.name == script)
    }

    /// Languages in Latin letters, codes, program text and Chinese, also where they were read with doubt; and what a reader of the script read.
    @Test(arguments: [
        ("Platform closed", 0.99), ("Nepavyko gauti duomenis iš antrinio", 0.994), ("E VJETËR; SLLAVISHTE", 0.995),
        ("EXIT 12", 0.93),
        ("iPhone eBay LaTeX mRNA", 0.97), ("1IC7RxHb-FMBfolvR", 0.995), ("R16 22k C5 199nF", 0.998),
        ("0x7fe3a9c1", 0.98),
        ("没有要清理的文件，退", 0.999), ("guard let url = URL(string: path) else {", 0.97), ("WX69JK3092", 0.97),
        ("2026-11-23 19:41:10", 0.96),
        ("Москва", 0.7), ("안녕하세요", 0.6), ("שלום", 0.5),
    ])
    func knownLinesAreNot(text: String, score: Double) {
        #expect(ScriptEvidence(of: text, score: score).strength < 0.3)
    }

    private static func line(_ text: String, _ score: Double, _ id: Int) -> Sighting {
        let quad = Quad(Rect(x: 0, y: 0, width: 100, height: 20))
        let time = FrameTime(index: id, start: StreamTime(seconds: Double(id)), duration: StreamTime(seconds: 1))
        return Sighting(
            id: id, patternIndex: 0, pattern: "", text: text, line: text, start: time.start,
            end: time.start + time.duration,
            score: score, peak: Sighting.Box(time: time, quad: quad))
    }

    /// One bad reading is told, if late; of several lines none is.
    @Test func oneBadReadingIsNoScript() {
        var screen = ScriptScreen()
        let known = (1...5).map { Self.line("Platform \($0) is closed", 0.99, $0) }
        let bad = Self.line("VAARÃA", 0.66, 6)
        var told = known.flatMap { screen.take($0) }
        #expect(told == known)
        told += screen.take(bad) + screen.take(Self.line("lower deck", 0.99, 7)) + screen.finish()
        #expect(told.map(\.id) == Array(1...7) && screen.leftOut.isEmpty)
    }

    @Test func severalLinesAre() {
        var screen = ScriptScreen()
        let lines = [
            Self.line("npemeTabe noMepaj", 0.932, 1), Self.line("Platform closed", 0.99, 2),
            Self.line("y36eybKa", 0.85, 3),
            Self.line("KongaHBnybI: [onuHarap] [TIPKEIrI] OuHgrap:", 0.82, 4), Self.line("lower deck", 0.99, 5),
        ]
        let told = lines.flatMap { screen.take($0) } + screen.finish()
        #expect(told.map(\.id) == [2, 5])
        #expect(screen.leftOut.map(\.key.name) == ["Cyrillic"] && screen.leftOut.map(\.value) == [3])
    }

    /// Of a running picture no line waits for a doubted one, and that one only for some time.
    @Test func aRunningPictureIsNotKeptWaiting() {
        let now = ContinuousClock.now
        func take(_ screen: inout ScriptScreen, _ line: Sighting, after seconds: Double) -> [Int] {
            screen.take(line, now: now + .seconds(seconds)).map(\.id)
        }
        var screen = ScriptScreen(patience: .seconds(10))
        #expect(ScriptScreen.doubts(Self.line("npemeTabe noMepaj", 0.932, 1)))
        #expect(take(&screen, Self.line("npemeTabe noMepaj", 0.932, 1), after: 0).isEmpty)
        #expect(take(&screen, Self.line("lower deck", 0.99, 2), after: 1) == [2])
        #expect(screen.waited(until: now + .seconds(9)).isEmpty)
        #expect(screen.waited(until: now + .seconds(10)).map(\.id) == [1])
        #expect(screen.finish().isEmpty && screen.leftOut.isEmpty)
        // Several lines are a script, whatever waits.
        #expect(take(&screen, Self.line("npemeTabe noMepaj", 0.932, 3), after: 20).isEmpty)
        #expect(take(&screen, Self.line("KongaHBnybI: [onuHarap] [TIPKEIrI] OuHgrap:", 0.82, 4), after: 21).isEmpty)
        #expect(take(&screen, Self.line("y36eybKa", 0.85, 5), after: 22).isEmpty)
        #expect(screen.waited(until: now + .seconds(60)).isEmpty)
        #expect(screen.leftOut.map(\.value) == [3])
        // Days later a bad reading is one again.
        for number in 6...300 {
            #expect(take(&screen, Self.line("Platform closed", 0.99, number), after: 70) == [number])
        }
        #expect(take(&screen, Self.line("npemeTabe noMepaj", 0.932, 301), after: 80).isEmpty)
        #expect(screen.waited(until: now + .seconds(91)).map(\.id) == [301])
    }

    // MARK: The program

    @Test(
        .enabled(if: Scripts.areRead && Scripts.has("eng"), "the networks or tesseract-ocr-eng are not installed"),
        arguments: [["--all-text"], ["--all-text", "--level", "fast"], ["--transcript", "--level", "fast"]])
    func withoutTheLanguageLinesAreLeftOut(options: [String]) async throws {
        let path = try Scripts.picture(Scripts.russian, in: folder)
        let english = try Scripts.english(in: folder)
        let outcome = try await Framegrep.run(["find"] + options + [path], environment: english)
        #expect(
            outcome.status == 0
                && Set(Scripts.texts(outcome).flatMap { $0.split(separator: " ") }) == [
                    "Platform", "closed", "Gate", "12",
                ],
            "\(outcome)")
        #expect(
            outcome.stderr.contains("3 lines look Cyrillic")
                && outcome.stderr.contains("apt install tesseract-ocr-rus"), "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1, "once: \(outcome)")
        // A search finds what it found: the networks' readings stay.
        let found = try await Framegrep.run(
            ["find", "Gate 12", path] + Array(options.dropFirst()), environment: english)
        #expect(found.status == 0 && found.stderr == "", "\(found)")
        // With nothing to say, nothing is said.
        let latin = try Scripts.picture(["Platform closed", "Gate 12", "Nächster Halt: Düsseldorf"], in: folder)
        let plain = try await Framegrep.run(["find"] + options + [latin], environment: english)
        #expect(plain.stderr == "" && plain.stdout.contains("Düsseldorf"), "\(plain)")
    }

    @Test(
        .enabled(if: Scripts.areRead && Scripts.has("rus"), "the networks or tesseract-ocr-rus are not installed"),
        arguments: [["--all-text"], ["--all-text", "--level", "fast"]])
    func withTheLanguageTheyAreRead(options: [String]) async throws {
        let path = try Scripts.picture(Scripts.russian, in: folder)
        let outcome = try await Framegrep.run(["find"] + options + [path])
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        #expect(Scripts.texts(outcome) == Scripts.russian)
        #expect(try await Framegrep.run(["find"] + options + ["--threads", "1", path]).stdout == outcome.stdout)
    }

    // MARK: Running pictures

    @Test(.enabled(if: Scripts.areRead && Scripts.has("eng"), "the networks or tesseract-ocr-eng are not installed"))
    func liveLeavesThemOutToo() async throws {
        let (path, english) = (try await Scripts.clip(of: Scripts.russian, in: folder), try Scripts.english(in: folder))
        let live = ["live", "--all-text", "--headless", path]
        let outcome = try await Framegrep.run(live, environment: english)
        #expect(outcome.status == 0 && Set(Scripts.live(outcome)) == ["Platform closed", "Gate 12"], "\(outcome)")
        #expect(outcome.stderr.contains("apt install tesseract-ocr-rus"), "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1, "once: \(outcome)")
        // What is left out does not count.
        #expect(try await Framegrep.run(live + ["-c"], environment: english).stdout == "2\n")
        let first = try await Framegrep.run(live + ["-m", "1"], environment: english)
        #expect(
            first.lines.count == 1 && ["Platform closed", "Gate 12"].contains(Scripts.live(first).first), "\(first)")
        let events = try await Framegrep.run(live + ["--format", "jsonl"], environment: english)
        let texts = events.objects.filter { $0["type"] as? String == "text" }.compactMap { $0["text"] as? String }
        #expect(Set(texts) == ["Platform closed", "Gate 12"], "\(events)")
        let codes = events.objects.filter { $0["type"] as? String == "warning" }.map { $0["code"] as? String }
        #expect(codes == ["engine-unavailable"], "\(events)")
        // What is named, and what is remembered, is read as it was.
        let named = try await Framegrep.run(live + ["--language", "eng"], environment: english)
        #expect(named.lines.count == 5 && named.stderr == "", "\(named)")
    }

    @Test(.enabled(if: Scripts.areRead && Scripts.has("rus"), "the networks or tesseract-ocr-rus are not installed"))
    func liveReadsThemWithTheLanguage() async throws {
        let outcome = try await Framegrep.run([
            "live", "--all-text", "--headless", try await Scripts.clip(of: Scripts.russian, in: folder),
        ])
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        #expect(Set(Scripts.live(outcome)) == Set(Scripts.russian))
    }
}

/// What there is to read scripts with, and pictures of them.
enum Scripts {
    static let areRead = NeuralEngine.installation().hasLevel(.accurate)
    /// Where Tesseract's data is, as the program looks for it.
    static let data = [
        ProcessInfo.processInfo.environment["TESSDATA_PREFIX"] ?? "/", "/usr/share/tesseract-ocr/5/tessdata",
        "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata",
    ].first { folder in
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { $0.hasSuffix(".traineddata") }
    }
    static func has(_ language: String) -> Bool {
        data.map { FileManager.default.fileExists(atPath: "\($0)/\(language).traineddata") } ?? false
    }

    static func hasFont(for language: String) -> Bool {
        let list = Process()
        let output = Pipe()
        list.executableURL = URL(fileURLWithPath: "/usr/bin/fc-list")
        list.arguments = [":lang=\(language)"]
        list.standardOutput = output
        guard (try? list.run()) != nil else { return false }
        return !output.fileHandleForReading.readDataToEndOfFile().isEmpty
    }

    /// Drawn line by line.
    static func picture(_ lines: [String], size: Double = 34, in folder: TemporaryFolder) throws -> String {
        let canvas = try Canvas(width: 900, height: 80 + 80 * lines.count, color: OverlayColor(hex: 0xE8E4D8))
        for (number, line) in lines.enumerated() {
            _ = canvas.draw(
                CanvasText(line, font: .sansBold, size: size), at: .move(to: Point(60, 40 + 80 * Double(number))))
        }
        try PNGWriter.write(canvas, to: folder.file("lines.png"))
        return folder.file("lines.png")
    }

    static let russian = [
        "Следующая станция", "Осторожно, двери закрываются", "Platform closed", "Выход к поездам", "Gate 12",
    ]

    /// The environment in which there is Tesseract's data of English alone.
    static func english(in folder: TemporaryFolder) throws -> [String: String] {
        let data = folder.file("tessdata")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let source = try #require(Self.data)
        try FileManager.default.createSymbolicLink(
            atPath: data + "/eng.traineddata", withDestinationPath: source + "/eng.traineddata")
        return ["TESSDATA_PREFIX": data]
    }

    /// The lines, in view for some seconds.
    static func clip(of lines: [String], in folder: TemporaryFolder) async throws -> String {
        let (picture, path) = (try picture(lines, in: folder), folder.file("lines.mkv"))
        let made = try await (try #require(Tool("gst-launch-1.0"))).run(
            "-q filesrc location=\(picture) ! pngdec ! videoconvert ! imagefreeze num-buffers=40 ! video/x-raw,framerate=10/1 ! "
                .split(separator: " ").map(String.init)
                + ["jpegenc", "quality=95", "!", "matroskamux", "!", "filesink", "location=\(path)"])
        try #require(made.status == 0, "\(made)")
        return path
    }

    /// The texts of the printed lines, without the input's name.
    static func texts(_ outcome: Framegrep.Outcome) -> [String] {
        outcome.lines.map { String($0.drop { $0 != ":" }.dropFirst(2)) }
    }

    /// The same of `live`, whose lines have times.
    static func live(_ outcome: Framegrep.Outcome) -> [String] {
        outcome.lines.map { line in line.split(separator: ": ").dropFirst().joined(separator: ": ") }
    }

    /// Tesseract has the sign for a millionth in the place of the Greek letter.
    static func plain(_ text: String) -> String { text.replacingOccurrences(of: "\u{B5}", with: "μ") }
}
