import Foundation
import Synchronization
import Testing

@testable import Threads

@Suite(.timeLimit(.minutes(1))) struct WakeEventTests {
    @Test func aRingBeforeTheWaitIsHeardOnce() {
        let bell = WakeEvent()
        for _ in 0..<5 { bell.ring() }
        #expect(bell.wait(atMost: .seconds(30)))
        #expect(!bell.wait(atMost: .milliseconds(1)))
    }

    @Test func whoeverWaitsIsWoken() async throws {
        let bell = WakeEvent()
        let (waiting, begun) = AsyncStream.makeStream(of: Void.self)
        async let rang = DedicatedThread.run(named: "doorbell") {
            begun.yield()
            return bell.wait(atMost: .seconds(30))
        }
        for await _ in waiting { break }
        bell.ring()
        #expect(try await rang)
    }

    @Test func noRingIsLost() async throws {
        // One thread counts up and rings, the other checks after each ring until it has seen the last number.
        let bell = WakeEvent()
        let count = Mutex(0)
        async let last = DedicatedThread.run(named: "doorbell") {
            while count.withLock({ $0 }) < 20_000 {
                guard bell.wait(atMost: .seconds(10)) else { break }
            }
            return count.withLock { $0 }
        }
        try await DedicatedThread.run(named: "ringer") {
            for _ in 0..<20_000 {
                count.withLock { $0 += 1 }
                bell.ring()
            }
        }
        #expect(try await last == 20_000)
    }

    @Test func aTaskHearsARingBeforeItsWait() async {
        let bell = TaskWakeEvent()
        bell.ring()
        bell.ring()
        await bell.wait()
        // The second ring counted as one with the first, so only the timeout ends this wait.
        let begun = ContinuousClock.now
        await bell.wait(atMost: .milliseconds(20))
        #expect(.now - begun >= .milliseconds(20))
    }

    @Test func aRingOrADescriptorEndsAWaitInPoll() throws {
        let bell = try #require(PollWakeEvent())
        let pipe = Pipe()
        let (source, sink) = (pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor)
        for _ in 0..<5 { bell.ring() }
        // The rings end these waits, the second time only the timeout.
        #expect(!bell.wait(for: [source, -1]))
        #expect(!bell.wait(for: [source], atMost: .milliseconds(1)))
        #expect(!bell.wait(for: [sink], toWrite: true))
        pipe.fileHandleForWriting.write(Data([1]))
        #expect(bell.wait(for: [-1, source]))
        bell.ring()
        #expect(bell.wait(for: [source]))
        #expect(!bell.wait(for: [], atMost: .zero))
        withExtendedLifetime(pipe) {}
    }

    private func untilATaskWaits(for bell: TaskWakeEvent) async throws {
        while !bell.hasWaiter { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func aWaitingTaskIsWokenByARingAndByBeingCancelled() async throws {
        let bell = TaskWakeEvent()
        async let waiting: Void = bell.wait(atMost: .seconds(3600))
        try await untilATaskWaits(for: bell)
        bell.ring()
        await waiting
        let cancelled = Task { await bell.wait() }
        try await untilATaskWaits(for: bell)
        cancelled.cancel()
        await cancelled.value
        #expect(!bell.hasWaiter)
    }
}
