import Testing
import TextMatching
import TextSpotting

/// Matches over several lines, for hiding: each line of them is hidden for itself.
@Suite("Matching: lines that a hidden text runs over")
struct RunningMatchesTests {
    /// The texts that are hidden, from top to bottom, of lines that are centered or begin below each other.
    private func hidden(_ pattern: String, _ texts: [String], centered: Bool = true) throws -> [String] {
        var manner = SearchMode(kind: .plain)
        manner.leansToRecall = true
        let lines = texts.enumerated().map { number, text in
            let width = line(text).quad.width
            return line(text, at: Point(centered ? 500 - width / 2 : 40, Double(number) * line(text).quad.height * 1.8))
        }
        let matches = try manner.matcher(for: [pattern]).matches(in: lines)
        for match in matches {
            let own = lines.filter { $0.quad.bounds.intersection(match.quad.bounds).height > 0.5 * match.quad.height }
            #expect(own.count == 1, "\(match.text): \(match.quad)")
            #expect(own.first?.text == match.line && match.line.contains(match.text), "\(match)")
            let range = match.characterRange
            #expect(String(Array(match.line)[range]) == match.text, "\(match)")
        }
        return texts.flatMap { text in
            Set(matches.filter { $0.line == text }.map(\.text)).sorted { $0.count > $1.count }.prefix(1)
        }
    }

    @Test("the lines above and below an address that is complete are not hidden with it")
    func neighbors() throws {
        let url = "https://intra.example.com/doe/116"
        #expect(try hidden(":url", ["Henry Whitcombe", url, "peter.abernathy and others"]) == [url])
        #expect(try hidden(":url", ["See", url, "+1 234 555 1814", "for more"]) == [url])
        #expect(try hidden(":email", ["jane.doe@example.com", "Berlin"]) == ["jane.doe@example.com"])
    }

    @Test("a line below an address is its end only if the address fills the width of its paragraph")
    func paragraph() throws {
        let address = "marco.albers@posteo.de"
        let letter = ["From: " + address, "our on and each", "next budgets travel hiring with"]
        #expect(try hidden(":email", letter, centered: false) == [address])
    }

    @Test("an address that a line breaks is hidden in each of its lines")
    func broken() throws {
        #expect(try hidden(":email", ["jane.doe@", "example.com"]) == ["jane.doe@", "example.com"])
        let pieces = [
            "https://intra.example.com/a/very/long/p", "ath/that/a/window/breaks/where/it/is/fu", "ll?token=9f8e7d",
        ]
        #expect(try hidden(":url", pieces, centered: false) == pieces)
        #expect(
            try hidden("DE89 3704 0044 0532 0130 00", ["DE89 3704", "0044 0532 0130 00"]) == [
                "DE89 3704", "0044 0532 0130 00",
            ])
    }
}
