import Errors
import Synchronization
import Testing
import TextSpotting

@testable import Spotter

@Suite(.timeLimit(.minutes(1))) struct JobLifeTests {
    private let failure = FramegrepError(.outputFailed, "The disk is full.")

    @Test func theFirstReasonCounts() {
        let life = JobLife()
        #expect(!life.isStopping && life.ending.reason == .eos)
        life.end(.error, failure: failure)
        life.end(.quit)
        #expect(life.isStopping && life.ending.reason == .error && life.ending.failure == failure)
    }

    @Test func aFailureAfterTheEndOfTheSourceCounts() {
        let life = JobLife()
        life.end(.eos)
        #expect(life.isSourceOver)
        life.end(.error, failure: failure)
        life.end(.error, failure: FramegrepError(.pipelineFailed, "And then the rest did."))
        life.end(.eos)
        #expect(life.ending.reason == .error && life.ending.failure == failure)
        #expect(life.isSourceOver)
    }

    @Test(arguments: [LiveEnd.Reason.signal, .quit]) func afterAPersonsStopOnlyALostFileCounts(reason: LiveEnd.Reason) {
        let life = JobLife()
        life.end(reason)
        life.end(.error, failure: FramegrepError(.pipelineFailed, "The window is gone."))
        #expect(life.ending.reason == reason && life.ending.failure == nil)
        life.end(.error, failure: failure)
        #expect(life.ending.reason == .error && life.ending.failure == failure && !life.isSourceOver)
    }

    @Test func whoeverIsToBeToldIsToldOnce() {
        let life = JobLife()
        let count = Mutex(0)
        life.whenStopping { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 0)
        life.end(.quit)
        life.end(.signal)
        #expect(count.withLock { $0 } == 1)
        life.whenStopping { count.withLock { $0 += 10 } }
        #expect(count.withLock { $0 } == 11)
    }

    @Test func allThatWaitAreWoken() async {
        let life = JobLife()
        let waiting = (0..<3).map { _ in Task { await life.stopped() } }
        life.end(.signal)
        for task in waiting { await task.value }
        await life.stopped()
        let cancelled = Task { await JobLife().stopped() }
        cancelled.cancel()
        await cancelled.value
    }

    @Test func whatRunsUntilTheEndIsCancelledByIt() async throws {
        let life = JobLife()
        let seven = try await life.untilStopped { 7 }
        #expect(seven == 7)
        let failing = Task { [failure] in
            try await life.untilStopped { () async throws -> Int in throw failure }
        }
        await #expect(throws: FramegrepError.self) { try await failing.value }
        let sleeping = Task { try await life.untilStopped { try await Task.sleep(for: .seconds(3600)) } }
        life.end(.quit)
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }
}

@Suite struct LiveReportTests {
    @Test func nothingIsToldAfterTheEnd() {
        let heard = Mutex(0)
        let report = LiveReport { _ in heard.withLock { $0 += 1 } }
        report.warn(FramegrepError(.pictureDark, "Too dark."))
        report.tell(
            .end(LiveEnd(reason: .eos, sightings: 0, statistics: LiveStatistics(), time: .zero, failure: nil)))
        report.warn(FramegrepError(.pictureDark, "Too dark."))
        #expect(heard.withLock { $0 } == 2)
    }
}
