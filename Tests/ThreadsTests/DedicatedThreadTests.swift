import Dispatch
import Foundation
import Testing
import Threads

@Suite("Threads of one's own")
struct DedicatedThreadTests {
    private struct Odd: Error {}

    @Test("what the body returns or throws is the caller's")
    func outcomes() async throws {
        #expect(try await DedicatedThread.run(named: "test") { 7 } == 7)
        await #expect(throws: Odd.self) { try await DedicatedThread.run(named: "test") { throw Odd() } }
    }

    @Test("a thread has its name, as far as the system keeps it")
    func name() async throws {
        let name = try await DedicatedThread.run(named: "framegrep-with-a-long-name") {
            try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "framegrep-with-\n")
    }

    @Test("a system that gives no more threads is told, in a sentence")
    func outOfThreads() {
        // No address space can hold a stack of this size.
        let error = #expect(throws: OutOfThreads.self) {
            try DedicatedThread.start(named: "huge", stackSize: 1 << 46) {}
        }
        #expect(error?.name == "huge")
        #expect("\(error.map(String.init(describing:)) ?? "")".hasSuffix("."))
    }

    /// A driver that never answers blocks only its own thread.
    @Test(.timeLimit(.minutes(1))) func whoeverGivesUpIsNotHeldUp() async throws {
        let (begun, answers) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let asking = Task {
            try await DedicatedThread.runUnlessCancelled(named: "driver") {
                begun.signal()
                answers.wait()
            }
        }
        try await DedicatedThread.run(named: "waiting") { begun.wait() }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        answers.signal()
        #expect(try await DedicatedThread.runUnlessCancelled(named: "driver") { 7 } == 7)
    }
}
