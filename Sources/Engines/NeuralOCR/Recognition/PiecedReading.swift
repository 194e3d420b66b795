import TextMatching

/// The readings of the pieces of a line, put together.
struct PiecedReading {
    private(set) var letters: [CTCDecoder.Letter] = []
    private(set) var evidence = ReadingEvidence()
    /// The features that tell scripts apart.
    private(set) var scriptLetters: [ScriptNetwork.Letter] = []
    /// The number of steps of the pieces that were added.
    private var steps = 0

    /// Adds the network's output for the next piece.
    ///
    /// - Parameters:
    ///   - piece: the piece that was read.
    ///   - isLast: whether it is the last; the output for the padding after the line then belongs to it.
    ///   - scripts: determines the script from the letters; nil if that is not wanted.
    mutating func add(
        _ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary, of piece: StraightLine.Piece, isLast: Bool,
        noticing scripts: ScriptNetwork?
    ) {
        let own = (piece.width + CTCPosteriors.columnsPerStep - 1) / CTCPosteriors.columnsPerStep
        if let scripts, scriptLetters.count < ScriptNetwork.mostKept {
            var seen = scripts.letters(of: posteriors, steps: own)
            for index in seen.indices { seen[index].peak += Double(steps) }
            scriptLetters += seen
        }
        evidence.append(posteriors, dictionary, steps: own)
        var read = CTCDecoder.read(posteriors, dictionary, steps: isLast ? posteriors.steps : own)
        for index in read.indices { read[index].peak += Double(steps) }
        if piece.beginsWord, let before = letters.last?.character, let next = read.first?.character,
            Self.isGap(before, next)
        {
            letters.append(.init(character: " ", peak: Double(steps), confidence: 1))
        }
        letters += read
        steps += own
    }

    /// Adds the gap before the number in a line such as `C 3` or `No. 5` to the evidence, if the picture shows one. The
    /// network has learned codes (`C3`) and often misses it, and so short a line has too few letters for `WordGaps`.
    ///
    /// The words stay as they were read, because the letters of a code may be set wide.
    mutating func noticeGapBeforeNumber(in ink: LineInk) {
        guard let number = letters.firstIndex(where: \.character.isNumber), number > 0,
            letters[number...].allSatisfy(\.character.isNumber),
            number == 1
                ? letters[0].character.isUppercase
                : letters[number - 1].character == "." && number <= Self.longestAbbreviation
        else { return }
        let columns = letters[(number - 1)...].map { min(Int($0.peak) * CTCPosteriors.columnsPerStep, ink.width) }
        guard zip(columns, columns.dropFirst()).allSatisfy(<) else { return }
        let gaps = ink.gaps(in: columns[0]..<columns[columns.count - 1], rows: 0..<ink.height)
        let before = gaps.filter { $0.lowerBound < columns[1] }.max { $0.count < $1.count }
        let inside = gaps.filter { $0.lowerBound >= columns[1] }.map(\.count).max() ?? 0
        let least = letters[number].character == "1" ? Self.leastGapBeforeOne : StraightLine.leastGap
        guard let before, Double(before.count) >= least * Double(ink.height),
            Double(before.count) >= Self.leastRatioOfGaps * Double(inside)
        else { return }
        evidence.addGap(at: Int(letters[number - 1].peak + letters[number].peak) / 2, logarithm: -0.7)
    }

    /// The least gap before a 1, beside which fonts leave room, as a share of the line's height.
    private static let leastGapBeforeOne = 0.3
    /// The largest number of characters of an abbreviation before a number, with its point.
    private static let longestAbbreviation = 4
    /// The least ratio of the gap before a number to the widest one between its digits. That beside a 1 is wide too.
    private static let leastRatioOfGaps = 1.4

    /// Whether the network saw a gap with some probability where it read none.
    var hasDoubtfulGap: Bool { letters.indices.dropFirst().contains(where: mayBeginWord) }

    /// Returns whether the network saw a gap with some probability, and read none, between a letter and the one before it.
    private func mayBeginWord(at index: Int) -> Bool {
        let (before, letter) = (letters[index - 1], letters[index])
        guard before.character.isLetter, letter.character.isLetter, Self.isGap(before.character, letter.character)
        else { return false }
        let between = Int(before.peak)..<max(Int(before.peak), min(Int(letter.peak) + 1, evidence.count))
        return between.contains { step in
            evidence.candidates(at: step).contains { $0.scalar == 0x20 && $0.logarithm >= Self.leastOfDoubt }
        }
    }

    /// Adds the gaps that are seen in another picture of the same line, the one with the letters alone.
    ///
    /// - Parameters:
    ///   - alone: the reading of that picture. If the line is outlined and its letters are others and surer, it replaces
    ///     this one; without an outline, letters are read better with their background.
    ///   - ink: the strokes of that picture.
    mutating func complete(with alone: PiecedReading, in ink: LineInk, isOutlined: Bool) {
        var other = alone
        other.addVisibleGaps(in: ink)
        let gain = other.confidence - confidence
        // Words in another color than the brightest are not in that picture.
        if isOutlined, gain > 0, text != other.text, isCovered(by: other) {
            swap(&self, &other)
            // Without a background readings are surer, but not right more often than others that are as sure.
            let share = other.confidence / confidence
            for index in letters.indices { letters[index].confidence *= share }
            dropDoubtfulGaps(unlessIn: other)
            // Scripts are known by letters with their background.
            scriptLetters = other.scriptLetters
        }
        if gain >= -Self.mostLoss { addGaps(of: other) }
    }

    /// Returns whether another reading has a letter at the place of each.
    private func isCovered(by other: PiecedReading) -> Bool {
        let places = other.letters.filter { !$0.character.isWhitespace }.map(\.peak)
        return letters.allSatisfy { letter in
            letter.character.isWhitespace || places.contains { abs($0 - letter.peak) <= 1.5 }
        }
    }

    /// Removes the gaps that cannot be told from the room beside a sign, unless another reading has them.
    private mutating func dropDoubtfulGaps(unlessIn other: PiecedReading) {
        let known = other.letters.filter(\.character.isWhitespace).map(\.peak)
        for index in letters.indices.dropFirst().dropLast().reversed() where letters[index].character.isWhitespace {
            if !Self.isWordGap(letters[index - 1].character, letters[index + 1].character),
                !known.contains(where: { abs($0 - letters[index].peak) <= 2 })
            {
                letters.remove(at: index)
            }
        }
    }

    /// The text without white space.
    private var text: String { String(letters.map(\.character).filter { !$0.isWhitespace }) }

    /// The mean confidence of the letters.
    var confidence: Double {
        let confidences = letters.filter { !$0.character.isWhitespace }.map(\.confidence)
        return confidences.reduce(0, +) / Double(max(1, confidences.count))
    }

    /// Adds the gaps between two different letters that the network saw with some probability and that are visible as well.
    private mutating func addVisibleGaps(in ink: LineInk) {
        let margin = ink.height / 6
        let gaps = ink.gaps(in: 0..<ink.width, rows: margin..<ink.height - margin)
        func column(_ index: Int) -> Int {
            min(Int(letters[index].peak * Double(CTCPosteriors.columnsPerStep)), ink.width)
        }
        for index in letters.indices.dropFirst().reversed() where mayBeginWord(at: index) {
            let (before, next) = (letters[index - 1].character, letters[index].character)
            // Two of the same letter are read further apart than they are.
            guard before != next else { continue }
            let between = column(index - 1)..<max(column(index - 1), column(index))
            let widest = gaps.map { $0.clamped(to: between).count }.max() ?? 0
            if Double(widest) >= StraightLine.leastGap * Double(ink.height) { addGap(before: index) }
        }
    }

    /// Adds the gaps of another reading that are between two letters which both readings have at the same place.
    private mutating func addGaps(of other: PiecedReading) {
        func isSame(_ letter: CTCDecoder.Letter, _ other: CTCDecoder.Letter) -> Bool {
            letter.character == other.character && abs(letter.peak - other.peak) <= 1
        }
        // Where thin letters fall apart, the network sees a gap with a lower probability.
        let gaps = other.letters.indices.dropFirst().dropLast().filter {
            other.letters[$0].character.isWhitespace && other.letters[$0].confidence >= Self.leastOfGaps
        }
        for index in letters.indices.dropFirst().reversed() {
            let (before, next) = (letters[index - 1], letters[index])
            guard Self.isWordGap(before.character, next.character),
                gaps.contains(where: {
                    isSame(before, other.letters[$0 - 1]) && isSame(next, other.letters[$0 + 1])
                })
            else { continue }
            addGap(before: index)
        }
    }

    /// Adds a gap to the letters and to the evidence, in which one that is not sure is taken for a mistake if the letters
    /// are close.
    private mutating func addGap(before index: Int) {
        let (from, to) = (letters[index - 1].peak, letters[index].peak)
        letters.insert(.init(character: " ", peak: (from + to) / 2, confidence: 1), at: index)
        // Never at the step of a letter, which could be left out then.
        if to - from >= 2 { evidence.addGap(at: max(Int(from) + 1, Int((from + to) / 2)), logarithm: 0) }
    }

    /// The logarithm of the least probability of a gap with which the network doubts that two letters belong to one word: 0.03.
    private static let leastOfDoubt: Float = -3.5
    /// The largest amount by which the letters may be less sure in a picture whose gaps count.
    private static let mostLoss = 0.05
    /// The least probability of a gap that counts.
    private static let leastOfGaps = 0.5

    /// Returns whether a gap between two characters, if one is seen, is between words. Numbers, times, addresses and
    /// abbreviations have room beside their signs.
    private static func isWordGap(_ before: Character, _ next: Character) -> Bool {
        guard isGap(before, next), !before.isNumber, !next.isNumber, !joining.contains(next), !closing.contains(next)
        else { return false }
        // Some scripts have no capitals.
        return before == "." || before == ":" ? next.isLetter && !next.isLowercase : !joining.contains(before)
    }

    /// The signs that no gap is in front of.
    private static let closing: Set<Character> = [".", ",", ":", ";", "!", "?", ")", "]", "}", "%", "…"]
    /// The signs in addresses, paths and words that no gap is beside.
    private static let joining: Set<Character> = ["/", "\\", "@", "_", "-", "'", "’"]

    /// Replaces capitals, and zeros, that are small letters in the picture.
    mutating func settleCase(in ink: LineInk) { letters = LetterCase(of: letters, in: ink).settled }

    /// Returns whether a gap between two characters is white space; Chinese and Japanese have none.
    private static func isGap(_ before: Character, _ next: Character) -> Bool {
        !before.isWhitespace && !next.isWhitespace
            && !(isOfScriptWithoutSpaces(before) && isOfScriptWithoutSpaces(next))
    }

    private static func isOfScriptWithoutSpaces(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        // CJK radicals, punctuation, kana, ideographs; compatibility and full-width forms; supplementary ideographs.
        return switch scalar.value {
        case 0x2E80...0x9FFF, 0xF900...0xFAFF, 0xFF00...0xFFEF, 0x20000...0x3FFFF: true
        default: false
        }
    }
}
