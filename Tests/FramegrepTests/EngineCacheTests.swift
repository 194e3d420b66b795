import Errors
import NeuralOCR
import Synchronization
import Testing
import Threads

@testable import Engines

@Suite(.timeLimit(.minutes(1))) struct EngineCacheTests {
    /// Fails to load engines: the first on a signal, the others when all have asked. Thread-safe.
    private final class Loadings: Sendable {
        let begun = Mutex(0)
        let asked = Mutex(0)
        let firstFails = TaskWakeEvent()
        let haveAllAsked = Atomic<Bool>(false)

        func load() async throws -> NeuralEngine {
            let number = begun.withLock { begun in
                begun += 1
                return begun
            }
            if number == 1 { await firstFails.wait() }
            while number > 1, !haveAllAsked.load(ordering: .acquiring) { await Task.yield() }
            throw FramegrepError(.engineUnavailable, "There are no networks here.")
        }

        func wait(forAsked count: Int) async { while asked.withLock({ $0 }) < count { await Task.yield() } }
    }

    /// After a load fails, all waiting callers ask again at once: the first of them starts another load, and the others
    /// wait for it.
    @Test func afterAFailureThereIsOneLoadingForAll() async {
        let users = 40
        let loadings = Loadings()
        let cache = EngineCache { _, _ in try await loadings.load() }
        let asking = (0..<users).map { _ in
            Task {
                for _ in 0..<2 {
                    loadings.asked.withLock { $0 += 1 }
                    _ = try? await cache.loaded(NeuralEngine.Settings())
                }
            }
        }
        await loadings.wait(forAsked: users)
        loadings.firstFails.ring()
        await loadings.wait(forAsked: 2 * users)
        loadings.haveAllAsked.store(true, ordering: .releasing)
        for task in asking { await task.value }
        // There is a third if a caller asked only after the second had failed.
        #expect((2...3).contains(loadings.begun.withLock { $0 }))
    }
}
