import Synchronization
import Testing
import TextSpotting

@Suite struct WorkerPoolTests {
    private struct Failure: Error {}

    @Test func oneThreadWorksInOrderWithOneResource() async throws {
        let made = Mutex(0)
        let pool = WorkerPool<Int>(name: "test", width: 1) {
            made.withLock { $0 += 1 }
            return 0
        }
        for expected in 1...50 {
            let value = try await pool.run { resource, _ in
                resource += 1
                return resource
            }
            #expect(value == expected)
        }
        #expect(made.withLock { $0 } == 1)
    }

    @Test func eachThreadHasItsOwnResource() async throws {
        let made = Mutex(0)
        let pool = WorkerPool<Int>(name: "test", width: 3) {
            made.withLock { count in
                count += 1
                return count
            }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<60 { group.addTask { try await pool.run { resource, _ in resource } } }
            for try await owner in group { #expect((1...3).contains(owner)) }
        }
        #expect(made.withLock { $0 } <= 3)
    }

    @Test func errorsReachTheCallerAndThePoolLivesOn() async throws {
        let attempts = Mutex(0)
        let pool = WorkerPool<Int>(name: "test", width: 1) {
            try attempts.withLock { count in
                count += 1
                if count == 1 { throw Failure() }
                return count
            }
        }
        await #expect(throws: Failure.self) { try await pool.run { resource, _ in resource } }
        await #expect(throws: Failure.self) { try await pool.run { _, _ -> Int in throw Failure() } }
        #expect(try await pool.run { resource, _ in resource } == 2)
    }

    @Test func aCancelledJobSeesItsFlag() async throws {
        let pool = WorkerPool<Int>(name: "test", width: 1) { 0 }
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            try await pool.run { _, cancellation in
                starting.yield()
                while true { try cancellation.check() }
            }
        }
        for await _ in started { break }
        // A job behind it is dropped although the thread is busy.
        let waiting = Task { try await pool.run { _, _ in 1 } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await pool.run { _, _ in 5 } == 5)
    }

    @Test func aThreadOfItsOwnReturnsAndThrows() async throws {
        #expect(try await DedicatedThread.run(named: "test") { 42 } == 42)
        await #expect(throws: Failure.self) { try await DedicatedThread.run(named: "test") { throw Failure() } }
    }
}
