import Errors
import Foundation
import Mosquitto
import Notices
import Synchronization
import TestSupport
import Testing

/// `mqtts://` with valid and invalid certificates.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: TestBroker.isInstalled && Tool.exists("openssl"), "needs mosquitto, mosquitto-clients and openssl"))
struct BrokerEncryptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openssl(_ arguments: String) async throws {
        let tool = try #require(Tool("openssl"))
        let outcome = try await tool.run(arguments.split(separator: " ").map(String.init))
        #expect(outcome.status == 0, "\(outcome.stderr)")
    }

    private static let newKey = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"

    private func makeAuthority(_ name: String) async throws -> String {
        let path = folder.file(name)
        try await openssl("\(Self.newKey) -x509 -days 2 -subj /CN=\(name) -keyout \(path).key -out \(path).crt")
        return path + ".crt"
    }

    /// Since OpenSSL 3.4 a certificate may not end before it begins, but both days can be given.
    private static func daysOfThePast() async throws -> String {
        let help = try await #require(Tool("openssl")).run(["x509", "-help"])
        return (help.stdout + help.stderr).contains("-not_after")
            ? "-not_before 20200101000000Z -not_after 20200102000000Z" : "-days -1"
    }

    /// Starts a broker whose certificate is from the authority `right`.
    private func broker(_ name: String, host: String = "localhost", isExpired: Bool = false, more: [String] = [])
        async throws
        -> TestBroker
    {
        let (path, authority) = (folder.file(name), folder.file("right"))
        try await openssl("\(Self.newKey) -subj /CN=\(name) -keyout \(path).key -out \(path).csr")
        let names = try folder.write("subjectAltName=DNS:\(host)\n", to: name + ".names")
        let days = isExpired ? try await Self.daysOfThePast() : "-days 2"
        try await openssl(
            "x509 -req -in \(path).csr -CA \(authority).crt -CAkey \(authority).key -CAcreateserial \(days) -extfile \(names) -out \(path).crt"
        )
        return try await TestBroker(
            user: "camera", password: "right", more: ["certfile \(path).crt", "keyfile \(path).key"] + more)
    }

    /// Returns the warning about a connection; nil if the broker accepted a notice.
    private func problem(
        with broker: TestBroker, scheme: String = "mqtts", authority: String?, password: String = "right"
    ) async throws -> String? {
        let waiting = try Outbox(in: OutboxFolder(folder.file("outbox")), for: UUID().uuidString)
        waiting.add(Notice(id: "1", topic: "framegrep/test/x/sighting", body: Array("{}".utf8)))
        var settings = BrokerSettings(
            address: try BrokerAddress("\(scheme)://localhost:\(broker.port)"), clientName: "test",
            statusTopic: "framegrep/test/status")
        (settings.user, settings.password, settings.certificates) = ("camera", password, authority)
        let heard = Warnings()
        let sender = try MQTTSender(to: settings, outbox: waiting, shownName: "broker") { _, _, _ in
        } warn: { warning in
            heard.sentences.withLock { $0.append(warning.message) }
        }
        #expect(try await holds { waiting.count == 0 || heard.first != nil })
        await sender.finish(within: .seconds(30))
        return heard.first
    }

    private final class Warnings: Sendable {
        let sentences = Mutex<[String]>([])
        var first: String? { sentences.withLock { $0.first } }
    }

    @Test func onlyACertificateThatIsRightIsTrusted() async throws {
        let (right, other) = (try await makeAuthority("right"), try await makeAuthority("other"))
        let (good, elsewhere) = (try await broker("good"), try await broker("elsewhere", host: "elsewhere.example"))
        let expired = try await broker("expired", isExpired: true)
        let demanding = try await broker(
            "demanding", more: ["require_certificate true", "cafile \(right)", "tls_version tlsv1.2"])
        #expect(try await problem(with: good, authority: right) == nil)
        for (broker, scheme, authority, password, expected) in [
            (good, "mqtts", other, "right", "is not to be trusted"),
            (good, "mqtts", nil, "right", "is not to be trusted"),
            (expired, "mqtts", right, "right", "not valid today"), (elsewhere, "mqtts", right, "right", "another host"),
            (good, "mqtts", right, "wrong", "refuses user and password"),
            (good, "mqtt", right, "right", "begins with mqtts"),
            // It requires a client certificate, which we do not have.
            (demanding, "mqtts", right, "right", "cannot be reached"),
        ] {
            let said = try await problem(with: broker, scheme: scheme, authority: authority, password: password)
            #expect(said?.contains(expected) == true, "\(said ?? "nothing")")
        }
        let plain = try await TestBroker()
        let said = try await problem(with: plain, authority: right)
        #expect(said?.contains("cannot be reached") == true, "\(said ?? "nothing")")
        for broker in [good, elsewhere, expired, demanding, plain] { await broker.stop() }
    }

    @Test func aFileWithoutCertificatesIsRefusedAtOnce() async throws {
        _ = try await makeAuthority("right")
        for file in ["right.key", "nothing"] {
            var settings = BrokerSettings(
                address: try BrokerAddress("mqtts://localhost:1"), clientName: "test", statusTopic: "s")
            settings.certificates = folder.file(file)
            let waiting = try Outbox(in: OutboxFolder(folder.file("outbox")), for: "a")
            let error = #expect(throws: FramegrepError.self) {
                try MQTTSender(to: settings, outbox: waiting, shownName: "broker") { _, _, _ in
                } warn: { _ in
                }
            }
            #expect(error?.message.contains("--mqtt-ca") == true)
        }
    }
}
