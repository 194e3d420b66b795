import Testing

@testable import GStreamerMedia

@Suite struct RepeatedProbesTests {
    private struct Damage: Error {}

    /// Returns the time given to each attempt.
    private func looks(within seconds: Int, atFile isFile: Bool, answering answer: (Int) throws -> Int?) rethrows
        -> [Int]
    {
        var looks: [Int] = []
        _ = try RepeatedProbes.take(within: seconds, atFile: isFile) { seconds in
            looks.append(seconds)
            return try answer(looks.count)
        }
        return looks
    }

    @Test func aFileThatAnswersIsLookedAtOnce() { #expect(looks(within: 30, atFile: true) { _ in 7 } == [2]) }

    @Test func aFileThatGivesNoAnswerIsLookedAtAgainForTheRestOfTheTime() {
        #expect(looks(within: 30, atFile: true) { $0 == 2 ? 7 : nil } == [2, 1])
        #expect(looks(within: 30, atFile: true) { $0 == 6 ? 7 : nil } == [2, 1, 1, 1, 1, 4])
        #expect(looks(within: 30, atFile: true) { _ in nil } == [2, 1, 1, 1, 1, 4, 20])
    }

    @Test func whatIsFarAwayOrHasLittleTimeIsLookedAtOnce() {
        #expect(looks(within: 30, atFile: false) { _ in nil } == [30])
        #expect(looks(within: 3, atFile: true) { _ in nil } == [3])
        #expect(looks(within: 12, atFile: true) { _ in nil } == [2, 1, 1, 1, 1, 6])
    }

    @Test func anErrorThatGotLostIsTold() {
        #expect(throws: Damage.self) {
            try looks(within: 30, atFile: true) { if $0 == 3 { throw Damage() } else { nil } }
        }
    }
}
