import Glibc
import Testing

@testable import Threads

@Suite struct BatchThreadsTests {
    private actor Counter {
        private(set) var count = 0
        private(set) var policies = Set<CInt>()
        func add() {
            count += 1
            policies.insert(sched_getscheduler(0))
        }
    }

    @Test func whatATaskReachesRunsThere() async {
        let policies = await Task(executorPreference: BatchThreads.shared) {
            let counter = Counter()
            await withTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        await Task.yield()
                        await counter.add()
                    }
                }
            }
            #expect(await counter.count == 200)
            return await counter.policies.union([sched_getscheduler(0)])
        }.value
        #expect(policies == [BatchPolicy.number])
    }

    @Test func othersKeepTheirPolicy() async {
        await Task(executorPreference: BatchThreads.shared) {}.value
        let policy = await Task.detached { sched_getscheduler(0) }.value
        #expect(policy == SCHED_OTHER)
    }

    /// Starts many more tasks than threads, each of which waits for the one created before it.
    @Test(.timeLimit(.minutes(1))) func whoWaitsHoldsNoThread() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        var last = Task(executorPreference: BatchThreads.shared) {
            for await _ in stream {}
            return 0
        }
        for _ in 0..<50 { last = Task(executorPreference: BatchThreads.shared) { [last] in await last.value + 1 } }
        await Task(executorPreference: BatchThreads.shared) { continuation.finish() }.value
        #expect(await last.value == 50)
    }
}
