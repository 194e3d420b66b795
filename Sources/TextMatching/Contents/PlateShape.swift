/// The orders of letters and digits in which vehicles' plates are written, and how a text fits one of them.
///
/// From the plates of some thirty countries (the Vienna Convention on Road Traffic, annex 2, asks for Arabic digits and capital Latin
/// letters; Korea, China and Russia add a letter of their own script). An order is told by runs; its places tell `O` from `0`.
struct PlateShape: Sendable {
    enum Place: Sendable { case letter, digit, either, local }

    let places: [Place]
    /// Groups are also parted here, within a run.
    var parting: Int?

    /// How the character `read` fits `place`: 0 as it is, 1 as a character that it looks like; nil if it does not.
    static func misreadings(_ read: Unicode.Scalar, at place: Place) -> Int? {
        switch place {
        case .letter:
            if ("A"..."Z").contains(read) || isCyrillic(read) { return 0 }
            return "012568".unicodeScalars.contains(read) ? 1 : nil
        case .digit:
            if ("0"..."9").contains(read) { return 0 }
            return "OQDoILil|ZzSsGB".unicodeScalars.contains(read) ? 1 : nil
        case .either:
            return ("0"..."9").contains(read) || ("A"..."Z").contains(read) ? 0 : nil
        case .local:
            return isLocal(read) ? 0 : nil
        }
    }

    /// Hangul syllables and ideographs.
    static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
        (0xAC00...0xD7A3).contains(scalar.value) || FoldedLine.isIdeograph(scalar.value)
    }

    static func isCyrillic(_ scalar: Unicode.Scalar) -> Bool { (0x410...0x42F).contains(scalar.value) }

    /// How many of `scalars` must have been misread for this order; nil if they are of another.
    ///
    /// - Parameter groups: where a gap or a mark stands between two of them.
    func misreadings(_ scalars: [Unicode.Scalar], groups: Set<Int>) -> Int? {
        guard scalars.count == places.count else { return nil }
        var sum = 0
        for (index, (scalar, place)) in zip(scalars, places).enumerated() {
            guard let one = Self.misreadings(scalar, at: place) else { return nil }
            // Beside it one of its kind must have been read: the I of COVID-19 is no digit.
            guard one == 0 || isSure(index - 1, as: place, scalars) || isSure(index + 1, as: place, scalars) else {
                return nil
            }
            sum += one
        }
        let isParted = groups.allSatisfy { index in
            places[index] != places[index - 1] || places[index] == .either || parting == index
        }
        // Without it the letters of two groups may be a word: GATES 12.
        return isParted && parting.map(groups.contains) ?? true ? sum : nil
    }

    /// The place of `index` is of the same kind, and was read as such.
    private func isSure(_ index: Int, as place: Place, _ scalars: [Unicode.Scalar]) -> Bool {
        places.indices.contains(index) && places[index] == place
            && Self.misreadings(scalars[index], at: place) == 0
    }

    /// All orders, by their number of characters.
    static let byLength: [Int: [PlateShape]] = Dictionary(grouping: all) { $0.places.count }

    private static let all: [PlateShape] = {
        var shapes: [PlateShape] = []
        // AB-123-CD, AB12 CDE, ABC 12D.
        for first in 1...3 {
            for digits in 1...4 {
                for last in 1...3 where (5...7).contains(first + digits + last) {
                    shapes.append(of([(.letter, first), (.digit, digits), (.letter, last)]))
                }
            }
        }
        // ZH 123456, ABC 1234.
        for letters in 2...3 {
            for digits in 3...6 { shapes.append(of([(.letter, letters), (.digit, digits)])) }
        }
        // B-MW 1234, HRO-XY 12: the letters in two groups.
        for district in 1...3 {
            for letters in 1...2 {
                for digits in 1...4 where district + letters + digits >= 4 {
                    shapes.append(of([(.letter, district + letters), (.digit, digits)], partedAt: district))
                }
            }
        }
        // 1234 ABC; 34 ABC 12, 12-AB-34, 7ABC123.
        for digits in 3...4 { shapes.append(of([(.digit, digits), (.letter, 3)])) }
        for first in 1...3 {
            for letters in 1...3 {
                for last in 1...4 where first + letters + last >= 5 {
                    shapes.append(of([(.digit, first), (.letter, letters), (.digit, last)]))
                }
            }
        }
        // MH 12 AB 1234, A123BC 77, ABC1D23, 1A2 3456.
        for letters in 1...2 { shapes.append(of([(.letter, 2), (.digit, 2), (.letter, letters), (.digit, 4)])) }
        for region in 2...3 { shapes.append(of([(.letter, 1), (.digit, 3), (.letter, 2), (.digit, region)])) }
        shapes.append(of([(.letter, 3), (.digit, 1), (.letter, 1), (.digit, 2)]))
        shapes.append(of([(.digit, 1), (.letter, 1), (.digit, 5)], partedAt: 3))
        // 12가 3456, 123가 4567; 京A·12345.
        for first in 2...3 { shapes.append(of([(.digit, first), (.local, 1), (.digit, 4)])) }
        for rest in 5...6 { shapes.append(of([(.local, 1), (.letter, 1), (.either, rest)])) }
        return shapes
    }()

    private static func of(_ runs: [(Place, Int)], partedAt parting: Int? = nil) -> PlateShape {
        PlateShape(places: runs.flatMap { [Place](repeating: $0.0, count: $0.1) }, parting: parting)
    }
}
