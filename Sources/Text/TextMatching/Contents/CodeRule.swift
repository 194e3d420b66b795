/// Codes: part, order and serial numbers of mixed letters and digits: `SN-00123A`, `INV-2026-001`, `3RT2016-1BB41`.
///
/// They have at least four characters, two of them digits, without a gap; marks occur singly, between letters and
/// digits. Letters are capitals; small letters make a code only if they alternate with digits repeatedly (`a1b2c3d4`),
/// as in checksums and keys. A small `l` or `o` beside a digit counts as the digit that it looks like. Numbers with
/// units, times, addresses and words with a number are rejected.
struct CodeRule: ContentRule {
    private static let most = 32
    private static let units: Set<String> = [
        "ST", "ND", "RD", "TH", "K", "P", "X", "H", "AM", "PM", "KB", "MB", "GB", "TB", "HZ", "KHZ", "MHZ", "GHZ", "KM",
        "CM", "MM", "KG", "MG", "ML", "KW", "KWH", "MAH", "AH", "FPS", "RPM", "DPI", "PX", "PPM", "BPM", "MPH", "KMH",
        "V",
        "W", "A", "M", "S", "MS", "MIN", "L", "G", "F", "C", "DB", "BIT", "MBIT", "GBIT", "MBPS", "GBPS", "USD", "EUR",
    ]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard isPart(start, in: text), text.isFree(before: start),
            !text.isJoiningMark(start - 1) || text.followsLabel(start)
        else { return .none }
        var end = start
        while end - start <= Self.most {
            if isPart(end, in: text) {
                end += 1
            } else if end > start, CodeMark.isMark(text[end].value), isPart(end + 1, in: text) {
                if text[end] == ".", text.isDigit(end - 1), text.isDigit(end + 1) {
                    return .refused("Digits on both sides of a full stop are a number, a version or an address.")
                }
                end += 1
            } else {
                break
            }
        }
        let parts = (start..<end).filter { isPart($0, in: text) }
        let digits = parts.count { text.isDigit($0) }
        guard parts.count >= 4, digits >= 2, digits < parts.count else { return .none }
        guard end - start <= Self.most, text.isFree(at: end), text[end] != "@",
            text[end] != ":" || !text.isDigit(end + 1)
        else { return .refused("It does not continue as a code does.") }
        if let reason = refusal(of: start..<end, in: text) { return .refused(reason) }
        return .found(end: end)
    }

    private func isPart(_ index: Int, in text: ContentText) -> Bool {
        text[index].isASCII && (text.isDigit(index) || text.isLetter(index))
    }

    /// Returns the reason it is something else; nil if it is a code.
    private func refusal(of range: Range<Int>, in text: ContentText) -> String? {
        let runs = runs(of: range, in: text)
        let words = runs.filter { !text.isDigit($0.lowerBound) }
        let isSmall = words.allSatisfy { run in run.allSatisfy { ("a"..."z").contains(text[$0]) } }
        if isSmall, words.contains(where: { !isDigitLike($0, in: text) }) {
            guard runs.count >= 4, range.count >= 6 else {
                return "Small letters with one number are a name or a unit."
            }
        } else if words.contains(where: { run in
            run.contains { ("a"..."z").contains(text[$0]) } && !isDigitLike(run, in: text)
        }) {
            return "Capital and small letters together are a word or a name."
        }
        if words.contains(where: { $0.count > 5 }) { return "More than five letters in a row are a word." }
        let letters = words.count == 1 ? text.text(words[0]).uppercased() : ""
        if runs.count == 2, words[0].lowerBound > range.lowerBound, Self.units.contains(letters) {
            return "It is a number with a unit."
        }
        if letters == "X", runs.count == 3 { return "It is a size: two numbers with an x." }
        for rule in [URLRule(), DateRule(), TimeRule(), IPRule(), MoneyRule()] as [any ContentRule] {
            if case .found(let end) = rule.verdict(at: range.lowerBound, in: text), end >= range.upperBound {
                return "It is of another kind: an address, a date, a time or a sum."
            }
        }
        return nil
    }

    /// Returns the runs of letters and of digits, without marks.
    private func runs(of range: Range<Int>, in text: ContentText) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in range where isPart(index, in: text) {
            if let last = runs.last, last.upperBound == index, text.isDigit(index - 1) == text.isDigit(index) {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }

    /// Returns whether a run is a small l or o beside a digit.
    private func isDigitLike(_ run: Range<Int>, in text: ContentText) -> Bool {
        run.allSatisfy { ["l", "o", "i"].contains(text[$0]) }
            && (text.isDigit(run.lowerBound - 1) || text.isDigit(run.upperBound))
    }
}

extension ContentText {
    /// Returns whether a mark joins the text after it to the word before it.
    func isJoiningMark(_ index: Int) -> Bool {
        (CodeMark.isMark(self[index].value) || [":", "@", ","].contains(self[index]))
            && (isLetter(index - 1) || isDigit(index - 1))
    }
}
