import Glibc
import Synchronization
import Testing
import Threads

@Suite("Threads for blocking work")
struct WorkerPoolTests {
    private struct Odd: Error {}

    @Test("a resource is made once a thread and kept")
    func resources() async throws {
        let made = Counter()
        let pool = try WorkerPool(name: "test", width: 2) { made.next() }
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
        let pool = try WorkerPool(name: "test", width: 1) { [Int]() }
        for number in 1...3 { try await pool.run { resource, _ in resource.append(number) } }
        #expect(try await pool.run { resource, _ in resource } == [1, 2, 3])
    }

    @Test("a job's error is the caller's, and so is that of the making, which is tried again")
    func errors() async throws {
        let tries = Counter()
        let pool = try WorkerPool(name: "test", width: 1) {
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
        let pool = try WorkerPool(name: "test", width: 1) { 0 }
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
        let pool = try WorkerPool(name: "test", width: 1) { 0 }
        let ran = Counter()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.run { _, _ in _ = ran.next() }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ran.value == 0)
    }

    @Test("pieces of one job run on all threads, and what they gave comes in their order")
    func pieces() async throws {
        let pool = try WorkerPool(name: "test", width: 2) {}
        let together = Meeting(of: 2)
        let numbers = try await pool.run(pieces: 9) { _, piece, _ in
            // The first two pieces wait for each other: a single thread would wait forever.
            if piece < 2 { try #require(together.everybodyIsHere()) }
            return piece * piece
        }
        #expect(numbers == [0, 1, 4, 9, 16, 25, 36, 49, 64])
        #expect(try await pool.run(pieces: 0) { _, piece, _ in piece } == [])
    }

    @Test("the first error of a piece is the caller's, and no piece begins after it")
    func failingPiece() async throws {
        let pool = try WorkerPool(name: "test", width: 1) {}
        let ran = Counter()
        await #expect(throws: Odd.self) {
            try await pool.run(pieces: 5) { _, piece, _ in
                ran.next()
                if piece == 1 { throw Odd() }
            }
        }
        #expect(ran.value == 2)
        #expect(try await pool.run { _, _ in 7 } == 7)
    }

    @Test("cancelling ends a job in the middle of its pieces")
    func cancelledPieces() async throws {
        let pool = try WorkerPool(name: "test", width: 1) {}
        let (ran, began) = (Counter(), CancellationFlag())
        let task = Task {
            try await pool.run(pieces: 1_000_000) { _, _, cancellation in
                ran.next()
                began.cancel()
                while !cancellation.isCancelled {}
            }
        }
        while !began.isCancelled { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ran.value == 1)
        #expect(try await pool.run(pieces: 2) { _, piece, _ in piece } == [0, 1])
    }

    @Test("a job that runs alone waits for the others, and the others for it")
    func alone() async throws {
        let pool = try WorkerPool(name: "test", width: 3) {}
        let (running, most) = (Counter(), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    _ = try await pool.run(pieces: 2, alone: number.isMultiple(of: 3)) { _, _, _ in
                        let now = running.next()
                        defer { running.back() }
                        if number.isMultiple(of: 3), now != 1 { most.next() }
                        for _ in 0..<200 { if number.isMultiple(of: 3), running.value != 1 { most.next() } }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.value == 0)
    }

    @Test("a pool that is wider than its work keeps to few of its threads")
    func narrow() async throws {
        let pool = try WorkerPool(name: "test", width: 64) {}
        // It is the thread that began to wait last; on a busy machine it may return one job too late, and another one
        // takes the job.
        var threads = Set<UInt>()
        for _ in 0..<400 {
            threads.insert(try await pool.run { _, _ in UInt(pthread_self()) })
        }
        #expect(threads.count < 32)
    }

    @Test("threads that give way to a picture have the program's own share of the processors")
    func share() async throws {
        let pool = try WorkerPool(name: "test", width: 1, givingWayTo: RightOfWay()) {}
        #expect(try await pool.run { _, _ in niceness() } == niceness())
    }

    @Test("they rest after each piece while the picture is late", .timeLimit(.minutes(1)))
    func rests() async throws {
        let picture = RightOfWay()
        let pool = try WorkerPool(name: "test", width: 1, givingWayTo: picture) {}
        let begun = ContinuousClock.now
        _ = try await pool.run(pieces: 3) { _, _, _ in
            picture.claim()
            usleep(20_000)
        }
        // Three pieces of 20 ms, and two rests between them of 60 ms each.
        #expect(.now - begun >= .milliseconds(150))
    }
}

/// Returns how far the calling thread yields to others.
private func niceness() -> CInt { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

/// A point at which several threads wait for each other.
private final class Meeting: Sendable {
    private let missing: Atomic<Int>

    init(of count: Int) { missing = Atomic(count) }

    /// Waits until all have arrived; returns false if some do not within ten seconds.
    func everybodyIsHere() -> Bool {
        missing.subtract(1, ordering: .sequentiallyConsistent)
        for _ in 0..<10_000 {
            if missing.load(ordering: .sequentiallyConsistent) <= 0 { return true }
            usleep(1_000)
        }
        return false
    }
}

private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
    func back() { count.subtract(1, ordering: .sequentiallyConsistent) }
}
