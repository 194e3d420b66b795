import Testing
import TextMatching

@Suite("Matching: forms of one and the same text")
struct MatchingFoldingTests {
    @Test(
        "forms that are the same text",
        arguments: [
            ("Sao Paulo", "São Paulo"), ("São", "SAO"), ("resume", "Re\u{301}sume\u{301}"), ("Łódź", "Lodz"),
            ("Øresund", "oresund"), ("Straße", "STRASSE"), ("Straße", "STRAẞE"), ("STRAẞE", "strasse"),
            ("encyclopaedia", "Encyclopædia"), ("office", "oﬃce"),
            ("it's", "it’s"), ("\"quoted\"", "“quoted”"), ("2010-2020", "2010–2020"), ("co-op", "co\u{AD}‑op"),
            ("ＡＢＣ１２３", "abc123"), ("Hello", "Ｈｅｌｌｏ"), ("№ 5", "No 5"), ("x²", "x2"), ("wait...", "wait…"),
            ("ΟΔΟΣ", "οδος"), ("Αθήνα", "ΑΘΗΝΑ"), ("Σίσυφος", "σισυφοσ"), ("МОСКВА", "Москва"), ("ещё", "Еще"),
            ("한국어", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}\u{110B}\u{1165}"), ("ｶﾞﾗｽ", "ガラス"),
            ("東京", "大東京都"), ("東京", "東 京"), ("مُحَمَّد", "محمد"), ("الله", "ﷲ"), ("שָׁלוֹם", "שלום"),
            ("Ｋ", "K"), ("«quoted»", "\"quoted\""), ("42", "٤٢"), ("४२", "42"), ("کتاب", "كتاب"), ("فارسی", "فارسي"),
            ("بيت־לחם", "بيت-לחם"), ("أحمد", "احمد"), ("مي خواهم", "می\u{200C}خواهم"), ("ｶﾀｶﾅ", "カタカナ"),
            ("がぎぐ", "か\u{3099}き\u{3099}く\u{3099}"),
            ("हिन्दी", "हिन्दी भाषा"), ("क़लम", "क\u{93C}लम"), ("ภาษาไทย", "เรียนภาษาไทย"), ("น้ำ", "น\u{E49}\u{E4D}\u{E32}"),
            ("ქართული", "ᲥᲐᲠᲗᲣᲚᲘ"),
            ("Հայերեն", "ՀԱՅԵՐԵՆ"), ("ГОРОД", "го\u{301}род"), ("ΆΝΘΡΩΠΟΣ", "άνθρωπος"), ("日本", "⽇本"),
            ("金", "\u{F90A}"), ("ᄒᆞᆫ글", "ᄒᆞᆫ글"),
            ("가나다", "\u{1100}\u{1161}나다"), ("EXIT", "E X I T"), ("E X I T", "EXIT"), ("１２：３０", "12:30"), ("㎏", "kg"),
            ("½", "1/2"), ("ﬀ", "FF"), ("İstanbul", "istanbul"), ("Việt Nam", "VIET NAM"),
        ])
    func same(pattern: String, read: String) throws {
        #expect(try find(pattern, in: read).count == 1)
    }

    @Test(
        "forms that are different texts",
        arguments: [
            ("か", "が"), ("ハ", "パ"), ("한", "하"), ("й", "и"), ("कि", "क"), ("東", "束"), ("ﾊ", "バ"), ("น้ำ", "นำ"), ("की", "के"),
            ("שלום", "שלומ"), ("ب", "ت"), ("о", "а"), ("ん", "ン"), ("ｶﾞ", "カ"), ("abc", "ａｂ"),
        ])
    func different(pattern: String, read: String) throws {
        #expect(try find(pattern, in: read).isEmpty)
    }

    @Test("a Hangul syllable is not found inside another that begins like it")
    func syllables() throws {
        #expect(try find("하", in: "한국").isEmpty)
        #expect(try find("\u{1112}\u{1161}", in: "한국").isEmpty)
    }

    @Test("a whole word of ideographs is each of them; of Hangul, the word")
    func wholeWords() throws {
        #expect(try find("東京", in: "大東京都", wholeWords: true).count == 1)
        #expect(try find("국어", in: "한국어", wholeWords: true).isEmpty)
        #expect(try find("한국어", in: "(한국어)", wholeWords: true).count == 1)
    }

    @Test("case-sensitive comparison still reads one text in its several encodings")
    func encodings() throws {
        #expect(try find("é", in: "e\u{301}", caseSensitive: true).count == 1)
        #expect(try find("ＡＢ", in: "AB", caseSensitive: true).count == 1)
        #expect(try find("ab", in: "AB", caseSensitive: true).isEmpty)
    }

    @Test("what matched is given back as it was read")
    func asRead() throws {
        let match = try #require(try find("office", in: "the oﬃces").first)
        #expect(match.text == "oﬃce")
        #expect(match.characterRange == 4..<8)
        #expect(try find("fi", in: "oﬃce").map(\.text) == ["ﬃ"])
        #expect(try find("rue de", in: "la RUE DE Londres").map(\.text) == ["RUE DE"])
    }
}
