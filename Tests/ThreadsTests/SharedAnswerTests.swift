import Synchronization
import Testing
import Threads

/// A question is asked only once, whatever the number of callers.
@Suite(.timeLimit(.minutes(1))) struct SharedAnswerTests {
    /// A question that is answered when the test requests it.
    private final class Question: Sendable {
        let asked = Mutex(0)
        private let gate = AsyncStream.makeStream(of: Int.self)

        func ask() async throws -> Int {
            asked.withLock { $0 += 1 }
            for await answer in gate.stream {
                if answer < 0 { throw Refused() }
                return answer
            }
            throw CancellationError()
        }

        func answer(_ number: Int) { gate.continuation.yield(number) }

        func wait(for count: Int) async { while asked.withLock({ $0 }) < count { await Task.yield() } }
    }

    private struct Refused: Error {}

    @Test func allWhoAskAtOnceGetOneAnswer() async throws {
        let question = Question()
        let shared = SharedAnswer { try await question.ask() }
        let callers = (0..<20).map { _ in Task { try await shared.value() } }
        await question.wait(for: 1)
        question.answer(7)
        for caller in callers { #expect(try await caller.value == 7) }
        #expect(try await shared.value() == 7)
        #expect(question.asked.withLock { $0 } == 1)
    }

    @Test func aQuestionThatFailedIsAskedAnew() async throws {
        let question = Question()
        let shared = SharedAnswer { try await question.ask() }
        let first = Task { try await shared.value() }
        await question.wait(for: 1)
        question.answer(-1)
        await #expect(throws: Refused.self) { try await first.value }
        question.answer(3)
        #expect(try await shared.value() == 3)
        #expect(question.asked.withLock { $0 } == 2)
    }

    @Test func whoLeavesTakesNothingFromTheOthers() async throws {
        let question = Question()
        let shared = SharedAnswer { try await question.ask() }
        let (leaving, staying) = (Task { try await shared.value() }, Task { try await shared.value() })
        await question.wait(for: 1)
        leaving.cancel()
        question.answer(5)
        #expect(try await staying.value == 5)
        #expect(question.asked.withLock { $0 } == 1)
    }

    @Test func whenTheLastLeavesItIsGivenUp() async throws {
        let shared = SharedAnswer { try await Task.sleep(for: .seconds(3600)) }
        let callers = (0..<3).map { _ in Task { try await shared.value() } }
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
    }
}
