/// A sound of speech, as coarse as it takes to tell words apart that somebody said from words that were only heard.
///
/// The letters are near to those of the phonetic alphabet; vowels that a recognizer takes for each other are neighbors.
enum Sound: UInt8, Sendable, Hashable {
    // Vowels: cat, bed, sit, hot, cup, see, day, go, blue, my, now, boy, her.
    case a, e, i, o, u, ee, ay, oh, oo, eye, ow, oy, er
    // Consonants.
    case p, b, t, d, k, g, f, v, th, dh, s, z, sh, zh, ch, j, h, m, n, ng, l, r, w, y

    var isVowel: Bool { rawValue <= Sound.er.rawValue }

    /// Consonants that are made in the same way.
    private enum Manner { case stop, hiss, breath, nasal, glide }

    private var manner: Manner {
        switch self {
        case .p, .b, .t, .d, .k, .g: .stop
        case .s, .z, .sh, .zh, .ch, .j: .hiss
        case .f, .v, .th, .dh, .h: .breath
        case .m, .n, .ng: .nasal
        default: .glide
        }
    }

    /// Consonants that differ by the voice only.
    private static let voiced: [Sound: Sound] = [
        .p: .b, .t: .d, .k: .g, .f: .v, .th: .dh, .s: .z, .sh: .zh, .ch: .j,
    ]
    /// Others that are heard for each other.
    private static let near: [Set<Sound>] = [
        [.t, .ch], [.d, .j], [.s, .sh], [.sh, .ch], [.th, .f], [.th, .s], [.th, .t], [.dh, .d], [.dh, .v], [.v, .b],
        [.v, .w],
        [.n, .m], [.n, .ng], [.l, .r], [.l, .w], [.r, .w], [.p, .f], [.s, .z], [.j, .zh], [.y, .j], [.k, .t], [.p, .t],
        [.p, .k], [.b, .d], [.g, .d], [.z, .dh],
    ]
    private static let nearVowels: [Set<Sound>] = [
        [.a, .e], [.e, .i], [.i, .ee], [.e, .ay], [.ay, .ee], [.a, .u], [.u, .o], [.o, .oh], [.o, .ow], [.oh, .oo],
        [.oo, .u],
        [.u, .er], [.e, .er], [.eye, .oy], [.a, .ow], [.i, .er], [.a, .o], [.oh, .ow], [.a, .ay], [.eye, .a],
        [.er, .oh],
        [.er, .o], [.i, .u], [.e, .u],
    ]

    /// What it costs to have heard one for the other, 0 to 1.
    static func cost(_ said: Sound, _ heard: Sound) -> Float { costs[Int(said.rawValue) * count + Int(heard.rawValue)] }

    static let count = Int(Sound.y.rawValue) + 1

    private static let costs: [Float] = {
        let all = (0..<UInt8(count)).compactMap(Sound.init)
        return all.flatMap { one in all.map { measured(one, $0) } }
    }()

    private static func measured(_ one: Sound, _ other: Sound) -> Float {
        if one == other { return 0 }
        let pair: Set<Sound> = [one, other]
        if one.isVowel, other.isVowel { return nearVowels.contains(pair) ? 0.2 : 0.4 }
        guard !one.isVowel, !other.isVowel else {
            // A syllable that lost its vowel, as in "button".
            return pair.contains(.y) && (pair.contains(.ee) || pair.contains(.i))
                || pair.contains(.w) && (pair.contains(.oo) || pair.contains(.oh))
                || pair.contains(.r) && pair.contains(.er) ? 0.3 : 1
        }
        if voiced[one] == other || voiced[other] == one { return 0.2 }
        if near.contains(pair) { return 0.45 }
        return one.manner == other.manner ? 0.6 : 0.85
    }

    /// What it costs not to have heard it, or to have heard it where nobody said it.
    var lostCost: Float {
        switch self {
        case .h, .y, .w: 0.35
        case .er, .u, .i: 0.35
        case .t, .d, .r, .l, .n: 0.55
        default: isVowel ? 0.5 : 0.7
        }
    }
}

/// How far two runs of sounds are from each other.
enum SoundDistance {
    /// The least cost of all ways to take one for the other.
    ///
    /// - Parameter most: a greater cost need not be known exactly.
    static func cost(_ said: [Sound], _ heard: [Sound], most: Float = .infinity) -> Float {
        var row: [Float] = [0]
        for sound in heard { row.append(row[row.count - 1] + sound.lostCost) }
        for (index, sound) in said.enumerated() {
            var corner = row[0]
            row[0] += sound.lostCost
            var least = row[0]
            for column in heard.indices {
                let above = row[column + 1]
                let isTwice = index > 0 && said[index - 1] == sound && column > 0 && heard[column - 1] == sound
                let lost = above + (isTwice ? 0.15 : sound.lostCost)
                row[column + 1] = min(
                    corner + Sound.cost(sound, heard[column]), lost, row[column] + heard[column].lostCost)
                corner = above
                least = min(least, row[column + 1])
            }
            if least > most { return least }
        }
        return row[row.count - 1]
    }

    /// The cost for each sound there is: 0 for the same, near 1 for words that have nothing in common.
    static func normalized(_ said: [Sound], _ heard: [Sound]) -> Float {
        let weight = max(said.reduce(0) { $0 + $1.lostCost }, heard.reduce(0) { $0 + $1.lostCost })
        return weight > 0 ? min(1, cost(said, heard) / weight) : 1
    }
}
