import Notices
import Testing

@testable import Mosquitto

/// The states that a broker retains.
struct RetainedStatesTests {
    private func state(_ topic: String, _ size: Int = 1) -> WatchStates.State {
        WatchStates.State(topic, [UInt8](repeating: 7, count: size))
    }

    private func said(_ states: inout RetainedStates) -> [String] {
        var topics: [String] = []
        while let next = states.takeNext() { topics.append("\(next.topic) \(next.payload.count)") }
        return topics
    }

    @Test func theLastOfEachIsSaidOnceAndAllWithANewConnection() {
        var states = RetainedStates()
        states.set([state("a"), state("b"), state("a", 2)])
        #expect(said(&states) == ["b 1", "a 2"] && states.isEmpty)
        states.startAnew()
        #expect(said(&states) == ["a 2", "b 1"])
        states.repeatState(at: "b")
        states.repeatState(at: "nowhere")
        #expect(said(&states) == ["b 1"])
    }

    @Test func whatIsTakenBackIsSaidOnce() {
        var states = RetainedStates()
        states.set([state("a"), state("b")])
        _ = said(&states)
        states.set([state("a", 0)])
        #expect(said(&states) == ["a 0"])
        states.startAnew()
        #expect(said(&states) == ["b 1"])
        states.set([state("a", 0), state("a", 3)])
        #expect(said(&states) == ["a 3"])
    }

    @Test func picturesAreKeptUpToALimit() {
        var states = RetainedStates()
        states.set([state("status")] + (1...5).map { state("picture \($0)", 20 << 20) })
        states.startAnew()
        #expect(said(&states) == ["status 1"] + (3...5).map { "picture \($0) \(20 << 20)" })
        // It replaces a larger one, which makes room.
        states.set([state("picture 3", 1 << 20), state("picture 6", 20 << 20)])
        states.startAnew()
        #expect(said(&states).count == 5)
    }
}
