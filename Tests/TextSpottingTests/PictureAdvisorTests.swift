import Testing
import TextSpotting

/// When advice begins and ends.
@Suite struct PictureAdvisorTests {
    private typealias Look = (time: Double, hasText: Bool, problem: PictureProblem?)

    /// The advice, and when it comes, for measures at times in seconds.
    private func said(_ looks: [Look]) -> [String] {
        var advisor = PictureAdvisor()
        return looks.compactMap { look in
            let change = advisor.consider(hasText: look.hasText, at: StreamTime(seconds: look.time)) { _ in look.problem
            }
            switch change {
            case nil: return nil
            case .say(let problem): return "\(look.time) \(problem)"
            case .stop: return "\(look.time) stop"
            }
        }
    }

    private func looks(_ times: ClosedRange<Int>, _ hasText: Bool, _ problem: PictureProblem?) -> [Look] {
        times.map { (Double($0) / 4, hasText, problem) }
    }

    @Test func adviceWaitsASecond() {
        #expect(said(looks(0...3, false, .blurred)) == [])
        #expect(said(looks(0...20, false, .blurred)) == ["1.0 blurred"])
    }

    @Test func readTextNeedsNoAdvice() {
        #expect(said(looks(0...20, true, .blurred)) == [])
        #expect(said(looks(0...3, false, .dark) + looks(4...4, true, .dark) + looks(5...8, false, .dark)) == [])
    }

    @Test func adviceEndsWithText() {
        #expect(
            said(looks(0...8, false, .dark) + looks(9...12, true, nil)) == ["1.0 dark", "2.25 stop"])
    }

    @Test func adviceEndsWhenThePictureIsBetterForAWhile() {
        let flicker = looks(9...9, false, nil) + looks(10...10, false, .dark)
        #expect(said(looks(0...8, false, .dark) + flicker) == ["1.0 dark"])
        #expect(
            said(looks(0...8, false, .dark) + flicker + looks(11...14, false, nil)) == ["1.0 dark", "3.25 stop"])
    }

    @Test func anotherProblemIsSaidAfterASecondToo() {
        #expect(
            said(looks(0...8, false, .dark) + looks(9...16, false, .blurred)) == ["1.0 dark", "3.25 blurred"])
    }

    @Test func timeThatJumpsBackBeginsAnew() {
        #expect(said(looks(40...43, false, .dark) + looks(0...3, false, .dark)) == [])
    }

    @Test func aProblemIsOverOnlyWhenTheFiguresAreClearlyBetter() {
        let almost = PictureMeasures(highlight: 52, shadow: 5, sharpness: [.across: 0.8, .down: 0.8])
        #expect(PictureProblem.of(almost, speed: nil) == nil)
        #expect(PictureProblem.of(almost, speed: nil, knowing: .dark) == .dark)
        let soft = PictureMeasures(highlight: 200, shadow: 5, sharpness: [.across: 0.22, .down: 0.23])
        #expect(PictureProblem.of(soft, speed: nil) == nil)
        #expect(PictureProblem.of(soft, speed: nil, knowing: .blurred) == .blurred)
    }
}
