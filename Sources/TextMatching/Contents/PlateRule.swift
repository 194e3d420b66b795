/// Plates of vehicles: `B-MW 1234`, `AB12 CDE`, `RK·115 AN`, `12가 3456`, in an order of letters and digits that some country has.
///
/// Capital letters; between the groups one gap or mark, or none. Where a place of the order must be a digit, a letter that looks like
/// one is taken for it (`O` for 0, `I` for 1, `S` for 5), and the other way round, one of five characters at most. What has the form
/// by chance, a month, a unit or the name of a standard with a number, is none. A gap that an engine dropped behind a colon or a
/// comma is no obstacle (`Plate:B-MW 4021`).
struct PlateRule: ContentRule {
    private static let most = 10
    /// Groups of letters that stand beside numbers for something else.
    private static let others: Set<String> = [
        "AM", "PM", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC", "MAI", "OKT",
        "DEZ",
        "KB", "MB", "GB", "TB", "KM", "CM", "MM", "KG", "MG", "ML", "KW", "KWH", "MHZ", "GHZ", "KHZ", "HZ", "RPM",
        "FPS",
        "DPI", "PX", "PPM", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "KRW", "CAD", "AUD", "PCS", "QTY", "NO", "NR",
        "ISO",
        "DIN", "IEC", "RFC", "USB", "PDF", "CET", "UTC", "GMT", "EST", "PST", "TEL", "FAX", "EXT", "VOL", "REV", "VER",
        "X", "ST", "ND", "RD", "TH", "PH", "PT", "BC", "AD",
    ]

    private struct Groups {
        var scalars: [Unicode.Scalar] = []
        /// Where groups begin, but for the first, as indices in ``scalars``.
        var starts: [Int] = []
        /// Behind each group, as indices in the text.
        var ends: [Int] = []
    }

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard isPart(start, in: text), isFree(before: start, in: text) else { return .none }
        let groups = groups(start, in: text)
        for count in stride(from: groups.ends.count, to: 0, by: -1) {
            let length = count <= groups.starts.count ? groups.starts[count - 1] : groups.scalars.count
            let scalars = Array(groups.scalars.prefix(length))
            let starts = Set(groups.starts.prefix(count - 1))
            guard !goesOn(at: groups.ends[count - 1], in: text),
                [0, scalars.count / 5].contains(where: { isPlate(scalars, starts, allowed: $0) })
            else { continue }
            if isOther(scalars, starts) {
                return .refused("Beside a number these letters are a unit, a month or a name.")
            }
            return .found(end: groups.ends[count - 1])
        }
        return .none
    }

    private func isPart(_ index: Int, in text: ContentText) -> Bool {
        let scalar = text[index]
        return text.isDigit(index) || ("A"..."Z").contains(scalar) || PlateShape.isLocal(scalar)
            || PlateShape.isCyrillic(scalar)
    }

    /// A letter or digit, or a small letter that looks like a digit beside one.
    private func isPart(_ index: Int, behind before: Int, in text: ContentText) -> Bool {
        if isPart(index, in: text) { return true }
        guard "oil|zs".unicodeScalars.contains(text[index]) else { return false }
        return text.isDigit(before) || text.isDigit(index + 1)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool { CodeMark.isMark(scalar.value) }

    private func isFree(before start: Int, in text: ContentText) -> Bool {
        guard !text.isLetter(start - 1), !text.isDigit(start - 1) else { return false }
        if text.followsLabel(start) || isList(start - 1, in: text) { return true }
        return !(Self.isMark(text[start - 1]) || [":", ",", "'"].contains(text[start - 1]))
            || !text.isLetter(start - 2) && !text.isDigit(start - 2)
    }

    /// A letter or digit stands at `index`, or behind a mark there.
    private func goesOn(at index: Int, in text: ContentText) -> Bool {
        if text.isLetter(index) || text.isDigit(index) || text[index] == "_" { return true }
        if isList(index, in: text) { return false }
        let isJoined = Self.isMark(text[index]) || [":", ",", "'"].contains(text[index])
        return isJoined && (text.isLetter(index + 1) || text.isDigit(index + 1))
    }

    /// A comma at `index` parts two words and no digits of one number.
    private func isList(_ index: Int, in text: ContentText) -> Bool {
        text[index] == "," && !(text.isDigit(index - 1) && text.isDigit(index + 1))
    }

    private func groups(_ start: Int, in text: ContentText) -> Groups {
        var result = Groups()
        var index = start
        while result.ends.count < 4, result.scalars.count <= Self.most {
            let begin = index
            while result.scalars.count <= Self.most, isPart(index, behind: index - 1, in: text) {
                result.scalars.append(text[index])
                index += 1
            }
            guard index > begin else { break }
            result.ends.append(index)
            var next = text.afterGap(index)
            if Self.isMark(text[next]) { next = text.afterGap(next + 1) }
            guard next > index, isPart(next, in: text) else { break }
            result.starts.append(result.scalars.count)
            index = next
        }
        if result.starts.count == result.ends.count { result.starts.removeLast() }
        return result
    }

    private func isPlate(_ scalars: [Unicode.Scalar], _ starts: Set<Int>, allowed: Int) -> Bool {
        guard let shapes = PlateShape.byLength[scalars.count],
            scalars.count(where: { ("0"..."9").contains($0) }) >= 2 - allowed,
            scalars.contains(where: { !("0"..."9").contains($0) })
        else { return false }
        return shapes.contains { shape in shape.misreadings(scalars, groups: starts).map { $0 <= allowed } ?? false }
    }

    /// One of its groups of letters means something else beside a number.
    private func isOther(_ scalars: [Unicode.Scalar], _ starts: Set<Int>) -> Bool {
        var run = ""
        var runs: [String] = []
        for (index, scalar) in scalars.enumerated() {
            let isDigit = ("0"..."9").contains(scalar)
            if isDigit || starts.contains(index), !run.isEmpty {
                runs.append(run)
                run = ""
            }
            if !isDigit { run.unicodeScalars.append(scalar) }
        }
        if !run.isEmpty { runs.append(run) }
        return runs.count == 1 && Self.others.contains(runs[0])
    }
}

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
