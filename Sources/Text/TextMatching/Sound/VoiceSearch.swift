/// A known text that may have been said.
public struct VoiceCandidate: Sendable, Hashable {
    /// The text as written.
    public var text: String
    /// The distance of its sounds from those that were heard, 0 to 1.
    public var distance: Double
    /// The difference in likelihood from the transcript, by the recognizer: 0 if it is as likely, usually less.
    public var lead: Double
    /// Whether it is a whole line rather than some words of one.
    public var isWhole: Bool

    public init(text: String, distance: Double, lead: Double, isWhole: Bool = true) {
        (self.text, self.distance, self.lead, self.isWhole) = (text, distance, lead, isWhole)
    }

    /// Higher if it sounds more like the words that were heard.
    var score: Double { lead - 6 * distance }
    /// Higher for likelier candidates: lines have many parts, and are usually said as a whole.
    var rank: Double { isWhole ? score : score - Self.partCost }

    private static let partCost = 2.0
}

/// The search that the speaker meant: a known text, or the words as they were heard.
public struct VoiceSearch: Sendable, Hashable {
    /// The words as the recognizer wrote them.
    public let heard: String
    /// The text to search for.
    public let text: String
    /// Other texts that may have been meant, likelier ones first; with ``text`` at most nine.
    public let others: [String]

    /// The score below which a text counts as not said.
    private static let leastScore = -17.0
    /// The same if the transcript makes no sense.
    private static let leastScoreOfNonsense = -10.0
    private static let mostWords = 10

    /// - Parameters:
    ///   - heard: the words as the recognizer wrote them.
    ///   - candidates: the known texts.
    /// - Returns: nil if nothing searchable was heard.
    public init?(heard: String, _ candidates: [VoiceCandidate]) {
        let heard = heard.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // People use fewer words to name a text, while a recognizer that hears nothing makes up many, or repeats one.
        let words = heard.lowercased().split(separator: " ")
        let isOne =
            heard.contains(where: { $0.isLetter || $0.isNumber }) && words.count <= Self.mostWords
            && (words.count < 4 || Set(words).count * 2 > words.count)
        var known: [String] = []
        let least = isOne ? Self.leastScore : Self.leastScoreOfNonsense
        for candidate in candidates.sorted(by: { $0.rank > $1.rank }) where candidate.score >= least {
            // Leave out parts of a likelier one, too.
            if !known.contains(where: { Self.holds($0, candidate.text) }) { known.append(candidate.text) }
        }
        guard isOne || !known.isEmpty else { return nil }
        self.heard = heard
        text = known.first ?? heard
        let rest = known.dropFirst() + (known.isEmpty || known.contains { Self.isSame($0, heard) } ? [] : [heard])
        others = Array(rest.prefix(8))
    }

    private static func isSame(_ a: String, _ b: String) -> Bool { a.lowercased() == b.lowercased() }
    private static func holds(_ whole: String, _ part: String) -> Bool {
        whole.lowercased().contains(part.lowercased())
    }

    /// The sentence `heard "translators" → TRANSISTORS`, or only the words that were heard.
    public var sentence: String {
        Self.isSame(heard, text) ? "heard \"\(heard)\"" : "heard \"\(heard)\" → \(text)"
    }
}

/// Derives the likely pronunciation of English words from their letters, by rules without a dictionary. Known texts and
/// heard words go through the same rules, so that a word that they get wrong still matches itself.
enum SpelledSounds {
    /// A rule by which these letters of a word make these sounds. `^` before the letters stands for the beginning of
    /// the word, `$` after them for its end.
    private struct Rule {
        let letters: [UInt8]
        let isAtBegin: Bool
        let isAtEnd: Bool
        /// The letter that must follow: any letter, a vowel (`+`), or one of e, i and y (`~`), or a consonant (`-`).
        let next: UInt8?
        let sounds: [Sound]
    }

    /// Longer pieces come before shorter ones; written as `letters>sounds`.
    private static let table = """
        ^kn>n ^gn>n ^wr>r ^ps>s ^wh>w ^x>z ^rh>r ^who>h+oo ^one$>w+u+n ^two$>t+oo ^the$>dh+u ^eye>eye ^hour>ow+er ^sc~>s ^sch>s+k
        ^eigh>ay ^island>eye+l+u+n+d ^mc>m+k ^u-+e$>y+oo ^busi>b+i+z ^busy>b+i+z+ee ^women>w+i+m+i+n ^off>o+f ^of$>u+v ^are$>o+r
        ^ex+>e+g+z ^once>w+u+n+s ^be$>b+ee ^me$>m+ee ^we$>w+ee ^he$>h+ee ^she$>sh+ee ^to$>t+oo ^do$>d+oo ^go$>g+oh ^no$>n+oh ^so$>s+oh
        ^fuse>f+y+oo+z ^use>y+oo+z ^uni>y+oo+n+i ^know>n+oh ^ski>s+k+ee ^iron>eye+er+n ^screw>s+k+r+oo ^live$>l+i+v ^give>g+i+v
        ough$>oh ought>o+t aught>o+t ough>o ight>eye+t igh>eye eigh>ay tion>sh+u+n sion>zh+u+n ssion>sh+u+n cian>sh+u+n tious>sh+u+s
        cious>sh+u+s ture>ch+er tial>sh+u+l cial>sh+u+l sure$>zh+er que$>k gue$>g tch>ch dge>j sch>s+k cch>k ck>k ph>f gh>g
        sh>sh ch>ch th>th ng$>ng ngth>ng+th nge$>n+j ng>ng+g nk>ng+k wh>w qu>k+w cqu>k+w xc~>k+s mb$>m mn$>m bt$>t lk$>k alk>o+k alm>o+m
        ould>oo+d olk>oh+k stle>s+u+l sten>s+u+n tle$>t+u+l ble$>b+u+l dle$>d+u+l gle$>g+u+l kle$>k+u+l ple$>p+u+l zle$>z+u+l fle$>f+u+l
        eer>ee+r ear>ee+r air>e+r are$>e+r oor>o+r our>o+r oar>o+r ier$>ee+er eau>oh iew>y+oo uy>eye
        augh>o oughl>o aigh>ay eye>eye oice>oy+s oise>oy+z ause>o+z
        ee>ee ea>ee ai>ay ay>ay ei>ay ey$>ee ey>ay oa>oh oe$>oh oo>oo ou>ow ow$>oh ow>ow oi>oy oy>oy au>o aw>o ew>oo ue$>oo ue>oo ui>oo ie$>ee
        ies$>ee+z ied$>eye+d ie>ee eu>y+oo ia>ee+u io>ee+oh
        ace$>ay+s ages$>i+j+i+z age$>i+j ate$>ay+t ave$>ay+v ine$>eye+n ite$>eye+t ice$>eye+s ide$>eye+d ife$>eye+f ike$>eye+k ile$>eye+l
        ime$>eye+m ipe$>eye+p ire$>eye+er ive$>eye+v ize$>eye+z ise$>eye+z obe$>oh+b ode$>oh+d oke$>oh+k ole$>oh+l ome$>oh+m one$>oh+n ope$>oh+p
        ore$>o+r ose$>oh+z ote$>oh+t ove$>u+v oze$>oh+z ube$>oo+b ude$>oo+d uke$>oo+k ule$>oo+l ume$>oo+m une$>oo+n ure$>y+oo+r use$>oo+z ute$>oo+t
        abe$>ay+b ade$>ay+d afe$>ay+f ake$>ay+k ale$>ay+l ame$>ay+m ane$>ay+n ape$>ay+p ase$>ay+s aze$>ay+z ede$>ee+d eme$>ee+m ene$>ee+n ere$>ee+r
        ete$>ee+t eve$>ee+v
        ades$>ay+d+z akes$>ay+k+s ales$>ay+l+z ames$>ay+m+z anes$>ay+n+z apes$>ay+p+s ates$>ay+t+s aves$>ay+v+z aces$>ay+s+i+z ases$>ay+s+i+z
        ides$>eye+d+z ikes$>eye+k+s iles$>eye+l+z imes$>eye+m+z ines$>eye+n+z ipes$>eye+p+s ires$>eye+er+z ites$>eye+t+s ives$>eye+v+z ices$>eye+s+i+z
        odes$>oh+d+z okes$>oh+k+s oles$>oh+l+z omes$>oh+m+z ones$>oh+n+z opes$>oh+p+s ores$>o+r+z oses$>oh+z+i+z otes$>oh+t+s
        ubes$>oo+b+z uses$>oo+z+i+z ules$>oo+l+z
        arr>a+r ar>o+r er>er ir>er ur>er or$>er or>o+r yr>er
        ses$>s+i+z zes$>z+i+z xes$>k+s+i+z ches$>ch+i+z shes$>sh+i+z ces$>s+i+z ges$>j+i+z es$>z ted$>t+i+d ded$>d+i+d ed$>d e$>
        all>o+l old>oh+l+d olt>oh+l+t oll>oh+l ind$>eye+n+d ild$>eye+l+d igns>eye+n+z ign>eye+n
        bb>b cc~>k+s cc>k dd>d ff>f gg>g ll>l mm>m nn>n pp>p rr>r ss>s tt>t zz>z
        c~>s ^g~>j g~>j dg>j x>k+s y+>y ^y>y y$>ee y>i
        a>a b>b c>k d>d e>e f>f g>g h>h i>i j>j k>k l>l m>m n>n o>o p>p q>k r>r s>s t>t u>u v>v w>w z>z
        """

    private static let names: [Substring: Sound] = [
        "a": .a, "e": .e, "i": .i, "o": .o, "u": .u, "ee": .ee, "ay": .ay, "oh": .oh, "oo": .oo, "eye": .eye, "ow": .ow,
        "oy": .oy, "er": .er, "p": .p, "b": .b, "t": .t, "d": .d, "k": .k, "g": .g, "f": .f, "v": .v, "th": .th,
        "dh": .dh,
        "s": .s, "z": .z, "sh": .sh, "zh": .zh, "ch": .ch, "j": .j, "h": .h, "m": .m, "n": .n, "ng": .ng, "l": .l,
        "r": .r,
        "w": .w, "y": .y,
    ]

    /// The rules by their first letter, in the order in which they are tried.
    private static let rules: [[Rule]] = {
        var byLetter = [[Rule]](repeating: [], count: 26)
        for text in table.split(whereSeparator: \.isWhitespace) {
            guard let arrow = text.firstIndex(of: ">") else { continue }
            var letters = Array(text[..<arrow].utf8)
            let isAtBegin = letters.first == UInt8(ascii: "^")
            if isAtBegin { letters.removeFirst() }
            let isAtEnd = letters.last == UInt8(ascii: "$")
            if isAtEnd { letters.removeLast() }
            let marks = [UInt8(ascii: "+"), UInt8(ascii: "~"), UInt8(ascii: "-")]
            let next = letters.last.flatMap { marks.contains($0) ? $0 : nil }
            if next != nil { letters.removeLast() }
            guard let first = letters.first, letters.allSatisfy(isLetter) else { continue }
            let sounds = text[text.index(after: arrow)...].split(separator: "+").compactMap { names[$0] }
            byLetter[Int(first - UInt8(ascii: "a"))].append(
                Rule(letters: letters, isAtBegin: isAtBegin, isAtEnd: isAtEnd, next: next, sounds: sounds))
        }
        // The longest first; of those with equal length, the most specific first.
        func demand(_ rule: Rule) -> Int {
            rule.letters.count * 4 + (rule.isAtBegin ? 1 : 0) + (rule.isAtEnd ? 1 : 0) + (rule.next == nil ? 0 : 1)
        }
        return byLetter.map { rules in
            rules.enumerated().sorted { (demand($0.element), -$0.offset) > (demand($1.element), -$1.offset) }.map(
                \.element)
        }
    }()

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isVowel(_ byte: UInt8) -> Bool { "aeiou".utf8.contains(byte) }

    /// Returns the sounds of one word.
    ///
    /// - Parameter word: lowercase letters a to z only.
    static func sounds(of word: [UInt8]) -> [Sound] {
        if word.count == 1, let letter = word.first { return letterNames[letter] ?? [] }
        // A word without a vowel, such as LCD, is spelled out; HDMI has a vowel and is not.
        if word.count <= 4, !word.contains(where: { isVowel($0) || $0 == UInt8(ascii: "y") }) {
            return word.flatMap { letterNames[$0] ?? [] }
        }
        var result: [Sound] = []
        var place = 0
        while place < word.count {
            guard let rule = rules[Int(word[place] - UInt8(ascii: "a"))].first(where: { fits($0, word, place) }) else {
                place += 1
                continue
            }
            result += rule.sounds
            place += rule.letters.count
        }
        return result
    }

    private static func fits(_ rule: Rule, _ word: [UInt8], _ place: Int) -> Bool {
        let end = place + rule.letters.count
        guard end <= word.count, !rule.isAtBegin || place == 0, !rule.isAtEnd || end == word.count,
            rule.letters == Array(word[place..<end])
        else { return false }
        guard let next = rule.next else { return true }
        guard end < word.count else { return false }
        switch next {
        case UInt8(ascii: "+"): return isVowel(word[end])
        case UInt8(ascii: "-"): return !isVowel(word[end])
        default: return [UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "y")].contains(word[end])
        }
    }

    /// The names of single letters.
    static let letterNames: [UInt8: [Sound]] = [
        UInt8(ascii: "a"): [.ay], UInt8(ascii: "b"): [.b, .ee], UInt8(ascii: "c"): [.s, .ee],
        UInt8(ascii: "d"): [.d, .ee],
        UInt8(ascii: "e"): [.ee], UInt8(ascii: "f"): [.e, .f], UInt8(ascii: "g"): [.j, .ee],
        UInt8(ascii: "h"): [.ay, .ch],
        UInt8(ascii: "i"): [.eye], UInt8(ascii: "j"): [.j, .ay], UInt8(ascii: "k"): [.k, .ay],
        UInt8(ascii: "l"): [.e, .l],
        UInt8(ascii: "m"): [.e, .m], UInt8(ascii: "n"): [.e, .n], UInt8(ascii: "o"): [.oh],
        UInt8(ascii: "p"): [.p, .ee],
        UInt8(ascii: "q"): [.k, .y, .oo], UInt8(ascii: "r"): [.o, .r], UInt8(ascii: "s"): [.e, .s],
        UInt8(ascii: "t"): [.t, .ee],
        UInt8(ascii: "u"): [.y, .oo], UInt8(ascii: "v"): [.v, .ee], UInt8(ascii: "w"): [.d, .u, .b, .l, .y, .oo],
        UInt8(ascii: "x"): [.e, .k, .s], UInt8(ascii: "y"): [.w, .eye], UInt8(ascii: "z"): [.z, .ee],
    ]
}
