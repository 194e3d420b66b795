/// License plates: `B-MW 1234`, `AB12 CDE`, `RK·115 AN`, `12가 3456`, in an order of letters and digits that some
/// country has.
///
/// Plates have capital letters, with one gap or mark, or none, between the groups. If the order has a digit, a letter
/// that looks like one counts as that digit (`O` for 0, `I` for 1, `S` for 5), and vice versa, for at most one of five
/// characters. Texts that have the form by chance are not plates: a month, a unit, or the name of a standard with a
/// number. A gap that an engine dropped after a colon or a comma does not matter (`Plate:B-MW 4021`).
struct PlateRule: ContentRule {
    /// Whether a word beside a number is a plate too if its letters could be digits (`0SL0 2026`).
    var isForHiding = false

    private static let most = 11
    /// Groups of letters that have another meaning next to numbers.
    private static let others: Set<String> = [
        "AM", "PM", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC", "MAI", "OKT",
        "DEZ",
        "KB", "MB", "GB", "TB", "KM", "CM", "MM", "KG", "MG", "ML", "KW", "KWH", "MHZ", "GHZ", "KHZ", "HZ", "RPM",
        "FPS",
        "DPI", "PX", "PPM", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "KRW", "CAD", "AUD", "PCS", "QTY", "NO", "NR",
        "ISO",
        "DIN", "IEC", "RFC", "USB", "PDF", "CET", "UTC", "GMT", "EST", "PST", "TEL", "FAX", "EXT", "VOL", "REV", "VER",
        "KR", "WIFI", "X", "ST", "ND", "RD", "TH", "PH", "PT", "BC", "AD",
    ]

    private struct Groups {
        var scalars: [Unicode.Scalar] = []
        /// The beginnings of all groups but the first, as indices in ``scalars``.
        var starts: [Int] = []
        /// The ones of ``starts`` that follow a mark.
        var marks: Set<Int> = []
        /// The end of each group, as an index in the text.
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
                let misread = [0, scalars.count / 5].first(where: {
                    isPlate(scalars, starts, groups.marks, allowed: $0)
                })
            else { continue }
            if Self.isOther(isForHiding ? scalars : Self.withLetterO(scalars, starts), starts) {
                return .refused("Beside a number these letters are a unit, a month or a name.")
            }
            if starts.isEmpty, Self.isWord(scalars) {
                return .refused("It is a word whose letters were read as the digits that they look like.")
            }
            if !isForHiding, groups.marks.isEmpty, Self.isWordWithNumber(scalars, starts, isExact: misread == 0) {
                return .refused("It is a word and a number if its zeros were read for the letter O.")
            }
            return .found(end: groups.ends[count - 1])
        }
        return .none
    }

    private func isPart(_ index: Int, in text: ContentText) -> Bool {
        let scalar = text[index]
        return text.isDigit(index) || ("A"..."Z").contains(scalar) || PlateOrder.isLocal(scalar)
            || PlateOrder.isCyrillic(scalar)
    }

    /// Returns whether there is a letter or digit, or a small letter next to a digit that looks like one.
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

    /// Returns whether a letter or digit is at `index`, or after a mark there.
    private func goesOn(at index: Int, in text: ContentText) -> Bool {
        if text.isLetter(index) || text.isDigit(index) || text[index] == "_" { return true }
        if isList(index, in: text) { return false }
        let isJoined = Self.isMark(text[index]) || [":", ",", "'"].contains(text[index])
        return isJoined && (text.isLetter(index + 1) || text.isDigit(index + 1))
    }

    /// Returns whether a comma at `index` separates two words rather than digits of one number.
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
            let isMarked = Self.isMark(text[next])
            if isMarked { next = text.afterGap(next + 1) }
            guard next > index, isPart(next, in: text) else { break }
            if isMarked { result.marks.insert(result.scalars.count) }
            result.starts.append(result.scalars.count)
            index = next
        }
        if result.starts.count == result.ends.count { result.starts.removeLast() }
        return result
    }

    private func isPlate(
        _ scalars: [Unicode.Scalar], _ starts: Set<Int>, _ marks: Set<Int>, allowed: Int
    ) -> Bool {
        guard let orders = PlateOrders.byLength[scalars.count],
            scalars.contains(where: { !("0"..."9").contains($0) })
        else { return false }
        let digits = scalars.count { ("0"..."9").contains($0) }
        return orders.contains { order in
            order.hasDigits(digits, misread: allowed)
                && order.misreadings(scalars, groups: starts, marks: marks).map { $0 <= allowed } ?? false
        }
    }

    /// Returns whether it is a word such as GOOGLE, read as `G00GLE`: all of its digits are zeros, or single ones among
    /// letters that look like them.
    ///
    /// - Parameter inside: whether a letter must be on either side.
    static func isWord(_ scalars: [Unicode.Scalar], inside: Bool = false) -> Bool {
        let isDigit = scalars.map { ("0"..."9").contains($0) }
        let digits = scalars.indices.filter { isDigit[$0] }
        if digits.allSatisfy({ scalars[$0] == "0" }) { return true }
        return digits.allSatisfy { index in
            !(inside && (index == 0 || index == scalars.count - 1)) && "0158".unicodeScalars.contains(scalars[index])
                && ![index - 1, index + 1].contains { isDigit.indices.contains($0) && isDigit[$0] }
        }
    }

    /// Returns whether it is a word such as OSLO, read as `0SL0`, with a number before or after it.
    ///
    /// Only zeros count, because plates without gaps between their groups have other digits among their letters.
    ///
    /// - Parameter isExact: whether it is a plate as it was read. Then it is a word only if it begins with a zero: no
    ///   plate begins with one that is the only digit before its letters.
    private static func isWordWithNumber(_ scalars: [Unicode.Scalar], _ starts: Set<Int>, isExact: Bool) -> Bool {
        let words = groups(of: scalars, starts).filter { $0.contains { !("0"..."9").contains($0) } }
        guard !starts.isEmpty, words.count == 1, let word = words.first, word.count >= 4,
            word.contains("0"), word.allSatisfy({ $0 == "0" || ("A"..."Z").contains($0) })
        else { return false }
        return !isExact || word.first == "0"
    }

    private static func groups(of scalars: [Unicode.Scalar], _ starts: Set<Int>) -> [ArraySlice<Unicode.Scalar>] {
        let bounds = [0] + starts.sorted() + [scalars.count]
        return zip(bounds, bounds.dropFirst()).map { scalars[$0..<$1] }
    }

    /// Returns the characters with the letter O for the zeros of each group that has letters and no other digits:
    /// `IS0 9001` is a standard.
    private static func withLetterO(_ scalars: [Unicode.Scalar], _ starts: Set<Int>) -> [Unicode.Scalar] {
        groups(of: scalars, starts).flatMap { group -> [Unicode.Scalar] in
            let isWord =
                group.contains("0") && group.contains { $0 != "0" }
                && !group.contains { ("1"..."9").contains($0) }
            return isWord ? group.map { $0 == "0" ? "O" : $0 } : Array(group)
        }
    }

    /// Returns whether one of its groups of letters means something else next to a number.
    static func isOther(_ scalars: [Unicode.Scalar], _ starts: Set<Int>) -> Bool {
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
        return runs.count == 1 && others.contains(runs[0])
    }
}
