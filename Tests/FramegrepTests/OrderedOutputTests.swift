import Dispatch
import Synchronization
import Testing
import Threads

@testable import framegrep

@Suite(.timeLimit(.minutes(1))) struct OrderedOutputTests {
    /// The text that was printed. Thread-safe.
    private final class Said: Sendable {
        private let all = Mutex<[String]>([])
        func note(_ text: String) { all.withLock { $0.append(text) } }
        var words: [String] { all.withLock { $0 } }
    }

    @Test func eachSpeaksAtItsTurn() {
        let said = Said()
        let order = OrderedOutput(from: 0) { index in
            said.note("turn \(index)")
            return true
        }
        order.say(2) { said.note("c") }
        order.say(1) { said.note("b") }
        order.show(1) { said.note("not now") }
        order.end(2)
        order.say(0) { said.note("a") }
        order.show(0) { said.note("shown") }
        #expect(said.words == ["a", "shown"])
        order.end(0)
        order.say(1) { said.note("b again") }
        order.end(1)
        #expect(said.words == ["a", "shown", "turn 1", "b", "b again", "turn 2", "c", "turn 3"])
        #expect(order.turn == 3)
    }

    /// A slow reader of the output does not hold up the others.
    @Test func whileOneSpeaksTheOthersGoOn() async throws {
        let said = Said()
        let order = OrderedOutput(from: 0) { _ in true }
        let (speaks, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let slow: Void = DedicatedThread.run(named: "slow") {
            order.say(0) {
                speaks.signal()
                goesOn.wait()
                said.note("a")
            }
        }
        let isHeldUp = try await DedicatedThread.run(named: "quick") {
            speaks.wait()
            let hasSpoken = DispatchSemaphore(value: 0)
            try DedicatedThread.start(named: "other") {
                order.say(1) { said.note("b") }
                order.end(1)
                order.end(0)
                hasSpoken.signal()
            }
            defer { goesOn.signal() }
            return hasSpoken.wait(timeout: .now() + 10) == .timedOut
        }
        try await slow
        #expect(!isHeldUp && said.words == ["a", "b"])
    }

    @Test func whereNothingMoreIsToBeSaidNobodyWaits() async {
        let said = Said()
        let order = OrderedOutput(from: 0) { $0 < 2 }
        order.say(1) { said.note("b") }
        order.say(2) { said.note("c") }
        async let third: Void = order.turn(of: 2)
        order.end(0)
        order.end(1)
        await third
        order.say(2) { said.note("c again") }
        #expect(said.words == ["b"])
    }
}
