import Errors
import Testing
import TextSpotting

@testable import TesseractOCR

@Suite("Tesseract: languages and data")
struct TesseractSetupTests {
    @Test("a language that is not installed is named with its package")
    func missingLanguage() throws {
        let error = try #require(throws: FramegrepError.self) {
            try TesseractEngine.load(TesseractSettings(languages: "eng+chi_sim_vert_none"))
        }
        #expect(error.code == .engineUnavailable)
        #expect(error.message.contains("apt install tesseract-ocr-chi-sim-vert-none"))
    }

    @Test("data that is missing altogether is said to be")
    func missingData() throws {
        let error = try #require(throws: FramegrepError.self) {
            try TesseractEngine.load(TesseractSettings(dataFolder: "/nonexistent"))
        }
        #expect(error.code == .engineUnavailable)
        #expect(error.message.contains("/nonexistent"))
        #expect(error.message.contains("apt install tesseract-ocr-eng"))
    }

    @Test("the portable archive uses no package of the system")
    func archive() {
        #expect(
            TesseractEngine.advice(forLanguage: "chi_sim", isArchive: false)
                == "install it with: apt install tesseract-ocr-chi-sim")
        #expect(
            TesseractEngine.advice(forLanguage: "chi_sim", isArchive: true)
                == "set TESSDATA_PREFIX to a folder that contains chi_sim.traineddata")
    }

    @Test("languages that are no names are refused", arguments: ["", "+", "++"])
    func noNames(languages: String) throws {
        let error = try #require(throws: FramegrepError.self) {
            try TesseractEngine.load(TesseractSettings(languages: languages))
        }
        #expect(error.code == .badArgument)
    }

    @Test("the name says what reads")
    func name() throws {
        let engine = try TesseractEngine.load(TesseractSettings(languages: "eng", threads: 3))
        #expect(engine.name == "Tesseract \(engine.version) (eng)")
        #expect(engine.version.first?.isNumber == true)
        #expect(engine.concurrency == 3)
        #expect(TesseractEngine.installedLanguages().contains("eng"))
    }

    @Test(
        "the locale chooses the language where its data is installed",
        arguments: [
            ("ko_KR.UTF-8", ["kor", "eng"]), ("en_US.UTF-8", ["eng"]), ("C", ["eng"]), ("C.UTF-8", ["eng"]),
            ("fr_FR.UTF-8", ["eng"]), ("", ["eng"]),
        ])
    func chosen(locale: String, expected: [String]) throws {
        let data = TesseractData(folder: "/data", languages: ["eng", "kor"])
        #expect(try data.chosen(nil, environment: ["LANG": locale]) == expected)
        #expect(
            try data.chosen(nil, environment: ["LC_ALL": locale, "LANG": "ko_KR"])
                == (locale.isEmpty ? ["kor", "eng"] : expected))
    }

    @Test(
        "locales have Tesseract's names",
        arguments: [
            ("zh_TW.UTF-8", "chi_tra"), ("zh_CN", "chi_sim"), ("sr_RS@latin", "srp_latn"), ("de_DE@euro", "deu"),
            ("pt_BR", "por"), ("xx", nil), ("POSIX", nil), ("", nil),
        ] as [(String, String?)])
    func localeNames(locale: String, name: String?) {
        #expect(TesseractLocale.name(ofLocale: locale) == name)
    }

    @Test("searched words are given to Tesseract and their file goes with the engine")
    func userWords() async throws {
        let page = try RenderedPage.lines(["lipgloss"])
        let engine = try TesseractEngine.load(
            TesseractSettings(languages: "eng", threads: 1, userWords: ["lipgloss", "two words"]))
        #expect(try await engine.read(page.picture).text == ["lipgloss"])
    }
}
