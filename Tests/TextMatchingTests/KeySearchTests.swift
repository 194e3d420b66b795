import Testing

@testable import TextMatching

/// Typed keys, tokens and identifiers whose letters a reader takes for others without any doubt.
@Suite("Matching: misread keys, for hiding")
struct KeySearchTests {
    /// The letters m, d and w are left out: each counts as two narrow ones (`rn`, `cl`, `vv`), so a mistake in one counts twice.
    private static let alphabet = Array("ABCEFGHIJKLNOPQRSTUVXYZabcefghijklnopqrstuvxyz0123456789")

    private func found(_ pattern: String, in text: String, hides: Bool = true) throws -> [TextMatch] {
        var manner = SearchMode(kind: .plain)
        manner.leansToRecall = hides
        return try manner.matcher(for: [pattern]).matches(in: line(text))
    }

    /// The characters of a text that are not matched.
    private func left(of text: String, _ matches: [TextMatch]) -> String {
        let words = text.split(separator: " ").map(Array.init)
        let parts = Set(matches.flatMap(\.parts).flatMap { part in part.characters.map { [part.word, $0] } })
        return words.indices.map { word in
            String(words[word].indices.filter { !parts.contains([word, $0]) }.map { words[word][$0] })
        }.joined(separator: " ")
    }

    @Test(
        "a key is found as the networks read it",
        arguments: [
            (
                "eyJsdc6lC1MXlPq2Ymk_yE9fz1WuvL4NUyv-D8FnyVVdBZdzst6iA",
                "ey|sdc6IC1 MXIPq2Ymk_yE9fz1WuvL4NUy-D8FnyWdBZdzst6iA"
            ),
            (
                "eyJsdc6lC1MXlPq2Ymk_yE9fz1WuvL4NUyv-D8FnyVVdBZdzst6iA",
                "eyJsdcóIC1MXIPq2Ymk_yE9fz1WuvL4NUyv-D8Fny VdBZdzst6iA"
            ),
            ("sk_live_51HqIlO0oIl1B8S5Z2vUuCcKkWw0OQ", "sk_live_51 HqIIOOoII1B8S5Z2vUuCcKkWwOQ"),
        ])
    func asRead(key: String, read: String) throws {
        #expect(left(of: read, try found(key, in: read)).allSatisfy { $0 == " " }, "\(read)")
    }

    /// Of random keys one letter in eight is another, missing or doubled, at any place.
    @Test("a key with one wrong letter in eight is found whole, among other words")
    func randomKeys() throws {
        var random = SplitMix(state: 7)
        for _ in 0..<300 {
            let length = Int.random(in: 12...60, using: &random)
            var key = (0..<length).map { _ in Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)] }
            key[Int.random(in: 1..<length, using: &random)] = "7"
            key[0] = "k"
            var read = key
            for _ in 0..<length / 8 {
                // Not the ends: what stands there instead of a lost letter is anybody's guess.
                let index = Int.random(in: 2..<read.count - 2, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: read[index] = Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)]
                case 1: read.remove(at: index)
                default: read.insert(read[index], at: index)
                }
            }
            let text = "token: \(String(read)) (production)"
            #expect(
                left(of: text, try found(String(key), in: text)) == "token:  (production)", "\(String(key)): \(text)")
        }
    }

    @Test(
        "other keys, words and short codes are not found",
        arguments: [
            ("sk_live_51HqIlO0oIl1B8S5Z2vUuCcKkWw0OQ", "sk_live_9yTgRr3XeVnMmPp4DdJjHhFf7aA1bB"),
            ("0cad1946-1922-995d-8401-6e51c6b36d6f", "0cad1946-57b1-4f0e-b3a2-1f90aa7d11c3"),
            ("https://example.com/orders", "https://example.com/users"),
            ("invoice7731", "invoice7732"), ("Marianne Holt", "Martina Hall"),
        ])
    func others(key: String, text: String) throws { #expect(try found(key, in: text).isEmpty) }

    @Test("finding, which does not lean to recall, takes no such text for a key")
    func findingIsStrict() throws {
        #expect(try found("AKIAIOSFODNN7EXAMPLE", in: "AKIAIOSXODNN7EXAMQLE", hides: false).isEmpty)
        #expect(try found("AKIAIOSFODNN7EXAMPLE", in: "AKIAIOSXODNN7EXAMQLE").count == 1)
    }
}
