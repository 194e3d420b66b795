/// The pieces of words that a speech model writes, and their numbers.
struct SpeechPieces: Sendable {
    /// Stands for a space at the beginning of a word.
    private static let space = Array("▁".utf8)
    private static let longestPiece = 24
    /// The first piece after the marks and single bytes.
    private static let firstText = 259

    private let pieces: [[UInt8]]
    private let numbers: [[UInt8]: Int64]

    /// Returns nil if the file cannot be read or has another format.
    init?(path: String) {
        guard let bytes = SpeechFiles.bytes(of: path) else { return nil }
        var pieces: [[UInt8]] = []
        var place = 0
        while place < bytes.count {
            // A length in one byte, or in two if the first is 128 or more.
            var length = Int(bytes[place])
            place += 1
            if length >= 128, place < bytes.count {
                length = Int(bytes[place]) * 128 + length - 128
                place += 1
            }
            guard place + length <= bytes.count else { return nil }
            pieces.append(Array(bytes[place..<(place + length)]))
            place += length
        }
        guard pieces.count > Self.firstText else { return nil }
        self.pieces = pieces
        numbers = Dictionary(
            pieces.enumerated().dropFirst(Self.firstText).map { ($0.element, Int64($0.offset)) },
            uniquingKeysWith: { a, _ in a })
    }

    /// Returns a text in the form of a transcript: lowercase, with a capital first letter.
    func ids(of text: String) -> [Int64] {
        let small = text.lowercased()
        let written = (small.first?.uppercased() ?? "") + small.dropFirst()
        let bytes = Self.space + Array(written.replacing(" ", with: "▁").utf8)
        var ids: [Int64] = []
        var place = 0
        while place < bytes.count {
            var length = min(Self.longestPiece, bytes.count - place)
            while length > 0, numbers[Array(bytes[place..<(place + length)])] == nil { length -= 1 }
            if let id = numbers[Array(bytes[place..<(place + max(1, length))])] { ids.append(id) }
            place += max(1, length)
        }
        return ids
    }

    func text(of ids: [Int64]) -> String {
        let bytes = ids.flatMap { pieces.indices.contains(Int($0)) && Int($0) >= Self.firstText ? pieces[Int($0)] : [] }
        return String(decoding: bytes, as: UTF8.self).replacing("▁", with: " ").split(separator: " ").joined(
            separator: " ")
    }
}
