import OverlayDrawing
import Painting

/// Draws words by lot: of the vocabulary with prefixes and suffixes, made-up ones, numbers and codes.
struct WordSource {
    private var random: SeededGenerator
    private let training: Bool
    private var used = Set<String>()

    init(seed: UInt64, training: Bool) {
        random = SeededGenerator(seed: seed)
        self.training = training
    }

    /// A word that was not drawn before.
    mutating func next() -> String {
        while true {
            let word = draw()
            let key = word.lowercased()
            guard (3...14).contains(word.count), Vocabulary.isForTraining(key) == training, !used.contains(key) else {
                continue
            }
            used.insert(key)
            return word
        }
    }

    private mutating func draw() -> String {
        switch random.nextFraction() {
        case ..<0.5: cased(inflected())
        case ..<0.82: cased(madeUp())
        default: code()
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[random.below(values.count)]
    }

    private mutating func cased(_ word: String) -> String {
        switch random.nextFraction() {
        case ..<0.6: word
        case ..<0.8: word.prefix(1).uppercased() + word.dropFirst()
        default: word.uppercased()
        }
    }

    private mutating func inflected() -> String {
        pick(Vocabulary.prefixes) + pick(Vocabulary.common) + pick(Vocabulary.suffixes)
    }

    private mutating func madeUp() -> String {
        let onsets = [
            "b", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl", "qu",
            "r", "s", "sh", "st", "t", "tr", "v", "w", "x", "y", "z",
        ]
        let middles = ["a", "e", "i", "o", "u", "ai", "ea", "ou", "io", "ee"]
        let codas = ["", "", "n", "r", "l", "s", "t", "m", "nd", "rn", "ck", "x", "v", "ll", "mp"]
        return (0..<random.below(3) + 1).map { _ in pick(onsets) + pick(middles) + pick(codas) }.joined()
    }

    private mutating func code() -> String {
        func digits(_ count: Int, _ random: inout SeededGenerator) -> String {
            (0..<count).map { _ in String(random.below(10)) }.joined()
        }
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ").map(String.init)
        switch random.below(6) {
        case 0: return digits(3, &random) + " " + pick(Vocabulary.units)
        case 1: return digits(2, &random) + ":" + digits(2, &random)
        case 2: return pick(letters) + pick(letters) + "-" + digits(3, &random)
        case 3: return digits(random.below(4) + 4, &random)
        case 4: return digits(2, &random) + "." + digits(2, &random) + "." + digits(4, &random)
        default: return pick(letters) + digits(2, &random) + pick(letters) + digits(1, &random)
        }
    }
}

extension SeededGenerator {
    /// A number from 0 up to but not including `bound`.
    mutating func below(_ bound: Int) -> Int { Int(nextFraction() * Double(bound)) }
}

/// Words to render: common ones and numbers as signs, screens and captions show them.
///
/// A word belongs either to the training set or to the evaluation set, whatever the seed, by a hash of its letters.
enum Vocabulary {
    static let common: [String] = """
        about above access account across action active actor address after again against agent album alert almost along
        always amount anchor angle animal annual answer apple april arrival article artist attempt august author autumn
        average away baggage bakery balance bank barrel basket battery beach become before begin behind below berlin
        better between beyond bicycle billion board border bottle bottom bracket branch bread bridge bright bring broken
        brother budget buffer build bureau butter button cabinet cable calendar camera cancel candle captain carbon
        careful castle caution center central century chair chance change chapter charge cheese choice choose church
        circle citizen city class clean clear climate clinic close cloud coach coffee college color column comment
        common company compare complete concert connect contact content control corner correct cotton council count
        country courage course court cover cream create credit crisis cross crying culture current curtain custom cycle
        daily damage danger data daughter dealer debate decade decide deep default degree delay deliver demand deposit
        depth desert design detail device dialog diamond digital dinner direct discount display distance district doctor
        dollar double dragon drawer dream drink drive during early earth east editor effect effort eight elbow election
        electric eleven email emergency empty energy engine engineer enough enter entrance equal error escape europe
        evening event every exact example except exchange exit expert export express fabric factory failure family
        famous farmer fashion father feature february feedback festival field fifteen figure filter final finger finish
        fire first flight floor flower follow foreign forest forget formal fortune forward frame freedom fresh friday
        friend front fruit function future gallery garage garden gate general gentle giant glass global glove golden
        google gossip grammar grand green ground group guard guest guide habit hammer handle happen harbor health heart
        heavy helmet hidden history holiday home honest horizon hospital hotel hour house human hundred hunter ice
        image impact import inch index industry inform inner insect inside install instead interest invite island issue
        item january jacket journal journey judge july jump junior justice keep kernel keyboard kingdom kitchen knife
        label ladder lamp language large laser later laugh lawyer leader league learn leather legend length letter level
        library license light limit line linear liquid listen little local locked logic london lonely lounge lower lucky
        machine magnet main major manager manual march margin market master matter maximum meadow measure media medical
        meeting member memory mention menu message metal method middle midnight milk million mineral minimum minute
        mirror mobile model modem modern module moment monday money monitor month morning mother motion motor mountain
        mouse moving museum music mystery name narrow nation native nature nearly needle neither network never night
        nine noble noise normal north notice november number object ocean october offer office often olive open option
        orange orbit order organ origin other outer output outside oven owner oxygen packet page paint palace panel
        paper parcel parent parking partner party passage patient pattern payment peace pencil people pepper perfect
        period permit person phone photo picture piece pilot place plain planet plastic platform player plenty pocket
        poem police policy popular portal position postage potato powder power practice present press pretty price
        print prison private problem process product profile program project prompt protect public pump purple puzzle
        quality quarter queen question quick quiet radio railway rain random rather reader ready reason recent record
        reduce refresh region regular reject release remind remote remove repair repeat reply report request rescue
        reset resist result return review reward rhythm ribbon right river road robot rocket roof room root rotate rough
        round route royal rubber rule running safety salad salary sample saturday savings scale scene school science
        screen search season second secret section select senior sensor september series server service session settings
        seven shadow shape share sheet shelf shield shift ship shirt shoulder shower signal silence silver similar
        simple single sister skate skater sketch sleep slice slide small smart smile smooth snow social socket software
        soldier solid source south space speaker special speed spider spirit spoon spring square stable staff stage
        stairs stamp standard station statue status steel step stereo stock stone stop storage storm story street
        strong student studio style subject submit success sudden sugar summer sunday supply support surface survey
        sweet switch symbol system table tailor talent target taxi teacher temple tender terminal theater theory thirty
        thought thread three throat throw thunder thursday ticket tiger timber title toast today together tomato
        tonight tool total touch tourist toward tower track traffic train travel treasure tree trial triangle trouble
        truck trust tuesday tunnel turn twelve twenty twin uncle under union unique unit until update upper urban
        useful user valley value vector vehicle velvet version video village violin virtue visit voice volume voyage
        waiter wallet warning watch water weather website wednesday weekend weight west wheel while whisper white width
        window winter wire wisdom within without woman wonder wood world writer yellow young zebra zero zone
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let suffixes = ["", "", "", "s", "s", "ed", "er", "ing", "ly", "ment", "ness", "less", "able", "ers"]
    static let prefixes = ["", "", "", "", "re", "un", "out", "over", "sub", "pre", "inter"]
    static let units = ["FPS", "km", "MHz", "GB", "kg", "mm", "EUR", "min", "km/h", "MB", "kW", "ms"]

    /// Whether a word is for learning from; by its FNV-1a hash (Fowler, Noll, Vo).
    static func isForTraining(_ word: String) -> Bool {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in word.lowercased().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (hash >> 17) & 1 == 0
    }
}
