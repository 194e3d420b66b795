import Testing
import Threads

@Suite struct BackoffTests {
    @Test func pausesGrowAndAreNeverTheSame() {
        var pauses = Backoff.server
        let middle = (0..<10).map { _ in pauses.nextJittered(chance: 0.5) }
        #expect(middle.first == .milliseconds(500) && middle.last == .seconds(60))
        #expect(zip(middle, middle.dropFirst()).allSatisfy(<=))
        #expect(pauses.nextJittered(chance: 0) == .seconds(45) && pauses.nextJittered(chance: 1) == .seconds(75))
        #expect(pauses.nextJittered(asked: .seconds(120), chance: 0) == .seconds(120))
        #expect(pauses.nextJittered(asked: .seconds(1_000_000), chance: 0) == .seconds(600))
        pauses.reset()
        #expect(pauses.nextJittered(chance: 0.5) == .milliseconds(500))
    }

    @Test func pausesDoubleUpToTheLongest() {
        var pauses = Backoff(first: .seconds(1), longest: .seconds(30))
        #expect((0..<8).map { _ in pauses.next() } == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        pauses.reset()
        #expect(pauses.next() == .seconds(1))
        #expect(pauses.pause(after: .max) == .seconds(30) && pauses.pause(after: -5) == .seconds(1))
    }
}
