import Engines
import Foundation
import NeuralOCR
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextMatching
import TextSpotting

/// Lines in scripts that the networks do not know: noticed in `--all-text`, and read if Tesseract has the language.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OtherScriptsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: The evidence

    /// Returns the fast recognizer's reading of a drawn line.
    private static func evidence(
        of text: String, size: Double, font: FontFace = .sansBold, isLight: Bool = false
    ) async throws -> ScriptEvidence {
        let (ink, paper) = (
            OverlayColor(hex: isLight ? 0x202020 : 0xF4F4F4), OverlayColor(hex: isLight ? 0xE8E4D8 : 0x30404A)
        )
        let canvas = try Canvas(width: Int(40 + size * Double(text.count)), height: Int(4 * size), color: paper)
        let drawn = canvas.draw(CanvasText(text, font: font, size: size, color: ink), at: .move(to: Point(30, size)))
        let quad = try #require(drawn.ink).grown(by: 0.25 * size)
        let line = try await fast.value.recognizer.noticingScripts().reading(down: 0)
            .recognize([quad], in: canvas.picture(.rgb))[0]
        return ScriptEvidence(line?.evidence.first?.otherScripts ?? [], of: line?.text ?? "")
    }

    private static let fast = Task { try await NeuralEngine.load() }
    private static let sizes = [20.0, 28, 40, 56]

    @Test(
        .enabled(if: Scripts.areRead, "the networks are not installed"),
        arguments: [
            (
                "Cyrillic", "ru",
                [
                    "Привет, как дела?", "Следующая станция", "СТОП", "Спасибо", "Где ты был?", "Кто там?", "МОСКВА",
                    "РЕСТОРАН",
                ]
            ),
            ("Greek", "el", ["Επόμενη στάση", "Καλημέρα σας", "ΕΞΟΔΟΣ", "Πού πηγαίνεις;"]),
            ("Korean", "ko", ["안녕하세요", "서울역 출구", "감사합니다", "오늘은 날씨가 좋네요"]),
            ("Japanese", "ja", ["ポイ捨てはやめてください", "ありがとうございます", "エレベーター", "どこへ行くの"]),
        ])
    func linesInOtherScriptsAreNoticed(script: String, language: String, texts: [String]) async throws {
        guard Scripts.hasFont(for: language) else { return }
        var missed: [String] = []
        let pictures = texts.flatMap { text in Self.sizes.flatMap { [(text, $0, false), (text, $0, true)] } }
        for (text, size, isLight) in pictures {
            let evidence = try await Self.evidence(of: text, size: size, isLight: isLight)
            if evidence.strength < ScriptScreen.sure || evidence.script.name != script {
                missed.append("\(text) \(size): \(evidence.strength) \(evidence.script.name)")
            }
        }
        // Networks give different last digits on other processors; short words are close to the threshold.
        #expect(missed.count * 8 <= pictures.count, "\(missed)")
    }

    /// Languages in Latin letters, digits, codes, names, program text and Chinese.
    @Test(
        .enabled(if: Scripts.areRead, "the networks are not installed"),
        arguments: [
            [
                "EXIT 12", "OK", "Run!", "Yes?", "TAXI", "COMPACT", "KHAKI BOX", "MAX TEMP", "HEBAM CTOP", "Part 1",
                "I know.",
            ],
            ["0013", "12.5", "-88.9", "19:41:10", "2026-11-23", "00:00:01:12", "30 km/h", "3.14", "100 %", "7"],
            [
                "WX69JK3092", "96-ND-JB", "0x7fe3a9c1", "1IC7RxHb", "B2B", "R2D2", "X-Y 404", "H2O", "MB 3478",
                "PHP 8.3",
            ],
            [
                "Nächster Halt: Düsseldorf", "Čačak – Žilina", "Où êtes-vous ?", "¿Qué hora es?", "Łódź Żywiec",
                "İstanbul",
            ],
            [
                "guard let url = URL(string: path) else {", "iPhone eBay LaTeX mRNA", "jane.doe@example.com",
                "#include <math.h>",
            ],
            ["没有要清理的文件", "中央图书馆", "出口"],
        ])
    func knownLinesAreNot(texts: [String]) async throws {
        for (text, size) in texts.flatMap({ text in Self.sizes.map { (text, $0) } }) {
            for font in [FontFace.sans, .sansBold, .mono] {
                let evidence = try await Self.evidence(of: text, size: size, font: font)
                #expect(evidence.strength < ScriptScreen.sure, "\(text) \(size): \(evidence.strength)")
            }
        }
    }

    /// Words whose letters all have the shapes of Latin ones; words of other languages and codes with the same letters
    /// are not.
    @Test(arguments: [
        ("MOCKBA", "Cyrillic"), ("HOMEP 12", "Cyrillic"), ("PECTOPAH", "Cyrillic"), ("TEATP", "Cyrillic"),
        ("KACCA", "Cyrillic"), ("HeT", "Cyrillic"), ("MaMa", "Cyrillic"), ("AOHNA", "Greek"), ("A0HNA", "Greek"),
        ("KENTPO", "Greek"), ("COMPACT", nil), ("MAX TEMP", nil), ("TAXI", nil), ("HET", nil), ("MAMA", nil),
        ("TOMY", nil), ("BOX 12", nil), ("KBHM", nil), ("HOMEP KBHM", nil), ("2026", nil), ("", nil), ("KACCA1", nil),
    ])
    func wordsOfLookAlikesAreKnown(text: String, script: String?) {
        let evidence = ScriptEvidence([Float](repeating: -6, count: 13), of: text)
        #expect((evidence.strength >= ScriptScreen.sure ? evidence.script.name : nil) == script)
        // Its reader knows these letters.
        #expect(ScriptEvidence([], of: text).strength == -.infinity)
    }

    /// The networks are almost certain of the letters of some fonts.
    @Test(arguments: [("OKHO", "Cyrillic"), ("Kacca", "Cyrillic"), ("TAXI", nil), ("Ho", nil), ("HET", nil)])
    func ofLongWordsOfLookAlikesTheLookSaysLittle(text: String, script: String?) {
        let evidence = ScriptEvidence([Float](repeating: -11, count: 13), of: text)
        #expect((evidence.strength >= ScriptScreen.sure ? evidence.script.name : nil) == script)
    }

    /// - Parameter strength: the reader's evidence for Cyrillic; nil if the reader knows the script.
    private static func line(_ strength: Float?, _ id: Int, score: Double = 0.95) -> Sighting {
        let quad = Quad(Rect(x: 0, y: 0, width: 100, height: 20))
        let time = FrameTime(index: id, start: StreamTime(seconds: Double(id)), duration: StreamTime(seconds: 1))
        var line = Sighting(
            id: id, patternIndex: 0, pattern: "", text: "line \(id)", line: "line \(id)", start: time.start,
            end: time.start + time.duration,
            score: score, peak: Sighting.Box(time: time, quad: quad))
        if let strength { line.otherScripts = [strength] + [Float](repeating: -20, count: 12) }
        return line
    }

    /// A single slightly doubtful line is reported, though late; of several none is.
    @Test func oneBadReadingIsNoScript() {
        var screen = ScriptScreen()
        let known = (1...5).map { Self.line($0 % 2 == 0 ? nil : -6, $0) }
        var told = known.flatMap { screen.take($0) }
        #expect(told == known)
        told += screen.take(Self.line(0.9, 6)) + screen.take(Self.line(-8, 7)) + screen.finish()
        #expect(told.map(\.id) == Array(1...7) && screen.leftOut.isEmpty)
    }

    /// The first clear line is left out at once, and nothing waits for it; unreadable lines are left out too.
    @Test func oneClearLineIsEnough() {
        var screen = ScriptScreen()
        let lines = [
            Self.line(-8, 1), Self.line(4, 2), Self.line(-8, 3), Self.line(0.5, 4, score: 0.3), Self.line(nil, 5),
        ]
        #expect(lines.map { screen.take($0).map(\.id) } == [[1], [], [3], [], [5]])
        #expect(screen.leftOut.map(\.key.name) == ["Cyrillic"] && screen.leftOut.map(\.value) == [2])
        #expect(screen.finish().isEmpty)
    }

    /// Among hundreds of lines in Latin letters one that looks like Cyrillic is a bad reading, unless it cannot be
    /// anything else.
    @Test func amongManyKnownLinesItTakesMore() {
        var screen = ScriptScreen()
        for id in 1...200 { #expect(screen.take(Self.line(-7, id)).map(\.id) == [id]) }
        #expect(screen.take(Self.line(3, 201)).isEmpty)
        #expect(screen.take(Self.line(-7, 202)).isEmpty && screen.finish().map(\.id) == [201, 202])
        #expect(screen.take(Self.line(12, 203)).isEmpty && screen.leftOut.map(\.value) == [1])
        // After that, others need less evidence.
        #expect(screen.take(Self.line(0.9, 204)).isEmpty && screen.leftOut.map(\.value) == [2])
    }

    /// One or two doubtful letters are counted; icons are read like that too, so that they say nothing about others.
    @Test func aFragmentSaysNothingAboutOtherLines() {
        var screen = ScriptScreen()
        var fragment = Self.line(12, 1, score: 0.6)
        fragment.line = "%7"
        #expect(screen.take(fragment).isEmpty && screen.leftOut.map(\.value) == [1])
        #expect(screen.take(Self.line(0.9, 2)).isEmpty && screen.finish().map(\.id) == [2])
    }

    /// Once a line was clear, the doubtful ones before and after it are left out too.
    @Test func doubtedLinesBesideAClearOneAreLeftOut() {
        var screen = ScriptScreen()
        let lines = [Self.line(0.8, 1), Self.line(-7, 2), Self.line(5, 3), Self.line(0.9, 4), Self.line(-7, 5)]
        let told = lines.flatMap { screen.take($0) } + screen.finish()
        #expect(told.map(\.id) == [2, 5])
        #expect(screen.leftOut.map(\.value) == [3])
    }

    /// In a running picture no line waits for a doubtful one, and the doubtful one waits only for some time.
    @Test func aRunningPictureIsNotKeptWaiting() {
        let now = ContinuousClock.now
        func take(_ screen: inout ScriptScreen, _ line: Sighting, after seconds: Double) -> [Int] {
            screen.take(line, now: now + .seconds(seconds)).map(\.id)
        }
        var screen = ScriptScreen(patience: .seconds(10))
        #expect(ScriptScreen.doubts(Self.line(0.9, 1)))
        #expect(take(&screen, Self.line(0.9, 1), after: 0).isEmpty)
        #expect(take(&screen, Self.line(-7, 2), after: 1) == [2])
        #expect(screen.waited(until: now + .seconds(9)).isEmpty)
        #expect(screen.waited(until: now + .seconds(10)).map(\.id) == [1])
        #expect(screen.finish().isEmpty && screen.leftOut.isEmpty)
        // A clear line does not wait and is counted, and so are doubtful ones beside it.
        #expect(take(&screen, Self.line(5, 3), after: 20).isEmpty)
        #expect(screen.leftOut.map(\.value) == [1])
        for id in 4...5 { #expect(take(&screen, Self.line(0.9, id), after: 21).isEmpty) }
        #expect(screen.waited(until: now + .seconds(60)).isEmpty)
        #expect(screen.leftOut.map(\.value) == [3])
        // Days later a bad reading counts as one again.
        for number in 7...400 { #expect(take(&screen, Self.line(-7, number), after: 70) == [number]) }
        #expect(take(&screen, Self.line(0.9, 401), after: 80).isEmpty)
        #expect(screen.waited(until: now + .seconds(91)).map(\.id) == [401])
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
        // A search finds the same as before: the networks' readings stay.
        let found = try await Framegrep.run(
            ["find", "Gate 12", path] + Array(options.dropFirst()), environment: english)
        #expect(found.status == 0 && found.stderr == "", "\(found)")
        // If there is nothing to report, nothing is printed.
        let latin = try Scripts.picture(["Platform closed", "Gate 12", "Nächster Halt: Düsseldorf"], in: folder)
        let plain = try await Framegrep.run(["find"] + options + [latin], environment: english)
        #expect(plain.stderr == "" && plain.stdout.contains("Düsseldorf"), "\(plain)")
    }

    /// A caption of one short word: the networks read one or two doubtful letters, as of a texture.
    @Test(.enabled(if: Scripts.areRead && Scripts.has("eng"), "the networks or tesseract-ocr-eng are not installed"))
    func shortWordsAreNotLeftOutSilently() async throws {
        guard Scripts.hasFont(for: "ko") else { return }
        let english = try Scripts.english(in: folder)
        var silent: [String] = []
        let words = ["주의", "안녕", "화장실", "금지", "입구", "출구", "가자!"]
        for word in words {
            let clip = try await Scripts.clip(of: [word], in: folder)
            let outcome = try await Framegrep.run(["find", "--all-text", clip], environment: english)
            if !outcome.stderr.contains("1 line looks") { silent.append("\(word): \(outcome.stderr)") }
        }
        // Networks give different last digits on other processors.
        #expect(silent.count * 2 <= words.count, "\(silent)")
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
        // Lines that are left out do not count.
        #expect(try await Framegrep.run(live + ["-c"], environment: english).stdout == "2\n")
        let first = try await Framegrep.run(live + ["-m", "1"], environment: english)
        #expect(
            first.lines.count == 1 && ["Platform closed", "Gate 12"].contains(Scripts.live(first).first), "\(first)")
        let events = try await Framegrep.run(live + ["--format", "jsonl"], environment: english)
        let texts = events.objects.filter { $0["type"] as? String == "text" }.compactMap { $0["text"] as? String }
        #expect(Set(texts) == ["Platform closed", "Gate 12"], "\(events)")
        let codes = events.objects.filter { $0["type"] as? String == "warning" }.map { $0["code"] as? String }
        #expect(codes == ["engine-unavailable"], "\(events)")
        // With a named language, and with --remember, lines are read as before.
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

/// The engines that read scripts, and pictures of scripts.
enum Scripts {
    static let areRead = NeuralEngine.installation().hasLevel(.accurate)
    /// The folder with Tesseract's data, searched for as the program does.
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

    /// Draws a picture line by line.
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

    /// Returns an environment with only Tesseract's English data.
    static func english(in folder: TemporaryFolder) throws -> [String: String] {
        let data = folder.file("tessdata")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let source = try #require(Self.data)
        try FileManager.default.createSymbolicLink(
            atPath: data + "/eng.traineddata", withDestinationPath: source + "/eng.traineddata")
        return ["TESSDATA_PREFIX": data]
    }

    /// Renders a clip with the lines in view for some seconds.
    static func clip(of lines: [String], in folder: TemporaryFolder) async throws -> String {
        let (picture, path) = (try picture(lines, in: folder), folder.file("lines.mkv"))
        let made = try await (try #require(Tool("gst-launch-1.0"))).run(
            "-q filesrc location=\(picture) ! pngdec ! videoconvert ! imagefreeze num-buffers=40 ! video/x-raw,framerate=10/1 ! "
                .split(separator: " ").map(String.init)
                + ["jpegenc", "quality=95", "!", "matroskamux", "!", "filesink", "location=\(path)"])
        try #require(made.status == 0, "\(made)")
        return path
    }

    /// Returns the texts of the printed lines, without the input's name.
    static func texts(_ outcome: Framegrep.Outcome) -> [String] {
        outcome.lines.map { String($0.drop { $0 != ":" }.dropFirst(2)) }
    }

    /// Does the same for `live`, whose lines have times.
    static func live(_ outcome: Framegrep.Outcome) -> [String] {
        outcome.lines.map { line in line.split(separator: ": ").dropFirst().joined(separator: ": ") }
    }

    /// Replaces the micro sign, which Tesseract returns instead of the Greek letter.
    static func plain(_ text: String) -> String { text.replacingOccurrences(of: "\u{B5}", with: "μ") }
}
