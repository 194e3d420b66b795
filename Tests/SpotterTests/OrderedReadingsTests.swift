import Errors
import Synchronization
import Testing

@testable import Spotter

/// Steps are numbers, and reading one gives ten times as much.
@Suite(.timeLimit(.minutes(1))) struct OrderedReadingsTests {
    private typealias Readings = OrderedReadings<Int, Int>

    /// Returns the numbers below a bound, then nothing, or waits forever.
    private final class Steps: Sendable {
        private let handed = Mutex(0)
        private let count: Int

        init(_ count: Int) {
            self.count = count
        }

        func next() -> Int? {
            handed.withLock { handed in
                guard handed < count else { return nil }
                defer { handed += 1 }
                return handed
            }
        }
    }

    private final class Numbers: Sendable {
        private let list = Mutex<[Int]>([])

        var all: [Int] { list.withLock { $0 } }

        /// Returns the resulting count.
        @discardableResult
        func add(_ number: Int) -> Int {
            list.withLock { list in
                list.append(number)
                return list.count
            }
        }
    }

    private static func forever() async throws { try await Task.sleep(for: .seconds(3600)) }

    private func run(
        _ readings: Readings, _ count: Int, joined: Numbers, enough: Int? = nil,
        work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let steps = Steps(count)
        try await readings.run(
            next: { steps.next() },
            begin: { step in
                let number = step
                return Task {
                    try await work(number)
                    return 10 * number
                }
            },
            join: { step, reading in
                #expect(reading == 10 * step)
                return joined.add(step) == enough
            })
    }

    @Test func whatIsDoneOutOfOrderIsJoinedInOrder() async throws {
        let done = Numbers()
        let joined = Numbers()
        try await run(Readings(limit: 4), 20, joined: joined) { number in
            // The first of four takes longest.
            try await Task.sleep(for: .milliseconds(8 * (4 - number % 4)))
            done.add(number)
        }
        #expect(joined.all == Array(0..<20))
        #expect(done.all != done.all.sorted() && done.all.sorted() == Array(0..<20))
    }

    @Test func eachIsJoinedAsSoonAsItIsDone() async throws {
        // The next step comes only when the one before has been joined: waiting for more than one would never end.
        let (joined, joining) = AsyncStream.makeStream(of: Int.self)
        let numbers = Mutex<[Int]>([])
        let steps = Steps(5)
        let readings = Readings(limit: 100)
        try await readings.run(
            next: {
                guard let step = steps.next() else { return nil }
                if step > 0 { for await before in joined where before == step - 1 { break } }
                return step
            },
            begin: { step in
                let number = step
                return Task { 10 * number }
            },
            join: { step, _ in
                numbers.withLock { $0.append(step) }
                joining.yield(step)
                return false
            })
        #expect(numbers.withLock { $0 } == Array(0..<5))
    }

    @Test func noMoreAreUnderWayThanAllowed() async throws {
        let begun = Atomic(0)
        let most = Atomic(0)
        let steps = Steps(40)
        try await Readings(limit: 3).run(
            next: { steps.next() },
            begin: { step in
                let number = step
                most.max(begun.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                return Task {
                    try await Task.sleep(for: .milliseconds(1))
                    return number
                }
            },
            join: { _, _ in
                begun.subtract(1, ordering: .relaxed)
                return false
            })
        #expect((2...3).contains(most.load(ordering: .relaxed)))
    }

    @Test func aStepWithNothingToReadIsJoinedInItsOrder() async throws {
        let joined = Numbers()
        let steps = Steps(6)
        try await Readings(limit: 2).run(
            next: { steps.next() },
            begin: { step in
                let number = step
                return number == 2 ? nil : Task { 10 * number }
            },
            join: { step, reading in
                #expect(reading == (step == 2 ? nil : 10 * step))
                joined.add(step)
                return false
            })
        #expect(joined.all == [0, 1, 2, 3, 4, 5])
    }

    @Test func interruptedItJoinsWhatIsReadyAndEnds() async throws {
        let joined = Numbers()
        let cancelled = Mutex<Set<Int>>([])
        let (ready, readying) = AsyncStream.makeStream(of: Int.self)
        let readings = Readings(limit: 7)
        let interrupting = Task {
            // All but the third have been read, and five wait for it.
            var done: Set<Int> = []
            for await number in ready {
                done.insert(number)
                if done.isSuperset(of: [0, 1, 3, 4, 5, 6]) { break }
            }
            readings.interrupt()
        }
        try await run(readings, 1000, joined: joined) { number in
            do {
                if number == 2 { try await Self.forever() }
                if number > 6 { try await Self.forever() }
            } catch {
                cancelled.withLock { _ = $0.insert(number) }
                throw error
            }
            readying.yield(number)
        }
        await interrupting.value
        #expect(joined.all == [0, 1])
        #expect(cancelled.withLock { $0.contains(2) })
    }

    @Test func afterAnInterruptionStepsThatNeedNoReadingAreJoined() async throws {
        let joined = Numbers()
        let steps = Steps(9)
        let readings = Readings(limit: 2)
        try await readings.run(
            next: {
                let step = steps.next()
                if step == 3 { readings.interrupt() }
                return step
            },
            begin: { step in
                let number = step
                return number % 3 == 0
                    ? Task {
                        if number > 0 { try await Self.forever() }
                        return number
                    } : nil
            },
            join: { step, _ in
                joined.add(step)
                return false
            })
        #expect(joined.all == [0, 1, 2])
    }

    @Test func anErrorComesAfterAllThatWasBeforeIt() async throws {
        let joined = Numbers()
        let error = await #expect(throws: FramegrepError.self) {
            try await run(Readings(limit: 5), 1000, joined: joined) { number in
                if number == 3 { throw FramegrepError(.engineUnavailable, "Out of ink.") }
                if number < 3 { try await Task.sleep(for: .milliseconds(10)) }
                if number > 3 { try await Self.forever() }
            }
        }
        #expect(error?.code == .engineUnavailable)
        #expect(joined.all == [0, 1, 2])
    }

    @Test func enoughEndsItAndCancelsTheRest() async throws {
        let joined = Numbers()
        let (ended, ending) = AsyncStream.makeStream(of: Int.self)
        try await run(Readings(limit: 4), 1000, joined: joined, enough: 2) { number in
            guard number > 1 else { return }
            defer { ending.yield(number) }
            try await Self.forever()
        }
        #expect(joined.all == [0, 1])
        for await number in ended {
            #expect(number > 1)
            break
        }
    }
}
