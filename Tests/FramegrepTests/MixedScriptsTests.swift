import TestSupport
import Testing

/// Lines with words in two scripts, of which the networks know one.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MixedScriptsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let mixed = [
        "Выход EXIT", "Saint Petersburg Санкт-Петербург", "Windows обновление",
    ]

    /// Words in two scripts in one line: without the language such a line is left out, because a word of it cannot be read.
    @Test(.enabled(if: Scripts.areRead && Scripts.has("eng"), "the networks or tesseract-ocr-eng are not installed"))
    func linesInTwoScriptsAreLeftOut() async throws {
        let english = try Scripts.english(in: folder)
        for options in [["--all-text"], ["--all-text", "--level", "fast"]] {
            let path = try Scripts.picture(Self.mixed + ["Platform closed"], in: folder)
            let outcome = try await Framegrep.run(["find"] + options + [path], environment: english)
            #expect(outcome.status == 0 && Scripts.texts(outcome) == ["Platform closed"], "\(outcome)")
            #expect(outcome.stderr.contains("3 lines look Cyrillic"), "\(outcome)")
        }
    }

    @Test(.enabled(if: Scripts.areRead && Scripts.has("rus"), "the networks or tesseract-ocr-rus are not installed"))
    func eachWordIsReadInItsScript() async throws {
        let lines = Self.mixed + ["Platform closed"]
        let still = try await Framegrep.run(["find", "--all-text", try Scripts.picture(lines, in: folder)])
        #expect(still.status == 0 && still.stderr == "" && Set(Scripts.texts(still)) == Set(lines), "\(still)")
        let clip = try await Framegrep.run(["find", "--all-text", try await Scripts.clip(of: lines, in: folder)])
        #expect(clip.status == 0 && clip.stderr == "" && Set(Scripts.live(clip)) == Set(lines), "\(clip)")
    }

    /// Tesseract makes Russian words of Latin ones that have letters of the same shapes, beside Russian words and alone; it knows
    /// Russian words of such letters.
    @Test(
        .enabled(if: Scripts.areRead && Scripts.has("rus"), "the networks or tesseract-ocr-rus are not installed"),
        arguments: [34.0, 44])
    func latinWordsStayLatin(size: Double) async throws {
        let lines = [
            "Выход EXIT", "Туалет NIKE", "Билеты NEXT", "Билеты IBM", "NASA HQ MAP", "Выход ВОТ", "Туалет НОМЕР",
        ]
        let outcome = try await Framegrep.run(
            ["find", "--all-text", try Scripts.picture(lines, size: size, in: folder)])
        #expect(outcome.status == 0 && outcome.stderr == "" && Set(Scripts.texts(outcome)) == Set(lines), "\(outcome)")
    }

    /// Words whose letters all have the shapes of Cyrillic ones, codes, and icons beside labels.
    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"))
    func wordsThatOnlyLookLikeAnotherScriptStay() async throws {
        let lines = [
            "He said: No!", "OBAMA VOTES YES", "HBO MAX presents", "PAX 205 BC", "TAKE THE BACK EXIT",
            "\u{2699} Settings",
            "\u{2605} Favorites", "KA 05 MH 1234",
        ]
        let path = try Scripts.picture(lines, in: folder)
        let outcome = try await Framegrep.run(["find", "--all-text", "--level", "fast", path])
        let words = outcome.lines.isEmpty ? [] : Scripts.texts(outcome)
        #expect(outcome.stderr == "", "\(outcome)")
        for line in lines.filter({ $0.allSatisfy(\.isASCII) }) { #expect(words.contains(line), "\(line): \(words)") }
        #expect(words.contains { $0.contains("Settings") } && words.contains { $0.contains("Favorites") }, "\(words)")
    }
}
