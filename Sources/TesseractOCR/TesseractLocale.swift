/// The language of the user's locale by Tesseract's name.
enum TesseractLocale {
    /// Nil for the locales C and POSIX and for languages Tesseract has no data for.
    ///
    /// As in POSIX, the first of LC_ALL, LC_MESSAGES and LANG that is set and not empty counts.
    static func language(environment: [String: String]) -> String? {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap(name(ofLocale:))
    }

    /// `ko_KR.UTF-8` is `kor`, `zh_TW` is `chi_tra`, `sr_RS@latin` is `srp_latn`.
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
