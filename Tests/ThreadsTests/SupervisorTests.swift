import Synchronization
import Testing

@testable import Threads

@Suite(.timeLimit(.minutes(1))) struct SupervisorTests {
    private struct Failure: Error {}

    @Test func whatFailsBeginsAgainAfterGrowingPausesUntilItIsOver() async {
        let supervisor = Supervisor(pauses: Backoff(first: .milliseconds(1), longest: .milliseconds(4)))
        var (runs, pauses) = (0, [Duration?]())
        await supervisor.run {
            runs += 1
            if runs < 5 { throw Failure() }
            return false
        } failed: { _, pause in
            pauses.append(pause)
        }
        #expect(runs == 5 && !supervisor.isEnding)
        #expect(pauses == [1, 2, 4, 4].map { .milliseconds($0) })
    }

    @Test func whatRanSteadilyBeginsThePausesAnew() async {
        let pauses = Backoff(first: .milliseconds(1), longest: .seconds(1))
        let supervisor = Supervisor(pauses: pauses, steadyTime: .zero)
        var rests: [Duration?] = []
        await supervisor.run {
            if rests.count == 3 { return false }
            throw Failure()
        } failed: { _, pause in
            rests.append(pause)
        }
        #expect(rests == Array(repeating: .milliseconds(1), count: 3))
    }

    @Test func anEndWakesItWhereItRests() async {
        let supervisor = Supervisor(pauses: Backoff(first: .seconds(3600), longest: .seconds(3600)))
        let (rested, resting) = AsyncStream.makeStream(of: Void.self)
        async let run: Void = supervisor.run {
            throw Failure()
        } failed: { _, _ in
            resting.yield()
        }
        for await _ in rested { break }
        supervisor.end()
        await run
        #expect(supervisor.isEnding)
    }

    /// Otherwise it would check the clock without a pause until its rest is over.
    @Test func cancellingItsTaskEndsItWhereItRests() async {
        let supervisor = Supervisor(pauses: Backoff(first: .seconds(3600), longest: .seconds(3600)))
        let (rested, resting) = AsyncStream.makeStream(of: Void.self)
        let run = Task {
            await supervisor.run {
                throw Failure()
            } failed: { _, _ in
                resting.yield()
            }
        }
        for await _ in rested { break }
        run.cancel()
        await run.value
        #expect(!supervisor.isEnding)
    }

    @Test func whatFailsWhileItIsToEndDoesNotBeginAgain() async {
        let supervisor = Supervisor(pauses: Backoff(first: .milliseconds(1), longest: .seconds(1)))
        var told: [Duration?] = []
        await supervisor.run {
            supervisor.end()
            throw Failure()
        } failed: { _, pause in
            told.append(pause)
        }
        #expect(told == [nil])
        await supervisor.run {
            true
        } failed: { _, _ in
        }
    }
}
