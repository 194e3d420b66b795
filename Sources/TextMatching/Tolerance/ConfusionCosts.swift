import Glibc

/// The costs of misreadings, learnt from readings of rendered text (``LearntConfusions``).
///
/// Costs are natural logarithms: that a character read as `r` was really an `m` costs `-log P(m | r, misread)` and, added
/// by ``LineDoubt``, what it takes to believe that it was misread at all. Characters that were not among the learnt ones
/// cost ``unseen``.
struct ConfusionCosts: Sendable {
    static let learnt = ConfusionCosts(LearntConfusions.costs)

    /// The cost of a mistake that was never seen.
    static let unseen: Float = 7
    private static let tableSide = 128

    /// Read in rows, meant in columns, for ASCII; 0 is the character that is not there.
    private var singles = [Float](repeating: unseen, count: tableSide * tableSide)
    /// A wide letter read as two, or two read as a wide one: see ``key(_:_:_:)``.
    private var readPairs: [UInt64: Float] = [:]
    private var meantPairs: [UInt64: Float] = [:]
    /// Which pairs of letters are in ``readPairs`` and ``meantPairs``, as a table like ``singles``: most pairs are in neither, and this
    /// finds out quickly.
    private var mayBeRead = [Bool](repeating: false, count: tableSide * tableSide)
    private var mayBeMeant = [Bool](repeating: false, count: tableSide * tableSide)

    /// - Parameter table: triples of read, meant and ten times the cost, all separated by white space; ∅ is nothing.
    init(_ table: String) {
        let fields = table.split(whereSeparator: \.isWhitespace)
        for start in stride(from: 0, to: fields.count - 2, by: 3) {
            guard let tenths = Float(fields[start + 2]) else { continue }
            let read = fields[start].unicodeScalars.map { $0 == "∅" ? 0 : $0.value }
            let meant = fields[start + 1].unicodeScalars.map { $0 == "∅" ? 0 : $0.value }
            guard (read + meant).allSatisfy({ $0 < Self.tableSide }) else { continue }
            switch (read.count, meant.count) {
            case (1, 1): singles[Int(read[0]) * Self.tableSide + Int(meant[0])] = tenths / 10
            case (2, 1):
                readPairs[Self.key(read[0], read[1], meant[0])] = tenths / 10
                mayBeRead[Int(read[0]) * Self.tableSide + Int(read[1])] = true
            case (1, 2):
                meantPairs[Self.key(meant[0], meant[1], read[0])] = tenths / 10
                mayBeMeant[Int(meant[0]) * Self.tableSide + Int(meant[1])] = true
            default: continue
            }
        }
    }

    /// That `meant` was read as `read`; 0 for one of them stands for no character at all.
    func cost(read: UInt32, meant: UInt32) -> Float {
        guard read < Self.tableSide, meant < Self.tableSide else { return Self.unseen }
        return singles[Int(read) * Self.tableSide + Int(Self.lowercase(meant))]
    }

    /// That one letter was read as two; nil if that is not known to happen.
    func cost(readPair first: UInt32, _ second: UInt32, meant: UInt32) -> Float? {
        guard Self.has(mayBeRead, first, second) else { return nil }
        return readPairs[Self.key(first, second, Self.lowercase(meant))]
    }

    /// That two letters were read as one; nil if that is not known to happen.
    func cost(read: UInt32, meantPair first: UInt32, _ second: UInt32) -> Float? {
        let (first, second) = (Self.lowercase(first), Self.lowercase(second))
        guard Self.has(mayBeMeant, first, second) else { return nil }
        return meantPairs[Self.key(first, second, read)]
    }

    @inline(__always)
    private static func has(_ pairs: [Bool], _ first: UInt32, _ second: UInt32) -> Bool {
        first < tableSide && second < tableSide && pairs[Int(first) * tableSide + Int(second)]
    }

    private static func key(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt64 {
        UInt64(a) << 42 | UInt64(b) << 21 | UInt64(c)
    }

    private static func lowercase(_ value: UInt32) -> UInt32 { (0x41...0x5A).contains(value) ? value + 0x20 : value }
}
