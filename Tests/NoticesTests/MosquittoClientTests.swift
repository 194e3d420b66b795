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
}
