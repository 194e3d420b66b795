import Errors
import Synchronization
import Testing
import TextSpotting

@testable import GStreamerMedia

@Suite struct AddressRangeTests {
    private func bytes(_ text: String) -> [UInt8] { text.split(separator: ".").compactMap { UInt8($0) } }

    @Test(arguments: [
        "127.0.0.1", "127.255.0.9", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.4",
        "169.254.169.254",
        "100.64.0.1", "100.127.255.255", "0.0.0.0", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
        "198.18.0.1", "192.0.0.8",
    ])
    func privateAddresses(text: String) { #expect(AddressRange.isPrivate(bytes(text))) }

    @Test(arguments: [
        "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.0", "11.0.0.1", "9.255.255.255",
        "192.167.1.1",
        "169.253.1.1", "128.0.0.1", "126.255.255.255", "223.255.255.255", "203.0.113.5", "198.20.0.1", "1.1.1.1",
    ])
    func publicAddresses(text: String) { #expect(!AddressRange.isPrivate(bytes(text))) }

    @Test func theSixthVersionToo() {
        func address(_ start: [UInt8], _ end: [UInt8] = []) -> [UInt8] {
            start + [UInt8](repeating: 0, count: 16 - start.count - end.count) + end
        }
        let inside: [[UInt8]] = [
            address([]), address([], [1]), address([0xFE, 0x80], [1]), address([0xFC], [1]),
            address([0xFD, 0x12], [1]),
            address([0xFF, 0x02], [1]), address([], [0xFF, 0xFF, 127, 0, 0, 1]),
            address([], [0xFF, 0xFF, 10, 1, 2, 3]),
            address([0, 0x64, 0xFF, 0x9B], [192, 168, 0, 1]), address([0x20, 0x02, 127, 0, 0, 1]),
            address([0x20, 0x01], [1]),
            address([], [127, 0, 0, 1]), address([0xFE, 0xC0], [1]),
        ]
        for bytes in inside { #expect(AddressRange.isPrivate(bytes), "\(bytes)") }
        let outside: [[UInt8]] = [
            address([0x2A, 0, 0x14, 0x50], [0x20, 0x0E]), address([0x20, 0x01, 0x48, 0x60], [0x88, 0x88]),
            address([], [0xFF, 0xFF, 8, 8, 8, 8]), address([0, 0x64, 0xFF, 0x9B], [8, 8, 8, 8]),
        ]
        for bytes in outside { #expect(!AddressRange.isPrivate(bytes), "\(bytes)") }
        #expect(AddressRange.isPrivate([]) && AddressRange.isPrivate([1, 2, 3]))
    }
}

@Suite struct SourcePolicyTests {
    private func policy(_ origins: String..., allowing allowed: Set<String> = []) -> SourcePolicy {
        SourcePolicy(number: 1, origins: origins, allowed: allowed) { _ in }
    }

    @Test func whatComesFromTheNetworkLeadsToHTTPOnly() {
        let policy = policy("http://host/list.m3u8")
        #expect(policy.refusal(of: "http://host/list.m3u8") == nil)
        #expect(policy.refusal(of: "https://other/a.ts") == nil)
        #expect(policy.refusal(of: "HTTPS://other/a.ts") == nil)
        for address in ["file:///etc/passwd", "FILE:///x", "udp://x", "rtsp://x", "fd://0", "data:x", "", "icy://x"] {
            let refusal = policy.refusal(of: address)
            #expect(refusal?.code == .sourceUnavailable, "\(address)")
            #expect(refusal?.message.hasSuffix(".") == true)
        }
    }

    @Test func aFileLeadsToFiles() {
        let policy = policy("file:///a/list.m3u8")
        #expect(policy.refusal(of: "file:///b/piece.ts") == nil)
        #expect(policy.refusal(of: "http://host/piece.ts") != nil)
    }

    @Test func whatIsOfUnknownOriginLeadsNowhere() {
        for policy in [policy(), policy("fd://0")] {
            #expect(
                policy.refusal(of: "file:///b/piece.ts") != nil && policy.refusal(of: "http://host/piece.ts") != nil)
        }
    }

    @Test func socketsBelongToRTSPAlone() {
        #expect(policy("rtsp://camera/stream").refusal(of: "udp://0.0.0.0:0") == nil)
        #expect(policy("http://host/list").refusal(of: "udp://0.0.0.0:0") != nil)
        #expect(policy("rtsp://camera/stream").refusal(of: "file:///x") != nil)
    }

    @Test func whatIsAllowedIs() {
        #expect(policy("http://host/x", allowing: ["file"]).refusal(of: "file:///x") == nil)
        #expect(policy("http://host/x", allowing: ["file"]).refusal(of: "udp://x") != nil)
    }

    @Test func whatBeganOutsideDoesNotLeadInside() {
        let inside: [UInt8] = [10, 0, 0, 1]
        let outside: [UInt8] = [203, 0, 113, 5]
        func refuses(_ policy: SourcePolicy, _ address: [UInt8]) -> Bool {
            policy.refusal(ofConnectionTo: address, named: "x", for: "http://x/") != nil
        }
        let first = policy("http://host/x")
        #expect(!refuses(first, outside) && refuses(first, inside) && !refuses(first, outside))
        let second = policy("http://camera/x")
        #expect(!refuses(second, inside) && !refuses(second, outside) && !refuses(second, inside))
        #expect(refuses(policy("file:///x", allowing: ["http"]), inside))
        let allowed = policy("http://host/x", allowing: ["private"])
        #expect(!refuses(allowed, outside) && !refuses(allowed, inside))
    }

    @Test func theFirstRefusalIsReported() {
        let told = Mutex<[String]>([])
        let policy = SourcePolicy(number: 1, origins: [], allowed: []) { refusal in
            told.withLock { $0.append(refusal.message) }
        }
        policy.refuse(SourcePolicy.refused("One."))
        policy.refuse(SourcePolicy.refused("Two."))
        #expect(told.withLock { $0 } == ["One."] && policy.refusal?.message == "One.")
    }
}
