import Synchronization
import Testing
import TextSpotting

@Suite("Threads for blocking work")
struct WorkerPoolTests {
    private struct Odd: Error {}

    @Test("a resource is made once a thread and kept")
    func resources() async throws {
        let made = Counter()
        let pool = WorkerPool(name: "test", width: 2) { made.next() }
        let seen = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 { group.addTask { try await pool.run { resource, _ in resource } } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(pool.width == 2)
        #expect(made.value <= 2)
        #expect(seen.isSubset(of: [1, 2]))
    }

    @Test("what a job changes in its resource stays changed")
    func keeps() async throws {
        let pool = WorkerPool(name: "test", width: 1) { [Int]() }
        for number in 1...3 { try await pool.run { resource, _ in resource.append(number) } }
        #expect(try await pool.run { resource, _ in resource } == [1, 2, 3])
    }

    @Test("a job's error is the caller's, and so is that of the making, which is tried again")
    func errors() async throws {
        let tries = Counter()
        let pool = WorkerPool(name: "test", width: 1) {
            if tries.next() == 1 { throw Odd() }
            return 7
        }
        await #expect(throws: Odd.self) { try await pool.run { _, _ in 0 } }
        #expect(try await pool.run { resource, _ in resource } == 7)
        await #expect(throws: Odd.self) { try await pool.run { _, _ in throw Odd() } }
        #expect(try await pool.run { resource, _ in resource } == 7)
        #expect(tries.value == 2)
    }

    @Test("cancelling ends a waiting job before the running one, which sees its flag")
    func cancellation() async throws {
        let pool = WorkerPool(name: "test", width: 1) { 0 }
        let began = CancellationFlag()
        let running = Task {
            try await pool.run { _, cancellation in
                began.cancel()
                while !cancellation.isCancelled {}
                try cancellation.check()
            }
        }
        while !began.isCancelled { await Task.yield() }
        let waiting = Task { try await pool.run { _, _ in } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await pool.run { resource, _ in resource } == 0)
    }

    @Test("a task that is cancelled already does not begin")
    func cancelledBefore() async throws {
        let pool = WorkerPool(name: "test", width: 1) { 0 }
        let ran = Counter()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.run { _, _ in _ = ran.next() }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ran.value == 0)
    }
}

private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
}
