import Synchronization
import Testing
import Threads

@Suite struct ByteBudgetTests {
    @Test func noMoreIsInFlightThanTheLimit() async {
        let budget = ByteBudget(limit: 100, fewest: 1)
        let queue = BoundedQueue<Int>(capacity: 1000)
        let inFlight = Mutex((now: 0, most: 0))
        inBackground {
            for number in 0..<500 {
                let bytes = 1 + number * 7 % 60
                budget.take(bytes)
                inFlight.withLock { $0 = ($0.now + bytes, max($0.most, $0.now + bytes)) }
                _ = queue.push(bytes)
            }
            queue.finish()
        }
        var pieces = 0
        while let bytes = await queue.next() {
            pieces += 1
            // Decrease it before the bytes are given back, so that the count is never less than the bytes in flight.
            inFlight.withLock { $0.now -= bytes }
            budget.give(bytes)
        }
        #expect(pieces == 500)
        #expect(inFlight.withLock { $0.most } <= 100)
    }

    @Test(.timeLimit(.minutes(1))) func theFewestAreLetThroughWhateverTheirSize() {
        let budget = ByteBudget(limit: 10, fewest: 2)
        budget.take(1000)
        budget.take(1000)
    }

    @Test(.timeLimit(.minutes(1))) func whoeverWaitsIsLetGoWhenTheLimitIsLifted() async {
        let budget = ByteBudget(limit: 10, fewest: 1)
        budget.take(10)
        await withCheckedContinuation { continuation in
            inBackground {
                budget.take(10)
                continuation.resume()
            }
            inBackground { budget.lift() }
        }
        budget.take(1000)
    }
}
