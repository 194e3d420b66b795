import Errors
import Foundation
public import Processes
public import TextSpotting
public import Threads

/// Tesseract on whole pictures: finds the lines and reads them in one step.
///
/// Each of its threads has its own instance of Tesseract, loaded when first needed and kept. Safe to use from several
/// tasks at once.
public struct TesseractEngine: TextReader {
    public let name: String
    /// The library's version, such as `5.3.0`.
    public let version: String
    /// The library's version, such as `5.3.0`; loads nothing.
    public static var libraryVersion: String { TesseractLibrary.version }
    /// Tesseract's names of the languages that are read, the most important first.
    public let languages: [String]
    private let settings: TesseractSettings
    let pool: WorkerPool<TesseractInstance>

    public var pictureFormat: Picture.Format { .luma }
    public var concurrency: Int { pool.width }

    /// Checks that the languages are installed; their data is loaded with the first picture.
    ///
    /// - Parameter picture: the running picture that is read, if any: reading pauses while it is shown late.
    /// - Throws: `FramegrepError` `engineUnavailable` with the missing Debian package.
    public static func load(
        _ settings: TesseractSettings = TesseractSettings(), givingWayTo picture: RightOfWay? = nil
    ) throws -> TesseractEngine {
        let data = try TesseractData.find(in: settings.dataFolder)
        let languages = try data.chosen(settings.languages, environment: ProcessInfo.processInfo.environment)
        let userWords = try UserWordsFile(settings.userWords)
        let joined = languages.joined(separator: "+")
        let version = TesseractLibrary.version
        let pool: WorkerPool<TesseractInstance>
        do {
            pool = try WorkerPool(name: "tesseract", width: settings.threads) { [userWords] in
                // A page is one job of seconds: it rests between words.
                try TesseractInstance.load(
                    languages: joined, folder: data.folder, userWords: userWords?.path, givingWayTo: picture)
            }
        } catch {
            throw FramegrepError(
                .engineUnavailable, "Tesseract could not start \(settings.threads) threads; use a smaller --threads.")
        }
        return TesseractEngine(
            name: "Tesseract \(version) (\(joined))", version: version, languages: languages, settings: settings,
            pool: pool)
    }

    /// Checks the names of languages joined by `+`.
    ///
    /// - Parameter isUnneeded: returns whether a language without data is read in another way.
    /// - Throws: `FramegrepError` `engineUnavailable` with the Debian package that is missing, `badArgument` for no name.
    public static func check(languages: String, isUnneeded: (String) -> Bool) throws {
        let names = languages.split(separator: "+").map(String.init)
        let needed = names.filter { !isUnneeded($0) }
        guard needed.isEmpty, !names.isEmpty else {
            let data = try TesseractData.find(in: nil)
            _ = try data.chosen(needed.joined(separator: "+"), environment: ProcessInfo.processInfo.environment)
            return
        }
    }

    /// Returns the languages whose data is installed, by Tesseract's names; empty if there is no data at all.
    public static func installedLanguages() -> [String] { (try? TesseractData.find(in: nil))?.languages ?? [] }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        guard let plan = PagePlan(width: picture.width, height: picture.height, layout: settings.layout) else {
            try Task.checkCancellation()
            return []
        }
        return try await pool.run { instance, cancellation in
            let seen = picture.gray().resized(width: plan.width, height: plan.height)
            let lines = try instance.read(seen, mode: plan.mode, cancellation: cancellation)
            let x = Double(picture.width) / Double(plan.width)
            let y = Double(picture.height) / Double(plan.height)
            let placed = x == 1 && y == 1 ? lines : lines.map { $0.mapped { $0.scaled(x: x, y: y) } }
            return plan.mode == .sparse ? ReadingOrder.sorted(placed, by: \.quad) : placed
        }
    }
}

extension TesseractEngine {
    /// Returns the languages that would be read, by Tesseract's names joined by `+`: those that are wanted, or those of this machine's
    /// locale that are installed.
    ///
    /// - Throws: `FramegrepError` (`engineUnavailable`) if one is not installed.
    public static func languages(for wanted: String?) throws -> String {
        try TesseractData.find(in: nil).chosen(wanted, environment: ProcessInfo.processInfo.environment)
            .joined(separator: "+")
    }

    /// Returns how to add a language, as the end of a sentence. The portable archive has its own folder of data.
    public static func advice(
        forLanguage name: String, isArchive: Bool = PortableArchive.folder != nil
    ) -> String {
        guard !isArchive else { return "set TESSDATA_PREFIX to a folder that contains \(name).traineddata" }
        let package = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return "install it with: apt install tesseract-ocr-\(String(package))"
    }
}

/// The folder with Tesseract's language data, and its files.
struct TesseractData: Hashable, Sendable {
    let folder: String
    /// Tesseract's names, sorted: `eng`, `kor`, `script/Latin`. Orientation data (`osd`) is not a language.
    let languages: [String]

    /// The folders in which distributions and users put it, the most specific first.
    static func folders(environment: [String: String]) -> [String] {
        var folders: [String] = []
        if let prefix = environment["TESSDATA_PREFIX"], !prefix.isEmpty { folders += [prefix, prefix + "/tessdata"] }
        return folders + [
            "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata",
            "/usr/share/tesseract/tessdata", "/usr/local/share/tessdata",
        ]
    }

    /// Returns the first folder that contains language data: only `folder` if it is given.
    /// - Throws: ``FramegrepError`` `engineUnavailable` if there is none.
    static func find(in folder: String?) throws -> TesseractData {
        let places = folder.map { [$0] } ?? folders(environment: ProcessInfo.processInfo.environment)
        for place in places {
            let languages = languages(in: place)
            if !languages.isEmpty { return TesseractData(folder: place, languages: languages) }
        }
        throw FramegrepError(
            .engineUnavailable,
            "Tesseract cannot read because no language data (.traineddata) was found in "
                + "\(places.joined(separator: ", ")); \(TesseractEngine.advice(forLanguage: "eng")).")
    }

    private static func languages(in folder: String) -> [String] {
        func names(_ subfolder: String) -> [String] {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + subfolder)) ?? []
            return files.filter { $0.hasSuffix(".traineddata") }.map { subfolder + $0.dropLast(".traineddata".count) }
        }
        return (names("") + names("script/")).filter { $0 != "osd" && $0 != "equ" }.sorted()
    }

    /// Returns the names in `wanted` (joined by `+`), or those of the locale; all of them are installed.
    /// - Throws: ``FramegrepError`` `engineUnavailable`, naming the Debian package of the first that is missing.
    func chosen(_ wanted: String?, environment: [String: String]) throws -> [String] {
        guard let wanted else {
            let suited = [TesseractLocale.language(environment: environment), "eng"].compactMap { $0 }
            let installed = suited.filter(languages.contains)
            if installed.isEmpty { throw missing("eng") }
            return installed.count == 2 && installed[0] == installed[1] ? ["eng"] : installed
        }
        var names: [String] = []
        for name in wanted.split(separator: "+").map(String.init) where !names.contains(name) { names.append(name) }
        guard !names.isEmpty else {
            throw FramegrepError(
                .badArgument, "No language is named; give Tesseract's names joined by +, as in eng+kor.")
        }
        if let absent = names.first(where: { !languages.contains($0) }) { throw missing(absent) }
        return names
    }

    private func missing(_ name: String) -> FramegrepError {
        FramegrepError(
            .engineUnavailable,
            "Tesseract has no data for the language \"\(name)\" in \(folder) (there is: "
                + "\(languages.joined(separator: ", "))); \(TesseractEngine.advice(forLanguage: name)).")
    }
}

/// Settings for reading with Tesseract; all their defaults are defined here.
public struct TesseractSettings: Hashable, Sendable {
    /// The layout of text in the pictures.
    public enum Layout: Hashable, Sendable, CaseIterable {
        /// Chosen by the picture's size; `docs/decisions/tesseract-beside.md` has the measurements.
        case automatic
        /// Columns of running text (page segmentation mode 3).
        case page
        /// One block of lines (mode 6).
        case block
        /// Text here and there (mode 11).
        case sparse
    }

    /// Tesseract's names joined by `+`, as in `eng+kor`; nil for the language of the locale, where its data is
    /// installed, and English.
    public var languages: String?
    /// The number of pictures that are read at the same time, each on a thread and an instance (some 30 MiB) of its own.
    public var threads: Int
    /// Words that Tesseract should accept as words of the language, `user_words` in its own terms. Measured on 69
    /// frames with 12 searched words, one of a few hundred lines changed, by an apostrophe: the option is offered, but
    /// not relied on.
    public var userWords: [String]
    public var layout: Layout
    /// The folder with the `.traineddata` files; nil for `TESSDATA_PREFIX` or the places distributions use.
    public var dataFolder: String?

    public init(
        languages: String? = nil, threads: Int = Processors.usable,
        userWords: [String] = [], layout: Layout = .automatic, dataFolder: String? = nil
    ) {
        self.languages = languages
        self.threads = threads
        self.userWords = userWords
        self.layout = layout
        self.dataFolder = dataFolder
    }
}

/// A file with the words that Tesseract is to know, one a line; it exists as long as the value that owns it.
///
/// Its name is removed as soon as it is written, so that nothing is left however the program ends: Tesseract
/// opens it by its descriptor (proc(5), `/proc/self/fd`).
final class UserWordsFile: Sendable {
    /// The path, for this process only.
    let path: String
    private let descriptor: Int32

    /// Returns nil if there are no words.
    /// - Throws: ``FramegrepError`` `engineUnavailable` if the file cannot be written.
    init?(_ words: [String]) throws {
        let single = words.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        guard !single.isEmpty else { return nil }
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("framegrep-\(UUID().uuidString).words")
            .path
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        path = "/proc/self/fd/\(descriptor)"
        guard descriptor >= 0 else { throw Self.failure(name) }
        unlink(name)
        let text = Array((single.joined(separator: "\n") + "\n").utf8)
        guard write(descriptor, text, text.count) == text.count else { throw Self.failure(name) }
    }

    private static func failure(_ name: String) -> FramegrepError {
        FramegrepError(
            .engineUnavailable,
            "The list of searched words for Tesseract could not be written to \(name): \(String(cString: strerror(errno))). "
                + "Set TMPDIR to a folder that can be written to.")
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The language of the user's locale by Tesseract's name.
enum TesseractLocale {
    /// Nil for the locales C and POSIX and for languages Tesseract has no data for.
    ///
    /// As in POSIX, the first of LC_ALL, LC_MESSAGES and LANG that is set and not empty counts.
    static func language(environment: [String: String]) -> String? {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap(name(ofLocale:))
    }

    /// Returns Tesseract's name of a locale's language: `kor` for `ko_KR.UTF-8`, `chi_tra` for `zh_TW`, `srp_latn` for `sr_RS@latin`.
    static func name(ofLocale locale: String) -> String? {
        let parts = locale.split(separator: "@", maxSplits: 1).map(String.init)
        let place = parts.first?.split(separator: ".").first.map(String.init) ?? ""
        let language = place.split(separator: "_").first.map { String($0).lowercased() } ?? ""
        switch language {
        case "zh": return ["TW", "HK", "MO"].contains { place.hasSuffix("_\($0)") } ? "chi_tra" : "chi_sim"
        case "sr": return parts.last == "latin" ? "srp_latn" : "srp"
        case "uz": return parts.last == "cyrillic" ? "uzb_cyrl" : "uzb"
        case "az": return parts.last == "cyrillic" ? "aze_cyrl" : "aze"
        default: return names[language]
        }
    }

    /// ISO 639-1 to the names of Tesseract's data files (mostly ISO 639-2).
    private static let names: [String: String] = [
        "af": "afr", "am": "amh", "ar": "ara", "as": "asm", "be": "bel", "bg": "bul", "bn": "ben", "bo": "bod",
        "br": "bre", "bs": "bos", "ca": "cat", "co": "cos", "cs": "ces", "cy": "cym", "da": "dan", "de": "deu",
        "dv": "div", "dz": "dzo", "el": "ell", "en": "eng", "eo": "epo", "es": "spa", "et": "est", "eu": "eus",
        "fa": "fas", "fi": "fin", "fo": "fao", "fr": "fra", "fy": "fry", "ga": "gle", "gd": "gla", "gl": "glg",
        "gu": "guj", "he": "heb", "hi": "hin", "hr": "hrv", "ht": "hat", "hu": "hun", "hy": "hye", "id": "ind",
        "is": "isl", "it": "ita", "iu": "iku", "ja": "jpn", "jv": "jav", "ka": "kat", "kk": "kaz", "km": "khm",
        "kn": "kan", "ko": "kor", "ku": "kmr", "ky": "kir", "la": "lat", "lb": "ltz", "lo": "lao", "lt": "lit",
        "lv": "lav", "mi": "mri", "mk": "mkd", "ml": "mal", "mn": "mon", "mr": "mar", "ms": "msa", "mt": "mlt",
        "my": "mya", "nb": "nor", "ne": "nep", "nl": "nld", "nn": "nor", "no": "nor", "oc": "oci", "or": "ori",
        "pa": "pan", "pl": "pol", "ps": "pus", "pt": "por", "qu": "que", "ro": "ron", "ru": "rus", "sa": "san",
        "sd": "snd", "si": "sin", "sk": "slk", "sl": "slv", "sq": "sqi", "su": "sun", "sv": "swe", "sw": "swa",
        "ta": "tam", "te": "tel", "tg": "tgk", "th": "tha", "ti": "tir", "to": "ton", "tr": "tur", "tt": "tat",
        "ug": "uig", "uk": "ukr", "ur": "urd", "vi": "vie", "yi": "yid", "yo": "yor",
    ]
}
