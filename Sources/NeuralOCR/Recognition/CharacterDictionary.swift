import Errors
import Glibc
import TextSpotting

/// The character for each class of the recognizer's output: 0 is CTC's blank, then the dictionary file's lines in
/// order, then the space.
struct CharacterDictionary: Sendable {
    /// The class that stands for nothing.
    static let blank = 0
    private let characters: [Character]
    /// The file it was read from, for messages.
    let path: String

    /// How many classes the network must have.
    var classCount: Int { characters.count + 1 }

    /// - Parameter lines: the dictionary file's text, one character a line.
    init(lines: some Sequence<UInt8>, path: String = "") {
        self.path = path
        // Split by bytes: some of the characters are themselves line separators to Swift.
        characters =
            Array(lines).split(separator: UInt8(ascii: "\n")).compactMap { line in
                let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                return String(decoding: text, as: UTF8.self).first
            } + [" "]
    }

    /// - Throws: a ``FramegrepError`` naming the file when it cannot be read or is empty.
    init(reading path: String) throws {
        guard let file = fopen(path, "rb") else {
            throw FramegrepError.neuralUnavailable("The dictionary \(path) cannot be read.")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        self.init(lines: bytes, path: path)
        guard classCount > 2 else { throw FramegrepError.neuralUnavailable("The dictionary \(path) is empty.") }
    }

    func contains(_ character: Character) -> Bool { characters.contains(character) }

    /// The character of a class; nil for the blank and for numbers out of range.
    subscript(_ index: Int) -> Character? {
        index > Self.blank && index <= characters.count ? characters[index - 1] : nil
    }

    /// The scalar of a class that stands for a single one; nil for the blank, for the few others and out of range.
    func scalar(_ index: Int) -> UInt32? {
        guard let scalars = self[index]?.unicodeScalars, scalars.count == 1 else { return nil }
        return scalars.first?.value
    }
}
