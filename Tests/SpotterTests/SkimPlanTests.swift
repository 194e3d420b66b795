import Testing
import TextSpotting

@testable import GStreamerMedia
@testable import Spotter

/// The pictures that a skim examines.
@Suite struct SkimPlanTests {
    private func plan(_ keys: [Double], end: Double) -> SkimPlan {
        SkimPlan(keys: keys.map(StreamTime.init(seconds:)), end: StreamTime(seconds: end))
    }

    private func read(_ plan: SkimPlan, rate: Double = 25, to end: Double) -> [Double] {
        var follower = SkimPlan.Follower(plan)
        return stride(from: 0, to: end, by: 1 / rate).filter { follower.takes(StreamTime(seconds: $0)) }
    }

    /// Returns the encoded pictures that reach the decoder, each with whether it is a key frame.
    private func passed(_ packets: [(Double, Bool)], by plan: SkimPlan) -> [Bool] {
        var follower = SkimPlan.Follower(plan)
        return packets.map { time, isKey in
            follower.lets(EncodedPicture(time: StreamTime(seconds: time), isKey: isKey))
        }
    }

    @Test func keyFramesFarApartAreAllRead() {
        let plan = plan([0, 5, 10, 15], end: 20)
        #expect(plan.interval == StreamTime(seconds: 5))
        #expect(plan.sentence == "key frames every 5.0 s")
        #expect(passed([(5, true), (5.04, false)], by: plan) == [true, false])
    }

    /// Of key frames close together, enough are read that no two are more than three seconds apart.
    @Test func someOfManyKeyFramesAreRead() {
        let plan = plan(stride(from: 0, to: 60, by: 0.7).map { $0 }, end: 60)
        #expect(plan.interval <= StreamTime(seconds: 3.001))
        #expect((20...23).contains(plan.stretches.count))
        let every = self.plan(stride(from: 0, to: 60, by: 0.04).map { $0 }, end: 60)
        #expect(every.stretches.count == 20 && every.interval <= StreamTime(seconds: 3.001))
        let keys = stride(from: 0, to: 60, by: 0.04).map { ($0, true) }
        #expect(passed(keys, by: every).count(where: { $0 }) == 20)
    }

    /// If there are too few key frames, everything is decoded and a picture is examined at intervals.
    @Test func whereKeyFramesAreTooFarApartPicturesAreSampled() {
        let terminal = plan([0.08], end: 6.56)
        #expect(terminal.interval == StreamTime(seconds: 3) && terminal.sentence.contains("for lack of key frames"))
        #expect(passed([(0.08, true), (0.12, false)], by: terminal) == [true, true])
        #expect(read(terminal, to: 6.56) == [0, 3, 6])
        let mixed = plan([0, 5, 10, 40, 45], end: 50)
        #expect(mixed.sentence == "key frames every 5.0 s, a picture every 3.0 s where they are further apart")
        let packets = [
            (5, true), (5.04, false), (10, true), (10.04, false), (39, false), (40, true), (40.04, false),
        ]
        #expect(passed(packets, by: mixed) == [true, false, true, true, true, true, false])
        #expect(SkimPlan.sampled.interval == StreamTime(seconds: 3))
        #expect(read(.sampled, to: 7) == [0, 3, 6])
    }
}
