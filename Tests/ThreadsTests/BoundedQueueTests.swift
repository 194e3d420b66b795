import Synchronization
import Testing
import Threads

@Suite struct BoundedQueueTests {
    @Test func valuesComeInOrderAndNoneIsLost() async {
        for capacity in [1, 3, 64] {
            let queue = BoundedQueue<Int>(capacity: capacity)
            let count = 100_000 / capacity
            inBackground {
                for value in 0..<count { _ = queue.push(value) }
                queue.finish()
            }
            var expected = 0
            var staleComponents = 0
            while let value = await queue.next() {
                if value != expected { staleComponents += 1 }
                expected += 1
            }
            #expect(expected == count)
            #expect(staleComponents == 0)
        }
    }

    @Test func theProducerIsHeldBack() async {
        let queue = BoundedQueue<Int>(capacity: 3)
        let pushed = Atomic<Int>(0)
        inBackground {
            for value in 0..<50 {
                _ = queue.push(value)
                pushed.add(1, ordering: .relaxed)
            }
            queue.finish()
        }
        var taken = 0
        while await queue.next() != nil {
            taken += 1
            // Accepted values are either taken or among the three that wait; one more may be accepted but not counted
            // yet.
            #expect(pushed.load(ordering: .relaxed) <= taken + 3)
        }
        #expect(taken == 50)
    }

    @Test func closingLetsABlockedProducerGo() async {
        let queue = BoundedQueue<Int>(capacity: 2)
        async let accepted = DedicatedThread.run(named: "producer") {
            var accepted = 0
            while queue.push(accepted) { accepted += 1 }
            return accepted
        }
        #expect(await queue.next() == 0)
        queue.close()
        let total = try? await accepted
        #expect((1...4).contains(total ?? 0))
        #expect(await queue.next() == nil)
        #expect(!queue.push(9))
        #expect(!queue.push(9))
    }

    @Test func closingLetsSeveralBlockedProducersGo() async throws {
        let queue = BoundedQueue<Int>(capacity: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { try await DedicatedThread.run(named: "producer") { while queue.push(1) {} } }
            }
            _ = await queue.next()
            queue.close()
            try await group.waitForAll()
        }
    }

    @Test func finishingDeliversWhatIsQueued() async {
        let queue = BoundedQueue<Int>(capacity: 5)
        for value in 0..<3 { #expect(queue.push(value)) }
        queue.finish()
        #expect(!queue.push(9))
        var values: [Int] = []
        while let value = await queue.next() { values.append(value) }
        #expect(values == [0, 1, 2])
        #expect(await queue.next() == nil)
    }

    @Test func aCancelledConsumerGetsNothingAndTheQueueLivesOn() async {
        let queue = BoundedQueue<Int>(capacity: 2)
        for _ in 0..<200 {
            let waiting = Task { await queue.next() }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
        #expect(queue.push(1))
        #expect(await queue.next() == 1)
    }

    @Test func aFullQueueCanBeThrownAway() {
        // Dispatch traps when a semaphore is freed in the wrong state.
        for pushed in 0...3 {
            let queue = BoundedQueue<Int>(capacity: 3)
            for value in 0..<pushed { #expect(queue.push(value)) }
        }
    }

    @Test func aCapacityBelowOneIsOne() async {
        let queue = BoundedQueue<Int>(capacity: 0)
        #expect(queue.push(1))
        #expect(await queue.next() == 1)
    }
}
