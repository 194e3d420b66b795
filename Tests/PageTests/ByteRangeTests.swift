import Testing

@testable import Page

/// The bytes of a file that a request gets (RFC 9110, section 14).
@Suite struct ByteRangeTests {
    @Test(arguments: [
        (nil, 100, ByteRange.whole),
        ("bytes=0-", 100, .part(0..<100)),
        ("bytes=0-0", 100, .part(0..<1)),
        ("bytes=10-19", 100, .part(10..<20)),
        ("bytes=90-200", 100, .part(90..<100)),
        ("bytes=99-", 100, .part(99..<100)),
        ("bytes=-1", 100, .part(99..<100)),
        ("bytes=-500", 100, .part(0..<100)),
        ("BYTES= 5-6 ", 100, .part(5..<7)),
        ("bytes=100-", 100, ByteRange.none),
        ("bytes=100-200", 100, .none),
        ("bytes=-0", 100, .none),
        ("bytes=0-", 0, .none),
        ("bytes=-5", 0, .none),
        ("bytes=99999999999999999999-", 100, .none),
        ("bytes=0-99999999999999999999", 100, .part(0..<100)),
        ("bytes=9223372036854775807-9223372036854775807", 100, .none),
        // A header that is not a range of bytes is ignored.
        ("bytes=20-10", 100, .whole),
        ("bytes=-", 100, .whole),
        ("bytes=", 100, .whole),
        ("bytes", 100, .whole),
        ("bytes=a-b", 100, .whole),
        ("bytes=+1-2", 100, .whole),
        ("bytes=--5", 100, .whole),
        ("bytes=1--5", 100, .whole),
        ("bytes=٣-٤", 100, .whole),
        ("items=0-5", 100, .whole),
        // For several ranges the whole file is a valid answer too.
        ("bytes=0-1,5-6", 100, .whole),
    ])
    func range(header: String?, size: Int64, expected: ByteRange) {
        #expect(ByteRange(header, size: size) == expected)
    }
}
