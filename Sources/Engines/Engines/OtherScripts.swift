import Errors
import Foundation
import NeuralOCR
import TesseractOCR
import TextMatching
import TextSpotting
import Threads

/// A script that the networks do not know: they read its letters as Latin or Chinese ones, and are often sure of them.
public struct OtherScript: Sendable, Hashable {
    /// The name, as in "lines that look …".
    public let name: String
    /// Tesseract's languages that are written in it, the most widely spoken first.
    public let languages: [String]
    /// Its letters.
    let blocks: [ClosedRange<UInt32>]

    /// All scripts, in the order of the columns of ``LearntScripts``.
    static let all = [
        OtherScript("Cyrillic", of: "Я"),
        OtherScript(name: "Greek", languages: ["ell"], blocks: [0x370...0x3FF, 0x1F00...0x1FFF]),
        OtherScript("Arabic", of: "ع"), OtherScript("Hebrew", of: "ע"), OtherScript("Thai", of: "ก"),
        OtherScript("Devanagari", of: "क"), OtherScript("Georgian", of: "ქ"), OtherScript("Armenian", of: "Հ"),
        OtherScript("Korean", of: "한"), OtherScript("Japanese", of: "あ"),
        OtherScript("Indian (Bengali, Tamil, Telugu)", of: "ব", "த", "త"),
        OtherScript("Ethiopic", of: "አ"), OtherScript("Khmer", of: "ក"),
    ]

    /// The scripts that the larger networks know.
    static let ofLargerNetworks = Set(all.filter { $0.name == "Japanese" })

    private init(name: String, languages: [String], blocks: [ClosedRange<UInt32>]) {
        (self.name, self.languages, self.blocks) = (name, languages, blocks)
    }

    /// - Parameter letters: one letter of each script that this stands for.
    private init(_ name: String, of letters: Character...) {
        let systems = letters.compactMap(WritingSystems.system)
        self.init(name: name, languages: systems.flatMap(\.languages), blocks: systems.map(\.block))
    }

    /// Returns the number of its letters in a text; 0 if most letters are others. Next to kana, ideographs count as
    /// Japanese letters.
    func letterCount(in text: String) -> Int {
        let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
        var own = letters.count { letter in blocks.contains { $0.contains(letter.value) } }
        if own > 0, languages.contains("jpn") { own += letters.count(where: \.properties.isIdeographic) }
        return 2 * own >= letters.count ? own : 0
    }

    /// Returns the odds for a reader that additionally knows some of the scripts.
    static func odds(_ odds: [Float], knowing known: Set<OtherScript>) -> [Float] {
        guard !known.isEmpty, odds.count == all.count else { return odds }
        let own = zip(all, odds).filter { known.contains($0.0) }.reduce(0) { $0 + exp(Double($1.1)) }
        return zip(all, odds).map { known.contains($0) ? -.infinity : $1 - Float(log(1 + own)) }
    }

    /// Returns whether a letter of such a script was read, which means that its reader knows the script.
    static func isRead(in text: String) -> Bool {
        // The networks know some Greek letters, as symbols.
        let unknown = all.filter { $0.name != "Greek" }.flatMap(\.blocks)
        return text.unicodeScalars.contains { letter in
            letter.value > 0x3FF && unknown.contains { $0.contains(letter.value) }
        }
    }
}

/// The evidence for a line being in a script that the networks do not know, as its reader reports it
/// (``ReadingEvidence/otherScripts``).
public struct ScriptEvidence: Sendable {
    /// The logarithm of the odds that it is in such a script; minus infinity if the reader does not report it, because
    /// it knows what it read.
    public let strength: Double
    /// The logarithm of the odds of each of ``OtherScript/all``; empty if the reader does not report it.
    let odds: [Double]

    /// - Parameters:
    ///   - odds: the odds that the reader reports.
    ///   - text: the text as read. Words whose letters all have the shapes of Latin ones (`MOCKBA`) are recognized on
    ///     their own.
    public init(_ odds: [Float], of text: String) {
        var odds = odds.count == OtherScript.all.count ? odds.map(Double.init) : []
        let isLong = text.count(where: \.isLetter) >= Self.longWords
        if Self.strength(odds) > (isLong ? Self.leastForLongWords : Self.leastForWords),
            let script = LookAlikeWords.script(of: text),
            let column = OtherScript.all.firstIndex(where: { $0.name == script })
        {
            odds[column] = max(odds[column], 2 * ScriptScreen.sure)
        }
        self.odds = odds
        strength = Self.strength(odds)
    }

    private static func strength(_ odds: [Double]) -> Double {
        guard let greatest = odds.max(), greatest.isFinite else { return -.infinity }
        return greatest + log(odds.reduce(0) { $0 + exp($1 - greatest) })
    }

    /// Lines that are less likely to be in another script are not compared with words.
    private static let leastForWords = -5.0
    /// The same for words of so many letters that they are hardly a code by chance.
    private static let leastForLongWords = -12.0
    private static let longWords = 4

    init(of line: TextLine?) { self.init(line?.evidence.first?.otherScripts ?? [], of: line?.text ?? "") }

    public var script: OtherScript { likely(from: -.infinity).first ?? OtherScript.all[0] }

    /// Returns the scripts with at least these odds, the most likely first.
    func likely(from least: Double) -> [OtherScript] {
        odds.indices.filter { odds[$0] >= least }.sorted { (-odds[$0], $0) < (-odds[$1], $1) }
            .map { OtherScript.all[$0] }
    }
}

/// Determines which lines may be in a script that the networks do not know, and has them read by an engine that knows
/// it: the larger networks, or Tesseract if it has data for a language in it.
///
/// Lines that are read with confidence in letters of that script count, and so do less certain lines beside such a line
/// in the same picture; everything else stays as it was read, for ``ScriptScreen`` to leave out.
struct OtherScriptReading: Sendable {
    private let recognizers: [(script: OtherScript, recognizer: any LineRecognizer)]
    private let readsAgain: Bool
    /// Whether the judge differs from the reading recognizer, and may see letters where that sees none.
    private let judgesUnread: Bool
    /// The fast recognizer, which judges the look of lines that others read.
    private let judge: any LineRecognizer
    /// The scripts that the larger networks read.
    private let known: Set<OtherScript>
    /// The larger networks, for letters that the fast ones misread; nil for a running picture, in which noise would have
    /// them loaded.
    private let careful: (any LineRecognizer)?

    /// The evidence from which a line is tried: far below the threshold for doubt, because the engine that knows the
    /// script decides.
    static let worthTrying = -1.0
    /// The confidence from which readings of the networks are used: they are seldom sure of letters that they do not
    /// know.
    private static let leastConfidence = 0.2
    /// The largest number of languages of one script; more take longer than they are worth.
    private static let mostLanguages = 3

    /// - Parameters:
    ///   - engine: the networks that read.
    ///   - larger: the larger networks if they are installed and the fast ones read; nil if not.
    ///   - isRunning: whether a running picture is read.
    ///   - readsAgain: whether lines in such scripts are read again; otherwise only their likelihood is reported.
    ///   - rightOfWay: the priority of a running picture, which goes first.
    init(
        of engine: NeuralEngine, larger: (any LineRecognizer)?, isRunning: Bool, readsAgain: Bool, threads: Int,
        givingWayTo rightOfWay: RightOfWay?
    ) {
        let format = engine.recognizer.pictureFormat
        judge =
            engine.settings.level == .fast
            ? engine.recognizer.noticingScripts().reading(down: 0)
            : LazyRecognizer(pictureFormat: format) {
                try await engine.recognizer(at: .fast).noticingScripts().reading(down: 0)
            }
        known = engine.settings.level == .accurate ? OtherScript.ofLargerNetworks : []
        self.readsAgain = readsAgain
        careful = isRunning ? nil : larger
        judgesUnread = readsAgain && engine.settings.level == .accurate
        guard readsAgain else {
            recognizers = []
            return
        }
        let installed = Set(TesseractEngine.installedLanguages())
        recognizers = OtherScript.all.compactMap { script in
            if OtherScript.ofLargerNetworks.contains(script) {
                if let larger { return (script, larger) }
                if engine.settings.level == .accurate { return nil }
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

    /// Reads doubted lines again, each once, in the most likely script that can be read, and leaves out marks that are the
    /// edges of frames.
    ///
    /// - Parameters:
    ///   - lines: the lines as the networks read them.
    ///   - quads: the places of the lines.
    /// - Returns: the lines with their new readings, or with the evidence for such a script if there is none; without
    ///   those that the networks were not sure of and that resemble none.
    func read(_ lines: [TextLine?], at quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let lines = try await judged(lines.map { $0?.withoutFrame(in: picture) }, at: quads, in: picture)
        let parts = zip(lines, quads).enumerated().flatMap { LinePart.parts(of: $1.0, numbered: $0, at: $1.1) }
        let again = try await readings(of: parts, in: picture)
        let found = Dictionary(grouping: zip(parts, again).map { (part: $0, again: $1) }, by: \.part.number)
        var read = lines.enumerated().map { LinePart.line($1, with: found[$0] ?? []) }
        for place in read.indices where read[place]?.evidence.isEmpty == false {
            read[place]?.evidence[0].otherScriptsOfWords = []
        }
        guard readsAgain else { return read }
        try await readPlain(&read, at: quads, in: picture)
        return read.map { line in
            let isKnown = ScriptEvidence(of: line).strength < ScriptScreen.doubt
            return isKnown && (line?.confidence ?? 0) < NeuralLineRecognizer.leastConfidence ? nil : line
        }
    }

    /// Returns the readings of parts that count, each in the most likely script that can be read; nil for the others.
    private func readings(of parts: [LinePart], in picture: Picture) async throws -> [TextLine?] {
        var read = [TextLine?](repeating: nil, count: parts.count)
        for (number, wanted) in doubted(parts) {
            let (script, recognizer) = recognizers[number]
            // Damaged data must not prevent reading.
            guard
                let again = try await tried({
                    try await recognizer.recognize(wanted.map { parts[$0].quad }, in: picture)
                })
            else { continue }
            let found = zip(wanted, again).compactMap { place, line in
                line.map {
                    PartReading(
                        $0, of: parts[place], at: place, in: script,
                        mayBeKana: OtherScript.ofLargerNetworks.contains(script) && mayBeKana(parts[place]))
                }
            }
            // A single line may be anything; beside one that is certainly in this script, others are too.
            let isThere = found.contains(where: \.isSure)
            for line in found where line.isLatin || line.isSure || isThere && line.isLikely {
                read[line.place] = line.line
            }
        }
        return read
    }

    /// Has the larger network read doubted lines that the fast one was not sure of: letters that the fast one misread may
    /// look like another script's. The larger one is seldom sure of letters that it does not know, unless they have the
    /// shapes of Latin ones.
    private func readPlain(_ lines: inout [TextLine?], at quads: [Quad], in picture: Picture) async throws {
        guard let careful else { return }
        let unsure = lines.indices.filter { place in
            guard let line = lines[place] else { return false }
            return line.confidence < Self.unsure && ScriptEvidence(of: line).strength >= ScriptScreen.doubt
        }
        guard !unsure.isEmpty,
            let again = try await tried({ try await careful.recognize(unsure.map { quads[$0] }, in: picture) })
        else { return }
        for case (let place, let line?) in zip(unsure, again)
        where line.confidence >= Self.certain && line.letterCount >= Self.fewestLetters
            && LookAlikeWords.script(of: line.text) == nil
        { lines[place] = line }
    }

    /// The confidence below which the fast network may have misread letters that it knows, the confidence at which the
    /// larger one knows them, and the least number of them.
    private static let unsure = 0.75
    private static let certain = 0.95
    private static let fewestLetters = 3

    /// Returns the lines with the evidence for such scripts, if their reader did not report it.
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
            let strength = ScriptEvidence(odds, of: view.text).strength
            if let line = judged[place] {
                // Of letters that it does not know it often reads only the marks between them.
                if strength >= ScriptScreen.sure, line.letterCount < view.letterCount { judged[place] = view }
            } else {
                guard strength >= ScriptScreen.doubt else { continue }
                judged[place] = view
            }
            if judged[place]?.evidence.isEmpty == true { judged[place]?.evidence = [ReadingEvidence()] }
            judged[place]?.evidence[0].otherScripts = odds
            let words = view.evidence[0].otherScriptsOfWords
            if words.count == judged[place]?.words.count {
                judged[place]?.evidence[0].otherScriptsOfWords = words.map { OtherScript.odds($0, knowing: known) }
            }
        }
        return judged
    }

    /// Returns the parts worth trying in order, grouped by the index of the recognizer to use.
    private func doubted(_ parts: [LinePart]) -> [(number: Int, parts: [Int])] {
        var chosen = [[Int]](repeating: [], count: recognizers.count)
        for (place, part) in parts.enumerated() {
            let scripts =
                mayBeKana(part)
                ? Array(OtherScript.ofLargerNetworks) : ScriptEvidence(of: part.line).likely(from: Self.worthTrying)
            let number = scripts.lazy.compactMap { script in recognizers.firstIndex { $0.script == script } }.first
            if let number { chosen[number].append(place) }
        }
        return chosen.enumerated().filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) }
    }

    /// Returns whether the fast network may have read kana as ideographs: in a column, or where all letters have the
    /// shapes of kana (`力` for `カ`).
    private func mayBeKana(_ part: LinePart) -> Bool {
        guard let letters = part.line?.text.filter({ !$0.isWhitespace }), letters.count > 1 else { return false }
        if part.quad.isColumn { return letters.unicodeScalars.contains(where: \.properties.isIdeographic) }
        return letters.allSatisfy(Self.shapesOfKana.contains)
    }

    /// The ideographs, and a mark, that have the shapes of katakana.
    private static let shapesOfKana: Set<Character> = [
        "力", "夕", "口", "二", "八", "工", "三", "千", "卜", "一", "匕", "才", "乙", "又", "久", "木", "了", "丁", "七", "十", "メ",
        "ー",
    ]

    private func tried(_ read: () async throws -> [TextLine?]) async throws -> [TextLine?]? {
        do { return try await read() } catch is FramegrepError { return nil }
    }
}

extension OtherScriptReading {
    /// Returns a recognizer that also returns lines that the networks are not sure of, with the evidence for scripts.
    static func unsure(_ recognizer: any LineRecognizer) -> any LineRecognizer {
        (recognizer as? NeuralLineRecognizer)?.noticingScripts().reading(down: leastConfidence) ?? recognizer
    }

    /// Returns a recognizer that rereads what another doubts, line by line: for consecutive pictures, where each line
    /// is read when it is new.
    func after(_ recognizer: any LineRecognizer) -> any LineRecognizer {
        let own = recognizer as? NeuralLineRecognizer
        return OtherScriptRecognizer(
            recognizer: readsAgain ? Self.unsure(recognizer) : own?.noticingScripts() ?? recognizer, reading: self)
    }

    /// Returns a reader that rereads what is doubted when everything is read: for stills, where each line is read
    /// several times before it counts.
    ///
    /// - Parameter reader: a reader with ``unsure(_:)`` recognizers.
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

    /// The margin around the places, which fit the letters without the marks above and below them.
    private static let margin = 0.15

    func prepare(forWidth width: Int, height: Int) { reader.prepare(forWidth: width, height: height) }

    func read(_ picture: Picture) async throws -> [TextLine] {
        let lines = try await reader.read(picture)
        let quads = lines.map { $0.quad.grown(by: Self.margin * $0.quad.height) }
        return try await reading.read(lines, at: quads, in: picture).compactMap(\.self)
    }
}

extension TextLine {
    fileprivate var letterCount: Int { text.count(where: \.isLetter) }
}
