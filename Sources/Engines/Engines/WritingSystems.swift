import TesseractOCR

/// Maps Tesseract's languages to the letters they are written with: enough to know what an engine without these letters
/// cannot read.
public enum WritingSystems {
    /// For each script that some engine may lack: a letter of it, its block of Unicode, and the languages written in it
    /// (ISO 639-2 codes as Tesseract uses them), the most spoken first.
    private static let all: [(letter: Character, block: ClosedRange<UInt32>, languages: [String])] = [
        ("한", 0xAC00...0xD7A3, ["kor"]),
        ("あ", 0x3041...0x30FF, ["jpn", "jpn_vert"]),
        (
            "Я", 0x0400...0x04FF,
            ["rus", "ukr", "bul", "srp", "bel", "mkd", "kaz", "kir", "mon", "tgk", "tat", "uzb_cyrl"]
        ),
        ("ع", 0x0600...0x06FF, ["ara", "fas", "urd", "pus", "snd", "uig", "kur_ara"]),
        ("ע", 0x0590...0x05FF, ["heb", "yid"]),
        ("क", 0x0900...0x097F, ["hin", "mar", "nep", "san"]),
        ("ব", 0x0980...0x09FF, ["ben", "asm"]),
        ("ਪ", 0x0A00...0x0A7F, ["pan"]),
        ("ગ", 0x0A80...0x0AFF, ["guj"]),
        ("ଓ", 0x0B00...0x0B7F, ["ori"]),
        ("த", 0x0B80...0x0BFF, ["tam"]),
        ("త", 0x0C00...0x0C7F, ["tel"]),
        ("ಕ", 0x0C80...0x0CFF, ["kan"]),
        ("മ", 0x0D00...0x0D7F, ["mal"]),
        ("ස", 0x0D80...0x0DFF, ["sin"]),
        ("ก", 0x0E00...0x0E7F, ["tha"]),
        ("ກ", 0x0E80...0x0EFF, ["lao"]),
        ("བ", 0x0F00...0x0FFF, ["bod", "dzo"]),
        ("မ", 0x1000...0x109F, ["mya"]),
        ("ქ", 0x10A0...0x10FF, ["kat", "kat_old"]),
        ("አ", 0x1200...0x137F, ["amh", "tir"]),
        ("ក", 0x1780...0x17FF, ["khm"]),
        ("Հ", 0x0530...0x058F, ["hye"]),
    ]

    /// Returns the script of a letter, with its languages.
    static func system(of letter: Character) -> (block: ClosedRange<UInt32>, languages: [String])? {
        all.first { $0.letter == letter }.map { ($0.block, $0.languages) }
    }

    /// Returns a letter of the script in which `language` is written; nil if no engine is known to lack it.
    static func letter(of language: String) -> Character? {
        language == "ell" ? "ά" : all.first { $0.languages.contains(language) }?.letter
    }

    /// Returns the letters of the scripts in which these languages are written.
    static func blocks(of languages: [String]) -> [ClosedRange<UInt32>] {
        all.filter { !$0.languages.allSatisfy { !languages.contains($0) } }.map(\.block)
            + (languages.contains("ell") ? [0x370...0x3FF, 0x1F00...0x1FFF] : [])
    }

    /// The languages that need none of these letters, or only kana, which the larger networks know: all others that
    /// Tesseract has names for.
    private static let others: Set<String> = [
        "afr", "aze", "bos", "bre", "cat", "ceb", "ces", "chi_sim", "chi_sim_vert", "chi_tra", "chi_tra_vert", "cos",
        "cym",
        "dan", "deu", "eng", "enm", "epo", "est", "eus", "fao", "fil", "fin", "fra", "frk", "frm", "fry", "gla",
        "gle",
        "glg", "grc", "hat", "hrv", "hun", "ind", "isl", "ita", "ita_old", "jav", "jpn", "jpn_vert", "kmr", "lat",
        "lav", "lit",
        "ltz", "mlt", "mri", "msa", "nld", "nor", "oci", "pol", "por", "que", "ron", "slk", "slv", "spa", "spa_old",
        "sqi",
        "srp_latn", "sun", "swa", "swe", "ton", "tur", "uzb", "vie", "yor",
    ]

    /// Returns whether the networks may read a language of this name without Tesseract.
    static func isRead(withoutTesseract language: String) -> Bool { others.contains(language) }

    /// Returns the language to request when `text` is searched: the most widely spoken one of each script in it that
    /// may be missing.
    public static func languages(for text: String) -> [String] {
        all.filter { script in text.unicodeScalars.contains { script.block.contains($0.value) } }
            .compactMap(\.languages.first)
            + (isGreek(text) && TesseractEngine.installedLanguages().contains("ell") ? ["ell"] : [])
    }

    /// Returns whether the text is a Greek word rather than a symbol: the networks know its letters without accents,
    /// and confuse most of them with Latin ones.
    private static func isGreek(_ text: String) -> Bool {
        text.unicodeScalars.count { (0x386...0x3CE).contains($0.value) || (0x1F00...0x1FFF).contains($0.value) } >= 3
    }
}
