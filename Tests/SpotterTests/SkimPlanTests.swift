import GStreamerMedia
import Testing
import TextSpotting

@testable import Spotter

/// Which pictures a skim looks at.
@Suite struct SkimPlanTests {
    private func plan(_ keys: [Double], end: Double) -> SkimPlan {
        SkimPlan(keys: keys.map(StreamTime.init(seconds:)), end: StreamTime(seconds: end))
    }

    private func read(_ plan: SkimPlan, rate: Double = 25, to end: Double) -> [Double] {
        var follower = SkimPlan.Follower(plan)
        return stride(from: 0, to: end, by: 1 / rate).filter { follower.takes(StreamTime(seconds: $0)) }
    }

    @Test func keyFramesFarApartAreAllRead() {
        let plan = plan([0, 5, 10, 15], end: 20)
        #expect(plan.interval == StreamTime(seconds: 5))
        #expect(plan.sentence == "key frames every 5.0 s")
        var follower = SkimPlan.Follower(plan)
        #expect(follower.lets(EncodedPicture(time: StreamTime(seconds: 5), isKey: true)))
        #expect(!follower.lets(EncodedPicture(time: StreamTime(seconds: 5.04), isKey: false)))
    }

    /// Of those that lie close together so many are read that no more than three seconds lie between two.
    @Test func someOfManyKeyFramesAreRead() {
        let plan = plan(stride(from: 0, to: 60, by: 0.7).map { $0 }, end: 60)
        #expect(plan.interval <= StreamTime(seconds: 3.001))
        #expect((20...23).contains(plan.stretches.count))
        let every = self.plan(stride(from: 0, to: 60, by: 0.04).map { $0 }, end: 60)
        #expect(every.stretches.count == 20 && every.interval <= StreamTime(seconds: 3.001))
        var follower = SkimPlan.Follower(every)
        let let_ = stride(from: 0, to: 60, by: 0.04).filter {
            follower.lets(EncodedPicture(time: StreamTime(seconds: $0), isKey: true))
        }
        #expect(let_.count == 20)
    }

    /// Where key frames are too few, everything is decoded and a picture looked at now and then.
    @Test func whereKeyFramesAreTooFarApartPicturesAreSampled() {
        let terminal = plan([0.08], end: 6.56)
        #expect(terminal.interval == StreamTime(seconds: 3) && terminal.sentence.contains("for lack of key frames"))
        var follower = SkimPlan.Follower(terminal)
        #expect(follower.lets(EncodedPicture(time: StreamTime(seconds: 0.08), isKey: true)))
        #expect(follower.lets(EncodedPicture(time: StreamTime(seconds: 0.12), isKey: false)))
        #expect(read(terminal, to: 6.56) == [0, 3, 6])
        let mixed = plan([0, 5, 10, 40, 45], end: 50)
        #expect(mixed.sentence == "key frames every 5.0 s, a picture every 3.0 s where they are further apart")
        follower = SkimPlan.Follower(mixed)
        let passed = [(5, true), (5.04, false), (10, true), (10.04, false), (39, false), (40, true), (40.04, false)]
            .map { follower.lets(EncodedPicture(time: StreamTime(seconds: $0.0), isKey: $0.1)) }
        #expect(passed == [true, false, true, true, true, true, false])
        #expect(SkimPlan.sampled.interval == StreamTime(seconds: 3))
        #expect(read(.sampled, to: 7) == [0, 3, 6])
    }
}
