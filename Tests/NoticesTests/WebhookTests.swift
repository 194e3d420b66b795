import Errors
import Foundation
import Notices
import TestSupport
import Testing

@testable import Mosquitto
@testable import Webhooks

/// Addresses and signatures.
struct WebhookTests {
    @Test func signaturesAreThoseOfRFC4231() {
        func check(_ key: [UInt8], _ text: String, _ expected: String) {
            #expect(WebhookSignature.hexadecimal(of: Array(text.utf8), key: key) == expected)
        }
        check(
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        check(
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        check(
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func addressesOfHTTPOnlyAndWithoutPasswords() throws {
        for text in ["http://host/x", "https://host:8443/x?token=abc", "http://[::1]:80/"] {
            #expect(try WebhookAddress(text).text == text)
        }
        for text in ["", "host", "ftp://host/", "file:///etc/passwd", "http://", "http://user:geheim@host/"] {
            #expect { try WebhookAddress(text) } throws: { !"\($0)".contains("geheim") && $0 is FramegrepError }
        }
        #expect(WebhookAddress.shown("https://host:8443/key/abc?token=secret") == "https://host:8443")
    }

    @Test func reasonsAreInWordsOfOurOwn() throws {
        let socket = try LoopbackSocket()
        defer { close(socket.descriptor) }
        // The system accepts the connection, and no one answers.
        for (port, words) in [(1, "no server listens there"), (Int(socket.port), "did not answer in time")] {
            let post = try CurlPost(
                try WebhookAddress("http://127.0.0.1:\(port)/"), key: nil, timeout: .milliseconds(300))
            guard case .failed(let reason, nil) = post.post(Notice(id: "1", topic: "", body: [])) else {
                Issue.record("It was taken.")
                continue
            }
            #expect(reason.contains(words), "\(reason)")
        }
    }

    @Test func oneServerIsOneSchemeHostAndPort() throws {
        let address = try WebhookAddress("https://host/x")
        #expect(address.isAtSameServer(as: "https://HOST:443/other"))
        for other in ["http://host/x", "https://host:8443/x", "https://host.evil/x", "https://host@evil/x", "/x"] {
            #expect(!address.isAtSameServer(as: other), "\(other)")
        }
    }

    @Test func addressesOfBrokers() throws {
        #expect(try BrokerAddress("mqtt://Host").name == "mqtt://Host:1883")
        #expect(try BrokerAddress("mqtts://host").port == 8883)
        #expect(try BrokerAddress("mqtt://[::1]:99/").host == "::1")
        for text in [
            "host", "http://host", "mqtt://", "mqtt://h:0", "mqtt://h:99999", "mqtt://h/topic", "mqtt://u:geheim@h",
        ] {
            #expect { try BrokerAddress(text) } throws: { !"\($0)".contains("geheim") && $0 is FramegrepError }
        }
    }
}
