/// Names of months and their usual short forms, without accents as lines are compared here.
enum MonthNames {
    /// The month whose name ends at the returned index; nil if none stands at `start`. English, German, French, Spanish,
    /// Italian, Portuguese and Dutch; in each the longest names are tried first.
    static func month(at start: Int, in text: ContentText) -> (month: Int, end: Int)? {
        guard text.isLetter(start), text.isFree(before: start) || text.isDigit(start - 1) else { return nil }
        var end = start
        while text.isLetter(end), end - start < 12 { end += 1 }
        guard end - start >= 3, !text.isLetter(end), let month = months[folded(text.text(start..<end))] else {
            return nil
        }
        return (month, text[end] == "." ? end + 1 : end)
    }

    private static func folded(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                TextFolding(caseSensitive: false).fold(name).units.compactMap { Unicode.Scalar($0.code) }))
    }

    private static let months: [String: Int] = {
        var months: [String: Int] = [:]
        for (index, names) in [
            "january jan januar janvier janv enero ene gennaio gen janeiro januari",
            "february feb februar fevrier fevr febrero febbraio fevereiro fev februari",
            "march mar marz maerz mrz mars marzo marco maart mrt",
            "april apr avril avr abril abr aprile",
            "may mai mayo maggio mag maio mei",
            "june jun juni juin junio giugno giu junho",
            "july jul juli juillet juil julio luglio lug julho",
            "august aug aout agosto ago augustus",
            "september sep sept septembre septiembre settembre set setembro",
            "october oct oktober okt octobre octubre ottobre ott outubro out",
            "november nov novembre noviembre novembro",
            "december dec dezember dez decembre diciembre dic dicembre dezembro",
        ].enumerated() {
            for name in names.split(separator: " ") { months[String(name)] = index + 1 }
        }
        return months
    }()
}
