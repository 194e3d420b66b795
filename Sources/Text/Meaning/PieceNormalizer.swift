/// Normalizes a text before it is cut into pieces: NFKC and some more, with `▁` for each gap and before the first word.
///
/// The replacements are in the model's own table, a trie in a double array (darts-clone, as SentencePiece writes it):
/// the longest prefix in the trie is replaced. A value whose memory belongs to its ``ModelFile``.
struct PieceNormalizer {
    private let units: UnsafeBufferPointer<UInt32>
    private let replacements: UnsafeRawBufferPointer
    private static let space: UInt8 = 0x20
    /// `▁`, U+2581.
    private static let gap: [UInt8] = [0xE2, 0x96, 0x81]

    init(_ file: ModelFile) throws {
        units = try file.numbers("units")
        replacements = try file.section("replacements")
        // Each replacement ends in a zero.
        guard !units.isEmpty, replacements.last == 0 else { throw file.damaged }
    }

    /// Returns the bytes from which pieces are cut; empty if nothing is left.
    func normalized(_ text: String) -> [UInt8] {
        let raw = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(raw.count + 8)
        var place = 0
        // White space at the beginning, and all but one elsewhere, is left out.
        var isAfterGap = true
        while place < raw.count {
            let (part, length) = replacement(in: raw, at: place)
            place += length
            for byte in part {
                if byte == Self.space {
                    if !isAfterGap { result += Self.gap }
                    isAfterGap = true
                } else {
                    if result.isEmpty { result += Self.gap }
                    result.append(byte)
                    isAfterGap = false
                }
            }
        }
        while result.count >= Self.gap.count, result.suffix(Self.gap.count).elementsEqual(Self.gap) {
            result.removeLast(Self.gap.count)
        }
        return result
    }

    /// Returns the replacement for the text from `start` on, and the number of bytes that it replaces: at least one.
    private func replacement(in raw: [UInt8], at start: Int) -> (ArraySlice<UInt8>, Int) {
        var node = offset(units[0])
        var place = start
        var best: (value: Int, length: Int)?
        while place < raw.count {
            node ^= Int(raw[place])
            guard node < units.count, units[node] & 0x8000_00FF == UInt32(raw[place]) else { break }
            let unit = units[node]
            node ^= offset(unit)
            place += 1
            // The value is at the node's own offset.
            if unit & 0x100 != 0, node < units.count { best = (Int(units[node] & 0x7FFF_FFFF), place - start) }
        }
        guard let best, best.value < replacements.count else {
            let length = Self.characterLength(in: raw, at: start)
            return (raw[start..<start + length], length)
        }
        return (ArraySlice(replacements[best.value...].prefix { $0 != 0 }), best.length)
    }

    private func offset(_ unit: UInt32) -> Int { Int(unit >> 10) << Int((unit & 0x200) >> 6) }

    /// Returns the number of bytes of the character that begins at `start`, in valid UTF-8.
    static func characterLength(in bytes: [UInt8], at start: Int) -> Int {
        let length =
            switch bytes[start] {
            case 0xC0..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0...: 4
            default: 1
            }
        return min(length, bytes.count - start)
    }
}
