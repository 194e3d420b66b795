import Glibc

/// The frequencies of English words and pairs of words, to tell sense from words that only sound like it.
///
/// They are in a text file with a row for each, `words<TAB>count`, sorted by the bytes of the words; the first row, whose words are a space, has the sum of
/// all words. `scripts/lib/downloads/voice.bash` makes it.
struct WordCounts: Sendable {
    /// The logarithm of the share of all words that an unknown word gets.
    private static let unknown: Float = -14
    /// The weight of the sense of a text relative to its sounds.
    private static let share: Float = 0.2

    private let bytes: [UInt8]
    private let sum: Float

    /// Returns nil if the file cannot be read or has another format.
    init?(path: String) {
        guard let bytes = SpeechFiles.bytes(of: path) else { return nil }
        self.init(bytes)
    }

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard let sum = Self.count(of: " ", in: bytes), sum > 0 else { return nil }
        self.sum = sum
    }

    /// Returns how likely a text is for its words alone, as a logarithm. The text has lowercase words between single spaces.
    func sense(of text: String) -> Float {
        let words = text.split(separator: " ").map { $0.filter { $0 != "'" } }
        var sense: Float = 0
        for (index, word) in words.enumerated() {
            let count = self.count(of: word)
            sense += max(Self.unknown, log(count / sum))
            guard index > 0, count > 0 else { continue }
            let (before, pair) = (self.count(of: words[index - 1]), self.count(of: words[index - 1] + " " + word))
            // More often together than by chance.
            if before > 0, pair > 0 { sense += max(0, log(pair / before / count * sum)) }
        }
        return Self.share * sense
    }

    private func count(of words: String) -> Float { Self.count(of: words, in: bytes) ?? 0 }

    /// Returns the count of these words; nil if they are not in the file.
    private static func count(of words: String, in bytes: [UInt8]) -> Float? {
        let key = Array(words.utf8)
        var (low, high) = (0, bytes.count)
        while low < high {
            let middle = (low + high) / 2
            let begin = (bytes[low..<middle].lastIndex(of: 10) ?? low - 1) + 1
            let end = bytes[begin...].firstIndex(of: 10) ?? bytes.count
            let row = bytes[begin..<end]
            guard let tab = row.firstIndex(of: 9) else { return nil }
            let found = row[..<tab]
            if found.elementsEqual(key) { return Float(String(decoding: row[(tab + 1)...], as: UTF8.self)) }
            if found.lexicographicallyPrecedes(key) { low = min(bytes.count, end + 1) } else { high = begin }
        }
        return nil
    }
}
