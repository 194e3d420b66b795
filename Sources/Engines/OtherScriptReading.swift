import Errors
import TesseractOCR
import TextSpotting

/// Has Tesseract read the lines that may be in a script that the networks do not know, where it has data of a language in it.
///
/// What Tesseract is sure of, in letters of that script, counts, and what it is less sure of beside such a line in the same picture; everything else
/// stays as the networks read it.
struct OtherScriptReading: Sendable {
    private let recognizers: [(script: OtherScript, recognizer: LazyRecognizer)]

    /// From here on it is tried: far below what a line is doubted for, because Tesseract says whether it is so.
    private static let worthTrying = -1.0
    /// Readings of the networks are asked for from here on: of letters that they do not know they often make nothing that they are sure of.
    static let leastConfidence = 0.2
    /// More languages of one script take longer than they are worth.
    private static let mostLanguages = 3

    /// Nil where Tesseract has data of no such language.
    init?(threads: Int, pictureFormat: Picture.Format) {
        let installed = Set(TesseractEngine.installedLanguages())
        recognizers = OtherScript.all.compactMap { script in
            let languages = script.languages.filter(installed.contains).prefix(Self.mostLanguages)
            guard !languages.isEmpty else { return nil }
            let joined = languages.joined(separator: "+")
            return (
                script,
                LazyRecognizer(pictureFormat: pictureFormat) {
                    TesseractLineRecognizer(
                        try TesseractEngine.load(TesseractSettings(languages: joined, threads: threads)),
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
    ///   - least: readings of the networks that are less sure than this are dropped then.
    func read(
        _ lines: [TextLine?], at quads: [Quad], in picture: Picture, droppingBelow least: Double
    ) async throws -> [TextLine?] {
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
            now == before && (now?.confidence ?? 0) < least ? nil : now
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

/// A recognizer whose doubted lines Tesseract reads again.
struct OtherScriptRecognizer: LineRecognizer {
    /// Gives readings down to ``OtherScriptReading/leastConfidence``.
    let recognizer: any LineRecognizer
    let reading: OtherScriptReading
    let least: Double

    var pictureFormat: Picture.Format { recognizer.pictureFormat }

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let lines = try await recognizer.recognize(quads, in: picture)
        return try await reading.read(lines, at: quads, in: picture, droppingBelow: least)
    }
}

/// The same for a reader of whole pictures.
struct OtherScriptReader: TextReader {
    /// Gives lines down to ``OtherScriptReading/leastConfidence``.
    let reader: any TextReader
    let reading: OtherScriptReading
    let least: Double

    var name: String { reader.name }
    var pictureFormat: Picture.Format { reader.pictureFormat }
    var concurrency: Int { reader.concurrency }

    /// Places are fitted to the letters; marks above and below them are letters too.
    private static let margin = 0.15

    func prepare(forWidth width: Int, height: Int) { reader.prepare(forWidth: width, height: height) }

    func read(_ picture: Picture) async throws -> [TextLine] {
        let lines = try await reader.read(picture)
        let quads = lines.map { $0.quad.grown(by: Self.margin * $0.quad.height) }
        return try await reading.read(lines, at: quads, in: picture, droppingBelow: least).compactMap(\.self)
    }
}
