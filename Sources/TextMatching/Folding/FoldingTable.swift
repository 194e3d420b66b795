/// Which scalars are folded beyond what Unicode's own properties say.
enum FoldingTable {
    /// Marks that no keyboard types and engines confuse, each with its plain form. The compatibility forms of
    /// Unicode (NFKC) leave these apart on purpose.
    static func plain(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x02B9, 0x02BC, 0x02BB, 0x00B4, 0x0060, 0xFF07, 0x2039,
            0x203A, 0x05F3:
            0x27  // '
        case 0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x02BA, 0x301D, 0x301E, 0x301F, 0xAB, 0xBB, 0x05F4: 0x22  // "
        case 0x2010...0x2015, 0x2043, 0x2212, 0x2E3A, 0x2E3B, 0xFE58, 0x05BE: 0x2D  // -
        case 0x2044, 0x2215: 0x2F  // /
        default: scalar
        }
    }

    /// Letters whose stroke or ligature Unicode does not take apart, as people type them without it.
    static func unstroked(_ scalar: UInt32) -> [UInt32]? {
        switch scalar {
        case 0xD8: [0x4F]  // Ø
        case 0xF8: [0x6F]
        case 0x110: [0x44]  // Đ
        case 0x111: [0x64]
        case 0x126: [0x48]  // Ħ
        case 0x127: [0x68]
        case 0x141: [0x4C]  // Ł
        case 0x142: [0x6C]
        case 0x166: [0x54]  // Ŧ
        case 0x167: [0x74]
        case 0xC6: [0x41, 0x45]  // Æ
        case 0xE6: [0x61, 0x65]
        case 0x152: [0x4F, 0x45]  // Œ
        case 0x153: [0x6F, 0x65]
        default: nil
        }
    }

    /// Letters that Arabic and Persian keyboards type differently and that look the same in most places of a word, and the
    /// decimal digits of every script.
    static func usual(_ value: UInt32) -> UInt32 {
        guard value >= 0x660 else { return value }
        switch value {
        case 0x06A9: return 0x0643
        case 0x06CC: return 0x064A
        case 0x06C1: return 0x0647
        default: break
        }
        guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory == .decimalNumber,
            let number = scalar.properties.numericValue, let digit = UInt32(exactly: number), digit < 10
        else { return value }
        return 0x30 + digit
    }

    /// A mark that may be left out in writing: the accents of Latin, Greek and Cyrillic letters, Hebrew points and
    /// Arabic vowel signs. Kana's voicing and the vowel signs of Indic scripts are marks too, but make other letters.
    static func isOptionalMark(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0300...0x036F, 0x0483...0x0487, 0x0591...0x05BD, 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7,
            0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670, 0x06D6...0x06DC, 0x06DF...0x06E4, 0x1AB0...0x1AFF,
            0x1DC0...0x1DFF, 0x20D0...0x20F0:
            true
        default: false
        }
    }

    /// Scripts in which ``isOptionalMark(_:)`` holds for the letters that Unicode stores with their marks. Cyrillic
    /// й is left out: it is a letter of its own.
    static func mayLoseMarks(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0419, 0x0439: false
        case 0x00C0...0x06FF, 0x1E00...0x1FFF, 0xFB1D...0xFB4F: true
        default: false
        }
    }

    /// Characters that are one and the same in every form we compare: Hangul syllables, kana and ideographs.
    static func isItsOwnForm(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAC00...0xD7A3, 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF: true
        default: false
        }
    }

    /// Scripts written without, or with freely placed, gaps between words: a gap says nothing about where a word ends.
    static func isUnspaced(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3041...0x30FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
