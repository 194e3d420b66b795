import Errors
import Foundation
import NeuralOCR
import TesseractOCR
import TextMatching
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

    /// Those that the larger networks know.
    static let ofLargerNetworks = Set(all.filter { $0.name == "Japanese" })

    private init(name: String, languages: [String], blocks: [ClosedRange<UInt32>]) {
        (self.name, self.languages, self.blocks) = (name, languages, blocks)
    }

    /// - Parameter letters: one of each of the scripts that it stands for.
    private init(_ name: String, of letters: Character...) {
        let systems = letters.compactMap(WritingSystems.system)
        self.init(name: name, languages: systems.flatMap(\.languages), blocks: systems.map(\.block))
    }

    /// How many of its letters a text has; none where most are others. Beside kana ideographs are letters of Japanese.
    func letterCount(in text: String) -> Int {
        let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
        var own = letters.count { letter in blocks.contains { $0.contains(letter.value) } }
        if own > 0, languages.contains("jpn") { own += letters.count(where: \.properties.isIdeographic) }
        return 2 * own >= letters.count ? own : 0
    }

    /// The odds against a reader that knows some of the scripts besides.
    static func odds(_ odds: [Float], knowing known: Set<OtherScript>) -> [Float] {
        guard !known.isEmpty, odds.count == all.count else { return odds }
        let own = zip(all, odds).filter { known.contains($0.0) }.reduce(0) { $0 + exp(Double($1.1)) }
        return zip(all, odds).map { known.contains($0) ? -.infinity : $1 - Float(log(1 + own)) }
    }

    /// A letter of such a script was read, so whatever read it knows it.
    static func isRead(in text: String) -> Bool {
        // The networks know some letters of Greek, as signs.
        let unknown = all.filter { $0.name != "Greek" }.flatMap(\.blocks)
        return text.unicodeScalars.contains { letter in
            letter.value > 0x3FF && unknown.contains { $0.contains(letter.value) }
        }
    }
}

/// How much speaks for a line being in a script that the networks do not know, as its reader says (``ReadingEvidence/otherScripts``).
public struct ScriptEvidence: Sendable {
    /// The logarithm of the odds that it is in such a script; minus infinity where the reader does not say, because it knows what it read.
    public let strength: Double
    /// The logarithm of the odds of each of ``OtherScript/all``; empty where the reader does not say.
    private let odds: [Double]

    /// - Parameter odds: what the reader says.
    public init(_ odds: [Float]) {
        self.odds = odds.count == OtherScript.all.count ? odds.map(Double.init) : []
        let greatest = self.odds.max() ?? -.infinity
        strength = greatest.isFinite ? greatest + log(self.odds.reduce(0) { $0 + exp($1 - greatest) }) : -.infinity
    }

    init(of line: TextLine?) { self.init(line?.evidence.first?.otherScripts ?? []) }

    /// The script that it most likely is.
    public var script: OtherScript { likely(from: -.infinity).first ?? OtherScript.all[0] }

    /// Those with at least such odds, the most likely first.
    func likely(from least: Double) -> [OtherScript] {
        odds.indices.filter { odds[$0] >= least }.sorted { (-odds[$0], $0) < (-odds[$1], $1) }
            .map { OtherScript.all[$0] }
    }
}

/// Decides which lines of an input are told of although the networks may not know their script: a line that clearly is in one is left out at once, and of
/// less clear ones one may be a bad reading, several are not.
///
/// What speaks for such a script is added up over the lines of the input (a cumulative sum, E. S. Page, "Continuous inspection schemes", 1954), and lines
/// that are read well count a little against it. Lines that are doubted wait until that is decided. A value fed in the order of lines.
public struct ScriptScreen: Sendable {
    private struct Waiting {
        let line: Sighting
        let evidence: ScriptEvidence
        let since: ContinuousClock.Instant

        var isDoubted: Bool { evidence.strength >= ScriptScreen.doubt }
        /// It is in such a script, or nothing that could be read.
        var isUnreadable: Bool {
            evidence.strength >= ScriptScreen.sure || isDoubted && line.score < NeuralLineRecognizer.leastConfidence
        }
    }

    private var waiting: [Waiting] = []
    private var sum = 0.0
    private var isSure = false
    private let patience: Duration?
    /// How many lines were left out, by what they look like.
    public private(set) var leftOut: [OtherScript: Int] = [:]

    /// From here on a line is doubted.
    static let doubt = 0.3
    /// From here on it is left out, whatever else there is.
    static let sure = 2.0
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
        ScriptEvidence(line.otherScripts).strength >= doubt
    }

    /// Takes a line; returns those that can be told now, in order.
    public mutating func take(_ line: Sighting, now: ContinuousClock.Instant = .now) -> [Sighting] {
        let evidence = ScriptEvidence(line.otherScripts)
        sum = max(0, sum + max(0, evidence.strength - Self.telling) - Self.decay)
        if patience != nil { sum = min(sum, Self.greatest) }
        if sum >= Self.enough { isSure = true }
        if patience != nil, sum == 0 { isSure = false }
        waiting.append(Waiting(line: line, evidence: evidence, since: now))
        if isSure { return release() }
        guard patience == nil else { return waited(until: now) }
        if waiting.count == 1, !waiting[0].isDoubted || waiting[0].isUnreadable { return release() }
        return waiting.count > Self.most ? release(1) : []
    }

    /// Those lines of a running picture that need not wait any longer.
    public mutating func waited(until now: ContinuousClock.Instant) -> [Sighting] {
        guard let patience else { return [] }
        let ready = waiting.filter { !$0.isDoubted || $0.isUnreadable || now - $0.since >= patience }
        waiting.removeAll { !$0.isDoubted || $0.isUnreadable || now - $0.since >= patience }
        for line in ready where line.isUnreadable { leftOut[line.evidence.script, default: 0] += 1 }
        return ready.filter { !$0.isUnreadable }.map(\.line)
    }

    /// No more will come.
    public mutating func finish() -> [Sighting] { release() }

    private mutating func release(_ count: Int? = nil) -> [Sighting] {
        // Those that wait behind one that is told need not wait either, up to the next one.
        var told: [Sighting] = []
        var left = count ?? waiting.count
        while let first = waiting.first, left > 0 || !first.isDoubted || first.isUnreadable {
            waiting.removeFirst()
            left -= 1
            if isSure && first.isDoubted || first.isUnreadable {
                leftOut[first.evidence.script, default: 0] += 1
            } else {
                told.append(first.line)
            }
        }
        return told
    }
}

/// Says of lines whether they may be in a script that the networks do not know, and has them read by what knows it: the larger networks, or
/// Tesseract where it has data of a language in it.
///
/// What is read surely, in letters of that script, counts, and what is read less surely beside such a line in the same picture; everything else
/// stays as it was read, for ``ScriptScreen`` to leave out.
struct OtherScriptReading: Sendable {
    private let recognizers: [(script: OtherScript, recognizer: any LineRecognizer)]
    private let readsAgain: Bool
    /// It is another than the one that reads, and may see letters where that sees none.
    private let judgesUnread: Bool
    /// The fast recognizer, which says what lines look like that others read.
    private let judge: any LineRecognizer
    /// Of those that the larger networks read.
    private let known: Set<OtherScript>

    /// From here on a line is tried: far below what it is doubted for, because what knows the script says whether it is so.
    private static let worthTrying = -1.0
    /// Readings of the networks are asked for from here on: of letters that they do not know they often make nothing that they are sure of.
    private static let leastConfidence = 0.2
    /// More languages of one script take longer than they are worth.
    private static let mostLanguages = 3

    /// - Parameters:
    ///   - engine: the networks that read.
    ///   - readsAgain: lines in such scripts are read again; else it is only said how likely they are.
    ///   - rightOfWay: of a running picture, which goes first.
    init(of engine: NeuralEngine, readsAgain: Bool, threads: Int, givingWayTo rightOfWay: RightOfWay?) {
        let format = engine.recognizer.pictureFormat
        let hasAccurate = NeuralEngine.installation().hasLevel(.accurate)
        judge =
            engine.settings.level == .fast
            ? engine.recognizer.noticingScripts().reading(down: 0)
            : LazyRecognizer(pictureFormat: format) {
                try await engine.recognizer(at: .fast).noticingScripts().reading(down: 0)
            }
        known = engine.settings.level == .accurate ? OtherScript.ofLargerNetworks : []
        self.readsAgain = readsAgain
        judgesUnread = readsAgain && engine.settings.level == .accurate
        guard readsAgain else {
            recognizers = []
            return
        }
        let installed = Set(TesseractEngine.installedLanguages())
        recognizers = OtherScript.all.compactMap { script in
            if hasAccurate, OtherScript.ofLargerNetworks.contains(script) {
                guard engine.settings.level == .fast else { return nil }
                return (
                    script,
                    LazyRecognizer(pictureFormat: format) {
                        try await engine.recognizer(at: .accurate, isOccasional: true)
                    }
                )
            }
            let languages = script.languages.filter(installed.contains).prefix(Self.mostLanguages)
            guard !languages.isEmpty else { return nil }
            let joined = languages.joined(separator: "+")
            return (
                script,
                LazyRecognizer(pictureFormat: format) {
                    TesseractLineRecognizer(
                        try TesseractEngine.load(
                            TesseractSettings(languages: joined, threads: threads), givingWayTo: rightOfWay),
                        pictureFormat: format)
                }
            )
        }
    }

    /// Reads doubted lines again, each once, in the script that it most likely is of those that can be read.
    ///
    /// - Parameters:
    ///   - lines: as the networks read them.
    ///   - quads: where each of them stands.
    /// - Returns: the lines with what was made of them, and with what speaks for such a script where nothing was; without those that the
    ///   networks were not sure of and that look like none.
    func read(_ lines: [TextLine?], at quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let lines = try await judged(lines, at: quads, in: picture)
        var read = lines
        for (number, wanted) in doubted(lines, at: quads) {
            let (script, recognizer) = recognizers[number]
            // Data that is damaged is no reason to read nothing.
            guard let again = try await tried({ try await recognizer.recognize(wanted.map { quads[$0] }, in: picture) })
            else { continue }
            let found = zip(wanted, again).compactMap { place, line in
                line.map {
                    let isColumn = quads[place].isColumn && OtherScript.ofLargerNetworks.contains(script)
                    return Found(
                        place: place, line: $0, letters: script.letterCount(in: $0.text), isColumn: isColumn,
                        of: lines[place])
                }
            }
            // One line alone may be anything; beside one that surely is in this script others are too.
            let isThere = found.contains(where: \.isSure)
            for line in found where line.isSure || isThere && line.isLikely { read[line.place] = line.line }
        }
        guard readsAgain else { return read }
        return read.map { line in
            let isKnown = ScriptEvidence(of: line).strength < ScriptScreen.doubt
            return isKnown && (line?.confidence ?? 0) < NeuralLineRecognizer.leastConfidence ? nil : line
        }
    }

    /// The lines with what speaks for such scripts, where their reader did not say.
    private func judged(_ lines: [TextLine?], at quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let open = lines.indices.filter { place in
            lines[place].map { ($0.evidence.first?.otherScripts ?? []).isEmpty && !OtherScript.isRead(in: $0.text) }
                ?? judgesUnread
        }
        guard !open.isEmpty,
            let views = try await tried({ try await judge.recognize(open.map { quads[$0] }, in: picture) })
        else { return lines }
        var judged = lines
        for (place, view) in zip(open, views) {
            guard let view, let seen = view.evidence.first?.otherScripts, !seen.isEmpty else { continue }
            let odds = OtherScript.odds(seen, knowing: known)
            if judged[place] == nil {
                guard ScriptEvidence(odds).strength >= ScriptScreen.doubt else { continue }
                judged[place] = view
            }
            if judged[place]?.evidence.isEmpty == true { judged[place]?.evidence = [ReadingEvidence()] }
            judged[place]?.evidence[0].otherScripts = odds
        }
        return judged
    }

    /// What was read again in the place of a line.
    private struct Found {
        let place: Int
        let line: TextLine
        /// How many there are of the script.
        let letters: Int
        /// The networks' reading says nothing of its script.
        private let isColumn: Bool
        private let strength: Double

        init(place: Int, line: TextLine, letters: Int, isColumn: Bool, of before: TextLine?) {
            (self.place, self.line, self.letters, self.isColumn) = (place, line, letters, isColumn)
            strength = ScriptEvidence(of: before).strength
        }

        /// The networks' reading is doubted too.
        var isSure: Bool {
            (strength >= ScriptScreen.doubt && letters >= 4 || isColumn && letters >= 2) && line.confidence >= 0.75
                || strength >= ScriptScreen.sure && line.confidence >= 0.5 && letters >= 2
        }

        /// One or two letters can be made of anything.
        var isLikely: Bool { line.confidence >= 0.6 && letters > 2 || line.confidence >= 0.9 && letters == 2 }
    }

    /// The lines worth trying, by the number of the recognizer that is to read them, in order.
    private func doubted(_ lines: [TextLine?], at quads: [Quad]) -> [(number: Int, lines: [Int])] {
        var chosen = [[Int]](repeating: [], count: recognizers.count)
        for (place, line) in lines.enumerated() {
            // The fast network takes kana for ideographs.
            let isColumn =
                quads[place].isColumn && line?.text.unicodeScalars.contains(where: \.properties.isIdeographic) ?? false
            let scripts =
                isColumn ? Array(OtherScript.ofLargerNetworks) : ScriptEvidence(of: line).likely(from: Self.worthTrying)
            let number = scripts.lazy.compactMap { script in recognizers.firstIndex { $0.script == script } }.first
            if let number { chosen[number].append(place) }
        }
        return chosen.enumerated().filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) }
    }

    private func tried(_ read: () async throws -> [TextLine?]) async throws -> [TextLine?]? {
        do { return try await read() } catch is FramegrepError { return nil }
    }
}

extension OtherScriptReading {
    /// A recognizer that also gives lines of which the networks make nothing that they are sure of, and says what they look like.
    static func unsure(_ recognizer: any LineRecognizer) -> any LineRecognizer {
        (recognizer as? NeuralLineRecognizer)?.noticingScripts().reading(down: leastConfidence) ?? recognizer
    }

    /// Reads again what a recognizer doubts, line by line: for pictures that come one after the other, where each line is read when it is new.
    func after(_ recognizer: any LineRecognizer) -> any LineRecognizer {
        let own = recognizer as? NeuralLineRecognizer
        return OtherScriptRecognizer(
            recognizer: readsAgain ? Self.unsure(recognizer) : own?.noticingScripts() ?? recognizer, reading: self)
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
