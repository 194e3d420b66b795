import Testing

@testable import GStreamerMedia

@Suite struct PresignedAddressTests {
    private static let account = PresignedAddress.Account(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region: "us-east-1")
    /// 24 May 2013, midnight.
    private static let time = 1_369_353_600

    /// The example of Amazon's documentation, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".
    @Test func theSignatureIsThatOfTheStandard() {
        let address = PresignedAddress(scheme: "https", host: "examplebucket.s3.amazonaws.com", path: "/test.txt")
        #expect(
            address.signed(by: Self.account, at: Self.time, for: 86_400)
                == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test(
        arguments: [
            ("tapes", nil, "https", "tapes.s3.eu-west-1.amazonaws.com", "/2026/a b.mp4"),
            ("tapes.old", nil, "https", "s3.eu-west-1.amazonaws.com", "/tapes.old/2026/a b.mp4"),
            ("tapes", "http://store:9000", "http", "store:9000", "/tapes/2026/a b.mp4"),
            ("tapes", "https://store.example/base/", "https", "store.example", "/base/tapes/2026/a b.mp4"),
            ("tapes", "store.example", "https", "store.example", "/tapes/2026/a b.mp4"),
        ] as [(String, String?, String, String, String)])
    func anObjectHasItsPlace(bucket: String, endpoint: String?, scheme: String, host: String, path: String) {
        let address = PresignedAddress(bucket: bucket, key: "2026/a b.mp4", region: "eu-west-1", endpoint: endpoint)
        #expect(address.scheme == scheme && address.host == host && address.path == path)
        #expect(address.signed(by: Self.account, at: Self.time, for: 60).hasPrefix("\(scheme)://\(host)/"))
    }

    /// Nothing that gives access to the object is shown, and a key of odd letters is escaped byte by byte.
    @Test func itIsNotShown() throws {
        var account = Self.account
        account.sessionToken = "session/of+mine=="
        let address = PresignedAddress(bucket: "b", key: "ä?#&%.mp4", region: "r", endpoint: "http://127.0.0.1:9000")
        let text = address.signed(by: account, at: Self.time, for: 60)
        #expect(text.hasPrefix("http://127.0.0.1:9000/b/%C3%A4%3F%23%26%25.mp4?"))
        #expect(text.contains("X-Amz-Security-Token=session%2Fof%2Bmine%3D%3D"))
        let shown = try SourceURI(text).redacted
        let signature = try #require(text.split(separator: "=").last)
        #expect(!shown.contains(signature) && !shown.contains("session") && !shown.contains("AKIA"))
    }
}
