import Errors
import Synchronization

/// Caches the meanings of lines, so that each text goes through the model only once, however many pictures it appears
/// in. Thread-safe.
///
/// A few thousand texts are kept, in two generations; the older one is dropped when the younger is full.
final class MeaningMemory: Sendable {
    private struct State {
        var young: [String: [MeaningPoint]] = [:]
        var old: [String: [MeaningPoint]] = [:]
    }

    /// The size of a generation, which takes at most some 4 MiB.
    private static let generation = 2_000

    let model: any MeaningModel
    private let state = Mutex(State())

    init(_ model: any MeaningModel) { self.model = model }

    /// Returns the meanings of the lines, in each of their forms; empty for lines without a meaning, and for those left
    /// for the next call.
    ///
    /// - Parameter allowance: the number of characters of new texts to process, at least one text if it is above zero;
    ///   on return it is reduced by the number processed.
    func points(of texts: [String], allowance left: inout Int) -> [[MeaningPoint]] {
        var points = known(texts)
        var wanted: [(text: String, forms: [String])] = []
        var seen = Set<String>()
        for (text, point) in zip(texts, points) where point == nil && left > 0 && seen.insert(text).inserted {
            let forms = MeaningForm.line(text)
            wanted.append((text, forms))
            left -= forms.reduce(0) { $0 + $1.count }
        }
        guard !wanted.isEmpty else { return points.map { $0 ?? [] } }
        let background = model.background
        let vectors = model.vectors(of: wanted.flatMap(\.forms))
        var next = 0
        var made: [String: [MeaningPoint]] = [:]
        for (text, forms) in wanted {
            made[text] = vectors[next..<next + forms.count].map { MeaningPoint($0, background: background) }
            next += forms.count
        }
        state.withLock { state in
            for (text, _) in wanted { Self.put(text, made[text] ?? [], into: &state) }
        }
        for index in texts.indices where points[index] == nil { points[index] = made[texts[index]] }
        return points.map { $0 ?? [] }
    }

    /// Returns the meaning of a question.
    ///
    /// - Throws: ``FramegrepError`` (`badPattern`), see ``MeaningForm/question(_:)``.
    func question(_ text: String) throws -> MeaningPoint {
        let vectors = model.vectors(of: try MeaningForm.question(text))
        var sum = vectors[0]
        for vector in vectors.dropFirst() { for index in sum.indices { sum[index] += vector[index] } }
        let length = MeaningPoint.product(sum, sum).squareRoot()
        return MeaningPoint(sum.map { $0 / Float(max(length, 1e-9)) }, background: model.background)
    }

    /// Returns nil for each text that is not known.
    private func known(_ texts: [String]) -> [[MeaningPoint]?] {
        state.withLock { state in
            texts.map { text in
                if let points = state.young[text] { return points }
                guard let points = state.old[text] else { return nil }
                Self.put(text, points, into: &state)
                return points
            }
        }
    }

    private static func put(_ text: String, _ points: [MeaningPoint], into state: inout State) {
        if state.young.count >= generation { (state.old, state.young) = (state.young, [:]) }
        state.young[text] = points
    }
}

/// A value that is created only once; if that fails, it is tried again. Thread-safe.
final class MeaningOnce: Sendable {
    private let made = Mutex<MeaningMemory?>(nil)

    func value(_ make: () throws -> MeaningMemory) throws -> MeaningMemory {
        try made.withLock { made in
            if let made { return made }
            let new = try make()
            made = new
            return new
        }
    }
}

/// The closeness of a question and a line, with the terms of the sum.
public struct MeaningCloseness: Hashable, Sendable {
    /// The cosine of the angle between their vectors, -1 to 1.
    public var likeness: Double
    /// How near the line is to everyday lines in general; half of it is subtracted.
    public var lineCommonness: Double
    /// How near the question is to them; a quarter of it is subtracted.
    public var questionCommonness: Double

    package init(likeness: Double, lineCommonness: Double, questionCommonness: Double) {
        self.likeness = likeness
        self.lineCommonness = lineCommonness
        self.questionCommonness = questionCommonness
    }

    /// The three together.
    ///
    /// Short common words are near to everything, so the nearest line is often the wrong one. Subtracting this is called cross-domain
    /// similarity local scaling (Conneau et al., "Word translation without parallel data", 2018); here it is relative to the mean of a fixed
    /// background.
    public var value: Double { likeness - 0.5 * lineCommonness - 0.25 * questionCommonness }
}

/// A vector with its nearness to everyday lines in general.
package struct MeaningPoint: Sendable {
    /// Of length 1.
    package let vector: [Float]
    /// The product with the background.
    package let commonness: Double

    package init(_ vector: [Float], background: [Float]) {
        self.vector = vector
        commonness = Self.product(vector, background)
    }

    /// Returns how close this question is to a line.
    ///
    /// - Parameter line: the line's forms, of which the closest counts.
    /// - Returns: nil for a line that means nothing.
    package func closeness(to line: [MeaningPoint]) -> MeaningCloseness? {
        line.map { form in
            MeaningCloseness(
                likeness: Self.product(vector, form.vector), lineCommonness: form.commonness,
                questionCommonness: commonness)
        }.max { $0.value < $1.value }
    }

    /// Returns the dot product, added up in eight parallel sums, always in the same order.
    static func product(_ a: [Float], _ b: [Float]) -> Double {
        a.withUnsafeBytes { a in
            b.withUnsafeBytes { b in
                var sums = SIMD8<Float>()
                let size = MemoryLayout<SIMD8<Float>>.size
                for start in stride(from: 0, through: min(a.count, b.count) - size, by: size) {
                    sums +=
                        a.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self)
                        * b.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self)
                }
                return Double(sums.sum())
            }
        }
    }
}

/// Converts texts to vectors that are close together if the texts have the same meaning, even in different languages.
///
/// It is implemented by the target `Meaning`; this target contains no model.
public protocol MeaningModel: Sendable {
    /// The name of the model, because vectors of different models cannot be compared.
    var name: String { get }
    /// Returns the vectors of some texts, in their order: all with the same number of elements, each of length 1. A
    /// text's vector does not depend on the other texts. May be called from several threads at once.
    func vectors(of texts: [String]) -> [[Float]]
    /// The mean vector of many everyday lines. Short, common words are near to it, and so to everything.
    var background: [Float] { get }
    /// Returns how often a line this close to a question is what was meant, 0 to 1. See ``MeaningCloseness``.
    func probability(ofCloseness closeness: Double) -> Double
}

/// Provides the ``MeaningModel`` of a search, opening it when it is first needed. Thread-safe; two sources are equal if
/// they are the same object.
public final class MeaningSource: Hashable, Sendable {
    private let open: @Sendable () throws -> any MeaningModel
    private let opened = MeaningOnce()

    /// - Parameter open: opens the model; called again if it threw.
    public init(_ open: @escaping @Sendable () throws -> any MeaningModel) { self.open = open }

    /// Returns the cached meanings by this source's model.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    func memory() throws -> MeaningMemory { try opened.value { MeaningMemory(try open()) } }

    /// Returns the meanings of forms of lines (``MeaningForm/line(_:)``), in their order; nothing is cached.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`).
    package func points(ofForms forms: [String]) throws -> [MeaningPoint] {
        let model = try memory().model
        return model.vectors(of: forms).map { MeaningPoint($0, background: model.background) }
    }

    /// Returns a name that identifies the model and the forms with which vectors of lines were computed.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`).
    package func vectorName() throws -> String { try memory().model.vectorName }

    public static func == (a: MeaningSource, b: MeaningSource) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MeaningModel {
    package var vectorName: String { "\(name), forms \(MeaningForm.version)" }
}

/// Prepares texts for a ``MeaningModel``.
///
/// Signs are written in capitals, and the model distinguishes case, so texts are lowercased. It treats a text with a
/// mark at its end as a sentence, and finds more that way. Words that are only a number all become the same number,
/// because platform 4 means the same as platform 17; and a line also counts without its numbers, because EXIT 12 is an
/// exit. Single syllables of Hangul in a line are joined, because Tesseract reads gaps between them where there are
/// none. All of it was measured (docs/MEANING.md).
package enum MeaningForm {
    /// The version of these forms. It is part of the name under which vectors are stored, so that those of other forms
    /// are not mistaken for these.
    package static let version = 1
    /// In characters; only the beginning of longer lines counts.
    static let longest = 200

    /// Returns the forms of a line, of which the closest to a question counts; none if it contains too little that
    /// could mean anything.
    package static func line(_ text: String) -> [String] {
        let forms = [words(of: text), words(of: text, number: nil)].map { plain(joiningSyllables(of: $0)) }
            .filter(hasMeaning).map { $0 + "?" }
        return forms.count == 2 && forms[0] == forms[1] ? [forms[0]] : forms
    }

    /// Returns the forms of a question, whose vectors are added up.
    ///
    /// - Throws: ``FramegrepError`` (`badPattern`) if it contains nothing to search for.
    static func question(_ text: String) throws -> [String] {
        guard text.count <= longest else {
            throw FramegrepError(
                .badPattern,
                "A search by meaning takes at most \(longest) characters, and this one has \(text.count); say it in a few words."
            )
        }
        let plain = plain(words(of: text))
        guard hasMeaning(plain) else {
            throw FramegrepError(
                .badPattern,
                "A search by meaning needs words, and there are none in '\(text)'; without --meaning (or ~) it is searched for as it is written."
            )
        }
        return [plain + "?", plain + ".", plain + ", " + plain]
    }

    /// - Parameter number: replaces each word that has digits and no letters; nil to leave these words out.
    private static func words(of text: String, number: String? = "0") -> [String] {
        text.prefix(longest).split(whereSeparator: \.isWhitespace).compactMap { word in
            word.contains(where: \.isNumber) && !word.contains(where: \.isLetter) ? number : String(word)
        }
    }

    private static func plain(_ words: [String]) -> String { words.joined(separator: " ").lowercased() }

    /// Joins consecutive words of one Hangul syllable each.
    private static func joiningSyllables(of words: [String]) -> [String] {
        var result: [String] = []
        var isAfterSyllable = false
        for word in words {
            let isSyllable = isSyllable(word)
            if isSyllable, isAfterSyllable {
                result[result.count - 1] += word
            } else {
                result.append(word)
            }
            isAfterSyllable = isSyllable
        }
        return result
    }

    private static func isSyllable(_ word: String) -> Bool {
        guard let first = word.unicodeScalars.first, word.count == 1 else { return false }
        // Hangul Syllables, and the letters that they may be written in.
        return (0xAC00...0xD7A3).contains(first.value) || (0x1100...0x11FF).contains(first.value)
    }

    private static func hasMeaning(_ text: String) -> Bool {
        var letters = 0
        for character in text where character.isLetter {
            letters += 1
            // A single character is a word in Chinese and Japanese, but not in other scripts.
            if letters > 1 || character.unicodeScalars.contains(where: { $0.properties.isIdeographic }) { return true }
        }
        return false
    }
}
