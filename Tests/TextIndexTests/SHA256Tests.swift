import Testing

@testable import TextIndex

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4, and a million letters.
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func itIsTheKnownSum(text: String, expected: String) {
        var sum = SHA256()
        sum.add(Array(text.utf8))
        #expect(sum.finish() == expected)
    }

    @Test func piecesMakeNoDifference() {
        var whole = SHA256()
        var pieces = SHA256()
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 10_007)
        whole.add(bytes)
        for start in stride(from: 0, to: bytes.count, by: 61) {
            pieces.add(bytes[start..<min(bytes.count, start + 61)])
        }
        #expect(whole.finish() == pieces.finish())
    }
}
