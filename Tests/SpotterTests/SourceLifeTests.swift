import Errors
import Testing
import TextSpotting

@testable import Spotter

@Suite struct SourceLifeTests {
    private let failure = FramegrepError(.sourceUnavailable, "The server went away.")
    private let stall = Duration.seconds(4)

    private func running(_ policy: LossPolicy) -> SourceLife {
        var life = SourceLife(policy: policy, stallTime: stall)
        life.opening("a picture")
        life.frameArrived()
        return life
    }

    @Test func itOpensAndRuns() {
        var life = SourceLife(policy: .none, stallTime: stall)
        #expect(life.state == .opening && life.message == "")
        life.opening("1280×720, MJPEG")
        #expect(life.state == .opening && life.message == "1280×720, MJPEG")
        life.frameArrived()
        #expect(life.state == .running && life.message == "1280×720, MJPEG")
        #expect(life.ended(isComplete: true, held: .seconds(9)) == .end(nil))
    }

    @Test func aRecordingThatGoesSilentIsOnlyCalledStalled() {
        var life = running(.none)
        #expect(life.silent(for: .seconds(3), held: .seconds(9)) == .none && life.state == .running)
        #expect(life.silent(for: .seconds(4), held: .seconds(9)) == .none && life.state == .stalled)
        #expect(life.message == "no frame for 4 s")
        #expect(life.silent(for: .seconds(3600), held: .seconds(3600)) == .none)
        life.frameArrived()
        #expect(life.state == .running && life.recoveries == 0)
        #expect(life.lost(failure, held: .seconds(9)) == .end(failure))
    }

    @Test func aSharedScreenThatGoesSilentIsNoLongerShared() {
        var life = running(.sharedScreen)
        #expect(life.silent(for: .seconds(3), held: .seconds(9)) == .none && life.state == .running)
        #expect(life.silent(for: .seconds(4), held: .seconds(9)) == .none && life.state == .stalled)
        guard case .end(let failure?) = life.silent(for: .milliseconds(4010), held: .seconds(9)) else {
            Issue.record("it is not over")
            return
        }
        #expect(failure.code == .sourceUnavailable)
        var later = running(.sharedScreen)
        guard case .end(_?) = later.ended(isComplete: false, held: .seconds(9)) else {
            Issue.record("its end is not over")
            return
        }
    }

    @Test func aSilentNetworkSourceIsStalledWithinFiveSecondsAndOpenedAnew() {
        var life = running(.network(.tries(3)))
        #expect(LiveSettings().stallTime < .seconds(5))
        #expect(life.silent(for: stall, held: .seconds(60)) == .none)
        #expect(life.state == .stalled)
        #expect(life.silent(for: stall + .milliseconds(100), held: .seconds(60)) == .reopen(after: .milliseconds(500)))
        #expect(life.state == .reconnecting)
        life.frameArrived()
        #expect(life.state == .running && life.recoveries == 1)
        #expect(life.message == "the source is back: a picture")
    }

    @Test func itSaysWhichSilenceWouldMatter() {
        var network = SourceLife(policy: .network(.tries(3)), stallTime: stall)
        #expect(network.patience == .seconds(15))
        network.frameArrived()
        #expect(network.patience == stall)
        _ = network.silent(for: stall, held: .seconds(60))
        #expect(network.state == .stalled && network.patience == stall)
        _ = network.silent(for: stall, held: .seconds(60))
        #expect(network.state == .reconnecting && network.patience == .seconds(15))
        var recording = SourceLife(policy: .none, stallTime: stall)
        #expect(recording.patience == nil)
        recording.frameArrived()
        _ = recording.silent(for: stall, held: .seconds(60))
        #expect(recording.state == .stalled && recording.patience == nil)
        var camera = running(.waitingCamera)
        _ = camera.silent(for: stall, held: .seconds(60))
        #expect(camera.patience == stall + .seconds(10))
    }

    @Test func pausesGrowAndTheLimitIsStated() {
        var life = running(.network(.tries(7)))
        var pauses: [Duration] = []
        while case .reopen(let pause) = life.lost(failure, held: .zero) {
            pauses.append(pause)
            #expect(life.message.contains("try \(pauses.count) of 7 in "))
            #expect(life.message.hasSuffix(failure.message))
        }
        #expect(pauses == [0.5, 1, 2, 4, 8, 15, 15].map { .seconds($0) })
        guard case .end(let end?) = life.lost(failure, held: .zero) else {
            Issue.record("it goes on after its limit")
            return
        }
        #expect(end.message == "The server went away. It was tried again 7 times in vain; --reconnect sets how often.")
    }

    @Test func aConnectionThatHeldStartsThePausesAnew() {
        var life = running(.network(.tries(3)))
        for _ in 0..<50 {
            #expect(life.lost(failure, held: .seconds(6)) == .reopen(after: .milliseconds(500)))
            life.frameArrived()
        }
        #expect(life.recoveries == 50)
    }

    @Test func aConnectionThatBreaksSoonDoesNotButIsNoFailure() {
        var life = running(.network(.tries(3)))
        var actions: [SourceLife.Action] = []
        for _ in 0..<20 {
            actions.append(life.lost(failure, held: .milliseconds(200)))
            #expect(life.message.hasPrefix("try 1 of 3 in "))
            life.frameArrived()
        }
        #expect(actions.prefix(7) == [0.5, 1, 2, 4, 8, 15, 15].map { .reopen(after: .seconds($0)) }[...])
        #expect(actions.last == .reopen(after: .seconds(15)) && life.recoveries == 20)
        // From now on no frame arrives.
        for _ in 0..<3 { #expect(life.lost(failure, held: .zero) == .reopen(after: .seconds(15))) }
        guard case .end = life.lost(failure, held: .zero) else {
            Issue.record("tries without success are not counted")
            return
        }
    }

    @Test func aPictureEverySixSecondsIsASourceThatIsThere() {
        var life = running(.network(.tries(3)))
        for _ in 0..<10 {
            #expect(life.silent(for: stall, held: stall) == .none)
            guard case .reopen = life.silent(for: stall + .milliseconds(100), held: stall + .milliseconds(100)) else {
                Issue.record("a source that sends pictures is given up")
                return
            }
            life.frameArrived()
        }
        #expect(life.recoveries == 10)
    }

    @Test func aSourceThatNeverAnsweredIsAnErrorUnlessItIsWaitedForEver() {
        var life = SourceLife(policy: .network(.tries(20)), stallTime: stall)
        #expect(life.lost(failure, held: .zero) == .end(failure))
        life = SourceLife(policy: .network(.forever), stallTime: stall)
        for _ in 0..<1000 {
            guard case .reopen = life.lost(failure, held: .zero) else {
                Issue.record("it gave up")
                return
            }
        }
        #expect(life.state == .opening)
        #expect(life.lost(failure, held: .zero) == .reopen(after: .seconds(15)))
    }

    @Test func aSourceThatSendsNothingIsGivenUpInTime() {
        var life = SourceLife(policy: .network(.tries(20)), stallTime: stall)
        #expect(life.silent(for: .seconds(14), held: .seconds(14)) == .none)
        guard case .end(let end?) = life.silent(for: .seconds(15), held: .seconds(15)) else {
            Issue.record("it waits for ever")
            return
        }
        #expect(end.message.contains("within 15 s"))
    }

    @Test func neverMeansNever() {
        var life = running(.network(.never))
        #expect(life.lost(failure, held: .seconds(60)) == .end(failure))
    }

    @Test func theEndOfANetworkSourceIsALossUnlessItSaidHowLongItIs() {
        var life = running(.network(.tries(3)))
        #expect(life.ended(isComplete: true, held: .seconds(60)) == .end(nil))
        #expect(life.ended(isComplete: false, held: .seconds(60)) == .reopen(after: .milliseconds(500)))
    }

    @Test func anUnpluggedCameraIsWaitedForOrNot() {
        var life = running(.waitingCamera)
        for number in 1..<1000 {
            let pause = Duration.milliseconds(number == 1 ? 500 : 1000)
            #expect(life.lost(failure, held: .zero) == .reopen(after: pause))
            // The message is the same each time, so that it is not reported a thousand times.
            #expect(life.message == "The server went away. It is waited for.")
        }
        life = running(.exitingCamera)
        #expect(life.lost(failure, held: .seconds(60)) == .end(failure))
    }
}

@Suite struct FramePacerTests {
    private func seconds(_ value: Double) -> StreamTime { StreamTime(seconds: value) }

    @Test func aCamerasFramesAreShownWhenTheyComeAtTheSourcesDistances() {
        var pacer = FramePacer()
        // Each frame arrives slightly early or late because of the program itself.
        let jitter = [0, 0.004, -0.003, 0.01, -0.01]
        let shown = jitter.enumerated().map { number, late in
            let running = 5 + Double(number) / 25
            return pacer.time(for: seconds(running), now: seconds(0.3 + Double(number) / 25 + late), pace: .live)
        }
        #expect(shown == (0..<5).map { seconds(5 + Double($0) / 25 - 4.7) })
    }

    @Test func whatIsShownSoonerThanItWasToBeHeldIsShownAtZero() {
        var pacer = FramePacer(held: seconds(5))
        let shown = (0..<3).map { number in
            pacer.time(for: seconds(100 + Double(number) / 30), now: seconds(4 + Double(number) / 30), pace: .live)
        }
        #expect(shown[0] == .zero && shown[0] < shown[1] && shown[1] < shown[2])
    }

    @Test func timesNeverGoBackOverAReconnection() {
        var pacer = FramePacer()
        var last = StreamTime.zero
        for connection in 0..<5 {
            if connection > 0 { pacer.startAnew() }
            for number in 0..<50 {
                let now = seconds(Double(connection) * 10 + Double(number) / 25 + 0.1)
                let time = pacer.time(for: seconds(Double(number) / 25), now: now, pace: .live)
                #expect(number == 0 && connection == 0 || time > last)
                #expect(abs(time.seconds - now.seconds) < 0.05)
                last = time
            }
        }
    }

    @Test func theLastFrameShownAgainIsLaterAndWhatComesAfterItTooIs() {
        var pacer = FramePacer()
        let first = pacer.time(for: seconds(1), now: seconds(1), pace: .live)
        let again = pacer.time(after: seconds(0.25))
        #expect(again == first + seconds(0.25))
        #expect(pacer.time(for: seconds(1.04), now: seconds(1.04), pace: .live) > again)
    }

    @Test func aFilesFramesKeepTheirDistancesWhenTheWindowTookItsTime() {
        var pacer = FramePacer()
        let first = pacer.time(for: .zero, now: seconds(0.8), pace: .file)
        let second = pacer.time(for: seconds(0.04), now: seconds(0.81), pace: .file)
        #expect(first > seconds(0.8) && second - first == seconds(0.04))
        var kept = FramePacer()
        #expect(kept.time(for: seconds(0.5), now: seconds(9), pace: .asStored) == seconds(0.5))
    }

    @Test func aFrameThatComesAfterItsTimeIsLate() {
        var camera = FramePacer(latency: seconds(0.06))
        _ = camera.time(for: seconds(5), now: seconds(1), pace: .live)
        #expect(camera.lateness == nil)
        _ = camera.time(for: seconds(5.04), now: seconds(1.07), pace: .live)
        #expect(camera.lateness == seconds(0.03))
        var file = FramePacer(latency: seconds(0.06))
        _ = file.time(for: .zero, now: .zero, pace: .file)
        _ = file.time(for: seconds(1), now: seconds(0.96), pace: .file)
        #expect(file.lateness == seconds(-0.1))
        _ = file.time(for: seconds(1.04), now: seconds(1.11), pace: .file)
        #expect(file.lateness == seconds(0.01))
        _ = file.time(for: seconds(1.08), now: nil, pace: .file)
        #expect(file.lateness == nil)
    }

    @Test func framesWithoutTimesAreShownNow() {
        var pacer = FramePacer()
        #expect(pacer.time(for: nil, now: seconds(2), pace: .live) == seconds(2))
        #expect(pacer.time(for: nil, now: seconds(2.2), pace: .live) == seconds(2.2))
    }
}

@Suite struct LiveClockTests {
    private func frame(_ index: Int, _ start: Double) -> FrameTime {
        FrameTime(index: index, start: StreamTime(seconds: start), duration: StreamTime(seconds: 0.04))
    }

    @Test func timesGoOnOverAGapAsLongAsItWas() {
        var clock = LiveClock()
        let begin = ContinuousClock.now
        #expect(clock.next(frame(0, 3), arrival: begin, usesArrival: false).start.seconds == 3)
        #expect(
            clock.next(frame(1, 3.04), arrival: begin + .milliseconds(40), usesArrival: false).start.seconds == 3.04)
        clock.startAnew()
        let back = clock.next(frame(2, 0), arrival: begin + .milliseconds(12_040), usesArrival: false)
        #expect(abs(back.start.seconds - 15.04) < 1e-6)
        let next = clock.next(frame(3, 0.04), arrival: begin + .milliseconds(12_300), usesArrival: false)
        #expect(abs(next.start.seconds - 15.08) < 1e-6)
        #expect(next.index == 3)
    }

    @Test func withoutTimesOfTheirOwnFramesHaveThoseOfTheirArrival() {
        var clock = LiveClock()
        let begin = ContinuousClock.now
        _ = clock.next(frame(0, 0), arrival: begin, usesArrival: false)
        let second = clock.next(frame(1, 1), arrival: begin + .milliseconds(100), usesArrival: true)
        let third = clock.next(frame(2, 2), arrival: begin + .milliseconds(250), usesArrival: true)
        #expect(abs(second.start.seconds - 0.1) < 1e-6 && abs(third.start.seconds - 0.25) < 1e-6)
        // They last as long as the ones before, and not as long as their own times say, which count frames.
        #expect(abs(third.end.seconds - 0.4) < 1e-6)
        clock.startAnew()
        let back = clock.next(frame(3, 3), arrival: begin + .seconds(60), usesArrival: true)
        #expect(abs(back.start.seconds - 60) < 1e-6 && abs(back.end.seconds - 60.15) < 1e-6)
        let late = clock.next(frame(4, 4), arrival: begin + .seconds(63), usesArrival: true)
        #expect(abs(late.end.seconds - 64) < 1e-6)
    }
}
