import Errors
import Foundation
import Notices
import Synchronization
import TestSupport
import Testing

@testable import Mosquitto

/// How libmosquitto handles messages.
struct MosquittoClientTests {
    /// The library keeps messages that it could not send and sends them with the next connection: they are acknowledged
    /// by their numbers later, and must not count as refused.
    @Test func whatMeetsALostConnectionIsTakenAndWhatNoBrokerWouldTakeIsRefused() throws {
        let address = try BrokerAddress("mqtt://127.0.0.1:1")
        let client = try MosquittoClient(BrokerSettings(address: address, clientName: "test", statusTopic: "status"))
        let numbers = ["a", "a/b"].map { client.publish([1], to: $0, isRetained: false) }
        #expect(numbers[0] != nil && numbers[1] != nil && numbers[0] != numbers[1], "\(numbers)")
        for topic in ["", "a/#", "a/+"] { #expect(client.publish([1], to: topic, isRetained: false) == nil) }
    }

    @Test func aBrokerThatAgreedAndLeavesIsNotToldToWantTLS() throws {
        for (answer, reason) in [
            (LeavingBroker.agreement, "it closed the connection"),
            ([], "it closed the connection at once; if it wants TLS, the address begins with mqtts"),
        ] {
            let broker = try LeavingBroker(answer)
            defer { broker.stop() }
            let address = try BrokerAddress("mqtt://127.0.0.1:\(broker.port)")
            let client = try MosquittoClient(
                BrokerSettings(address: address, clientName: "test", statusTopic: "status"))
            #expect(client.connect() == nil)
            var lost: String?
            for _ in 0..<100 where lost == nil {
                usleep(20_000)
                lost = client.work(canRead: true)
            }
            #expect(lost == reason)
        }
    }

    /// Such a broker would otherwise see each client every half second, and its user two messages as often.
    @Test func aBrokerThatDropsItsClientsIsTriedLessAndLessOften() async throws {
        let broker = try LeavingBroker(LeavingBroker.agreement)
        defer { broker.stop() }
        let settings = BrokerSettings(
            address: try BrokerAddress("mqtt://127.0.0.1:\(broker.port)"), clientName: "test", statusTopic: "status")
        let warnings = Mutex<[String]>([])
        let sender = try MQTTSender(to: settings, outbox: nil, shownName: "broker") { _, _, _ in
        } warn: { warning in
            warnings.withLock { $0.append(warning.message) }
        }
        try await Task.sleep(for: .milliseconds(4500))
        await sender.finish(within: .milliseconds(100))
        #expect((2...5).contains(broker.guests), "\(broker.guests)")
        #expect(warnings.withLock { $0.count } == 1, "\(warnings.withLock { $0 })")
    }
}

/// A server that reads the first message of each client, answers, and closes the connection. Thread-safe.
private final class LeavingBroker: Sendable {
    /// Agrees to the connection (CONNACK).
    static let agreement: [UInt8] = [0x20, 2, 0, 0]

    private let socket: LoopbackSocket
    private let count = Mutex(0)

    var port: UInt16 { socket.port }
    /// How many clients it has had.
    var guests: Int { count.withLock { $0 } }

    init(_ answer: [UInt8]) throws {
        socket = try LoopbackSocket()
        Thread.detachNewThread { [self] in
            while true {
                let guest = accept(socket.descriptor, nil, nil)
                guard guest >= 0 else { break }
                count.withLock { $0 += 1 }
                var bytes = [UInt8](repeating: 0, count: 4096)
                _ = read(guest, &bytes, bytes.count)
                _ = write(guest, answer, answer.count)
                // What the client says meanwhile is read, so that the end is no reset.
                shutdown(guest, Int32(SHUT_WR))
                while read(guest, &bytes, bytes.count) > 0 {}
                close(guest)
            }
            close(socket.descriptor)
        }
    }

    func stop() { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
}
