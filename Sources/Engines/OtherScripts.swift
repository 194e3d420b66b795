import Errors
import Foundation
import NeuralOCR
import TesseractOCR
public import TextSpotting
import Threads

/// A script that the networks do not know: they read its letters as Latin ones, or as Chinese, and are often sure of them.
public struct OtherScript: Sendable, Hashable {
    /// As in "lines that look …".
    public let name: String
    /// Those of Tesseract's languages that are written in it, the most spoken first.
    public let languages: [String]
    /// Its letters.
    let blocks: [ClosedRange<UInt32>]

    /// In the order of the columns of ``LearntScripts``.
    static let all = [
        OtherScript("Cyrillic", of: "Я"),
        OtherScript(name: "Greek", languages: ["ell"], blocks: [0x370...0x3FF, 0x1F00...0x1FFF]),
        OtherScript("Arabic", of: "ع"), OtherScript("Hebrew", of: "ע"), OtherScript("Thai", of: "ก"),
        OtherScript("Devanagari", of: "क"), OtherScript("Georgian", of: "ქ"), OtherScript("Armenian", of: "Հ"),
        OtherScript("Korean", of: "한"), OtherScript("Japanese", of: "あ"),
        OtherScript("Indian (Bengali, Tamil, Telugu)", of: "ব", "த", "త"),
        OtherScript("Ethiopic", of: "አ"), OtherScript("Khmer", of: "ក"),
    ]

    private init(name: String, languages: [String], blocks: [ClosedRange<UInt32>]) {
        (self.name, self.languages, self.blocks) = (name, languages, blocks)
    }

    /// - Parameter letters: one of each of the scripts that it stands for.
    private init(_ name: String, of letters: Character...) {
        let systems = letters.compactMap(WritingSystems.system)
        self.init(name: name, languages: systems.flatMap(\.languages), blocks: systems.map(\.block))
    }

    /// How many of its letters a text has; none where it is not written in it, but for a few letters.
    func letterCount(in text: String) -> Int {
        let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
        let own = letters.count { letter in blocks.contains { $0.contains(letter.value) } }
        return 10 * own >= 7 * letters.count ? own : 0
    }
}

/// How much speaks for a line being in a script that the networks do not know, from what they made of it.
///
/// Being less sure of a line is one part of it, and being less sure of all of a long line is more; the other part is what they read: `MocKBa` and
/// `npN6bITNe` are no words of any language. Both were learnt together, from lines of thirty-five languages in Latin letters, codes,
/// program text and Chinese, and of sixteen scripts (``LearntScripts``): a multinomial logistic regression of hashed letters, pairs and triples of
/// letters. Pure: the same text and score give the same evidence.
public struct ScriptEvidence: Sendable {
    /// The logarithm of the odds that it is in such a script.
    public let strength: Double
    /// Of each of ``OtherScript/all``, among themselves.
    let logarithms: [Double]

    /// - Parameters:
    ///   - text: as the networks read it.
    ///   - score: how sure they were, 0 to 1.
    public init(of text: String, score: Double) {
        let count = OtherScript.all.count
        guard !Self.isRead(text) else {
            (strength, logarithms) = (-.infinity, [Double](repeating: 0, count: count))
            return
        }
        let sums = LearntScripts.sums(Self.grams(of: text), Self.measures(of: text, score))
        let greatest = sums.dropFirst().max() ?? 0
        let whole = greatest + log(sums.dropFirst().reduce(0) { $0 + exp($1 - greatest) })
        strength = whole - sums[0]
        logarithms = sums.dropFirst().map { $0 - whole }
    }

    /// The script that it most likely is.
    public var script: OtherScript { scripts[0] }

    /// All of them, the most likely first.
    var scripts: [OtherScript] {
        logarithms.indices.sorted { (-logarithms[$0], $0) < (-logarithms[$1], $1) }.map { OtherScript.all[$0] }
    }

    /// A letter of such a script was read, so whatever read it knows it.
    private static func isRead(_ text: String) -> Bool {
        // The networks know some letters of Greek, as signs.
        let unknown = OtherScript.all.filter { $0.name != "Greek" }.flatMap(\.blocks)
        return text.unicodeScalars.contains { letter in
            letter.value > 0x3FF && unknown.contains { $0.contains(letter.value) }
        }
    }

    /// Where each gram of the text has its weights: letters, pairs and triples, with the ends of words.
    private static func grams(of text: String) -> [Int] {
        text.split(separator: " ").flatMap { word -> [Int] in
            let letters = [0x5E] + word.unicodeScalars.map(\.value) + [0x24]
            return (1...3).flatMap { length -> [Int] in
                guard letters.count >= length else { return [] }
                return (0...letters.count - length).compactMap { start in
                    let isEnd = length == 1 && (start == 0 || start == letters.count - 1)
                    return isEnd ? nil : hash(letters[start..<start + length])
                }
            }
        }
    }

    /// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), a scalar at a time.
    private static func hash(_ letters: ArraySlice<UInt32>) -> Int {
        let hash = letters.reduce(UInt32(2_166_136_261)) { ($0 ^ $1) &* 16_777_619 }
        return Int(hash >> 8) % LearntScripts.places
    }

    /// What is weighed besides: how sure it was read, and how long it is.
    private static func measures(of text: String, _ score: Double) -> [Double] {
        let length = Double(max(1, text.unicodeScalars.count { !$0.properties.isWhitespace }))
        let doubt = 1 - min(1, max(0, score))
        return [
            1, 2 * doubt, 20 * min(doubt, 0.05), 6 * min(doubt, 0.15), doubt * length.squareRoot(),
            length.squareRoot() / 4, length <= 2 ? 1 : 0, length <= 3 ? 2 * doubt : 0,
        ]
    }
}

extension LearntScripts {
    /// The weights, row by row: one row for each place of a gram, one column for known text and for each script.
    private static let weights: [Int8] = {
        var bits: UInt32 = 0
        var count = 0
        var bytes: [Int8] = []
        for letter in grams.utf8 {
            let value: UInt32
            switch letter {
            case 0x41...0x5A: value = UInt32(letter) - 0x41
            case 0x61...0x7A: value = UInt32(letter) - 0x61 + 26
            case 0x30...0x39: value = UInt32(letter) - 0x30 + 52
            case 0x2B: value = 62
            case 0x2F: value = 63
            default: continue
            }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(Int8(bitPattern: UInt8(truncatingIfNeeded: bits >> UInt32(count))))
        }
        return bytes
    }()

    /// How many rows there are.
    static let places = 2_048

    fileprivate static func sums(_ grams: [Int], _ values: [Double]) -> [Double] {
        let columns = OtherScript.all.count + 1
        var sums = [Double](repeating: 0, count: columns)
        for place in grams {
            for column in 0..<columns { sums[column] += Double(weights[place * columns + column]) }
        }
        let length = values[5] * 4
        for column in 0..<columns {
            sums[column] *= scale / max(3, length)
            for (row, value) in values.enumerated() { sums[column] += measures[row][column] * value }
        }
        return sums
    }
}

/// Decides which lines of an input are told of although the networks may not know their script: one line may be a bad reading, several are not.
///
/// What speaks for such a script is added up over the lines of the input (a cumulative sum, E. S. Page, "Continuous inspection schemes", 1954), and lines
/// that are read well count a little against it. Lines that are doubted wait until that is decided. A value fed in the order of lines.
public struct ScriptScreen: Sendable {
    private struct Waiting {
        let line: Sighting
        let evidence: ScriptEvidence
        let since: ContinuousClock.Instant

        var isDoubted: Bool { evidence.strength >= ScriptScreen.doubt }
    }

    private var waiting: [Waiting] = []
    private var sum = 0.0
    private var isSure = false
    private let patience: Duration?
    /// How many lines were left out, by what they look like.
    public private(set) var leftOut: [OtherScript: Int] = [:]

    /// From here on a line is doubted.
    static let doubt = 0.3
    /// What a line adds is what its evidence has beyond this.
    private static let telling = 1.0
    /// What each line takes away.
    private static let decay = 0.02
    /// From this sum on such a script is there.
    private static let enough = 2.2
    /// The sum grows no further where the lines of a running picture are screened: some two hundred known lines later such a script is there no more.
    private static let greatest = 4.2
    /// No more lines wait.
    private static let most = 40

    /// - Parameter patience: of a running picture, which may go on for days: a doubted line waits no longer, and no other line waits for it. Nil for
    ///   an input with an end, whose lines keep their order.
    public init(patience: Duration? = nil) { self.patience = patience }

    /// Whether a line has to wait for others, as far as it was read.
    public static func doubts(_ line: Sighting) -> Bool {
        ScriptEvidence(of: line.line, score: line.score).strength >= doubt
    }

    /// Takes a line; returns those that can be told now, in order.
    public mutating func take(_ line: Sighting, now: ContinuousClock.Instant = .now) -> [Sighting] {
        let evidence = ScriptEvidence(of: line.line, score: line.score)
        sum = max(0, sum + max(0, evidence.strength - Self.telling) - Self.decay)
        if patience != nil { sum = min(sum, Self.greatest) }
        if sum >= Self.enough { isSure = true }
        if patience != nil, sum == 0 { isSure = false }
        waiting.append(Waiting(line: line, evidence: evidence, since: now))
        if isSure { return release() }
        guard patience == nil else { return waited(until: now) }
        if evidence.strength < Self.doubt, waiting.count == 1 { return release() }
        return waiting.count > Self.most ? release(1) : []
    }

    /// Those lines of a running picture that need not wait any longer.
    public mutating func waited(until now: ContinuousClock.Instant) -> [Sighting] {
        guard let patience else { return [] }
        let told = waiting.filter { !$0.isDoubted || now - $0.since >= patience }.map(\.line)
        waiting.removeAll { !$0.isDoubted || now - $0.since >= patience }
        return told
    }

    /// No more will come.
    public mutating func finish() -> [Sighting] { release() }

    private mutating func release(_ count: Int? = nil) -> [Sighting] {
        // Those that wait behind one that is told need not wait either, up to the next one.
        var told: [Sighting] = []
        var left = count ?? waiting.count
        while let first = waiting.first, left > 0 || !first.isDoubted {
            waiting.removeFirst()
            left -= 1
            if isSure, first.isDoubted {
                leftOut[first.evidence.script, default: 0] += 1
            } else {
                told.append(first.line)
            }
        }
        return told
    }
}

/// Has Tesseract read the lines that may be in a script that the networks do not know, where it has data of a language in it.
///
/// What Tesseract is sure of, in letters of that script, counts, and what it is less sure of beside such a line in the same picture; everything else
/// stays as the networks read it.
struct OtherScriptReading: Sendable {
    private let recognizers: [(script: OtherScript, recognizer: LazyRecognizer)]

    /// From here on it is tried: far below what a line is doubted for, because Tesseract says whether it is so.
    private static let worthTrying = -1.0
    /// Readings of the networks are asked for from here on: of letters that they do not know they often make nothing that they are sure of.
    private static let leastConfidence = 0.2
    /// More languages of one script take longer than they are worth.
    private static let mostLanguages = 3

    /// Nil where Tesseract has data of no such language.
    ///
    /// - Parameter rightOfWay: of a running picture, which goes first.
    init?(threads: Int, pictureFormat: Picture.Format, givingWayTo rightOfWay: RightOfWay?) {
        let installed = Set(TesseractEngine.installedLanguages())
        recognizers = OtherScript.all.compactMap { script in
            let languages = script.languages.filter(installed.contains).prefix(Self.mostLanguages)
            guard !languages.isEmpty else { return nil }
            let joined = languages.joined(separator: "+")
            return (
                script,
                LazyRecognizer(pictureFormat: pictureFormat) {
                    TesseractLineRecognizer(
                        try TesseractEngine.load(
                            TesseractSettings(languages: joined, threads: threads), givingWayTo: rightOfWay),
                        pictureFormat: pictureFormat)
                }
            )
        }
        if recognizers.isEmpty { return nil }
    }

    /// Reads doubted lines again, each once, in the script that it most likely is of those that can be read.
    ///
    /// - Parameters:
    ///   - lines: as the networks read them.
    ///   - quads: where each of them stands.
    /// - Returns: the lines without those that the networks were not sure of, but for what Tesseract made of them.
    func read(_ lines: [TextLine?], at quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        var read = lines
        for (number, wanted) in doubted(lines) {
            let (script, recognizer) = recognizers[number]
            // Data that is damaged is no reason to read nothing.
            guard let again = try await tried({ try await recognizer.recognize(wanted.map { quads[$0] }, in: picture) })
            else { continue }
            let found = zip(wanted, again).compactMap { place, line in
                line.map { Found(place: place, line: $0, letters: script.letterCount(in: $0.text), of: lines[place]) }
            }
            // One line alone may be anything; beside one that surely is in this script others are too.
            let isThere = found.contains(where: \.isSure)
            for line in found where line.isSure || isThere && line.isLikely { read[line.place] = line.line }
        }
        return zip(lines, read).map { before, now in
            now == before && (now?.confidence ?? 0) < NeuralLineRecognizer.leastConfidence ? nil : now
        }
    }

    /// What Tesseract read in the place of a line.
    private struct Found {
        let place: Int
        let line: TextLine
        /// How many there are of the script.
        let letters: Int
        private let strength: Double

        init(place: Int, line: TextLine, letters: Int, of before: TextLine?) {
            (self.place, self.line, self.letters) = (place, line, letters)
            strength = before.map { ScriptEvidence(of: $0.text, score: $0.confidence).strength } ?? 0
        }

        /// The networks' reading is doubted too.
        var isSure: Bool { strength >= ScriptScreen.doubt && line.confidence >= 0.75 && letters >= 4 }

        /// One or two letters can be made of anything.
        var isLikely: Bool { line.confidence >= 0.6 && letters > 2 || line.confidence >= 0.9 && letters == 2 }
    }

    /// The lines worth trying, by the number of the recognizer that is to read them, in order.
    private func doubted(_ lines: [TextLine?]) -> [(number: Int, lines: [Int])] {
        var chosen = [[Int]](repeating: [], count: recognizers.count)
        for (place, line) in lines.enumerated() {
            guard let line else { continue }
            let evidence = ScriptEvidence(of: line.text, score: line.confidence)
            guard evidence.strength >= Self.worthTrying else { continue }
            let number = evidence.scripts.lazy.compactMap { script in
                recognizers.firstIndex { $0.script == script }
            }.first
            if let number { chosen[number].append(place) }
        }
        return chosen.enumerated().filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) }
    }

    private func tried(_ read: () async throws -> [TextLine?]) async throws -> [TextLine?]? {
        do { return try await read() } catch is FramegrepError { return nil }
    }
}

extension OtherScriptReading {
    /// A recognizer that also gives lines of which the networks make nothing that they are sure of: they may be worth trying.
    static func unsure(_ recognizer: any LineRecognizer) -> any LineRecognizer {
        (recognizer as? NeuralLineRecognizer)?.reading(down: leastConfidence) ?? recognizer
    }

    /// Reads again what a recognizer doubts, line by line: for pictures that come one after the other, where each line is read when it is new.
    func after(_ recognizer: any LineRecognizer) -> any LineRecognizer {
        OtherScriptRecognizer(recognizer: Self.unsure(recognizer), reading: self)
    }

    /// Reads again what is doubted when all is read: for stills, where each line is read several times before it counts.
    ///
    /// - Parameter reader: of ``unsure(_:)`` recognizers.
    func after(_ reader: any TextReader) -> any TextReader { OtherScriptReader(reader: reader, reading: self) }
}

private struct OtherScriptRecognizer: LineRecognizer {
    let recognizer: any LineRecognizer
    let reading: OtherScriptReading

    var pictureFormat: Picture.Format { recognizer.pictureFormat }

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let lines = try await recognizer.recognize(quads, in: picture)
        return try await reading.read(lines, at: quads, in: picture)
    }
}

private struct OtherScriptReader: TextReader {
    let reader: any TextReader
    let reading: OtherScriptReading

    var name: String { reader.name }
    var pictureFormat: Picture.Format { reader.pictureFormat }
    var concurrency: Int { reader.concurrency }

    /// Places are fitted to the letters; marks above and below them are letters too.
    private static let margin = 0.15

    func prepare(forWidth width: Int, height: Int) { reader.prepare(forWidth: width, height: height) }

    func read(_ picture: Picture) async throws -> [TextLine] {
        let lines = try await reader.read(picture)
        let quads = lines.map { $0.quad.grown(by: Self.margin * $0.quad.height) }
        return try await reading.read(lines, at: quads, in: picture).compactMap(\.self)
    }
}
