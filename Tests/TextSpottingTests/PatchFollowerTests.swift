import Testing
import TextSpotting

@Suite struct PatchFollowerTests {
    private func frames(_ pictures: [Picture]) -> [FrameHistory.Frame] {
        pictures.enumerated().map { FrameHistory.Frame(time: frameTime($0 + 1), picture: $1) }
    }

    private func patch(at x: Int = 40) throws -> TextPatch {
        try #require(TextPatch(.showing("EXIT", at: x), quad: Sheet.quad(of: "EXIT", at: x, 30), characters: 4))
    }

    @Test func standingTextIsFollowedToItsLastFrame() throws {
        let pictures = (0..<12).map { Picture.showing($0 < 8 ? "EXIT" : nil) }
        let positions = PatchFollower().follow(try patch(), through: frames(pictures))
        #expect(positions.count == 8)
        #expect(positions.allSatisfy { $0?.dx == 0 && $0?.dy == 0 })
    }

    @Test(arguments: [1, 3, 8, 20, -20])
    func movingTextIsFollowed(speed: Int) throws {
        let start = speed > 0 ? 10 : 240
        let count = 10
        let pictures = (1...count).map { Picture.showing("EXIT", at: start + speed * $0) }
        let positions = PatchFollower().follow(try patch(at: start), through: frames(pictures))
        #expect(positions.map { $0?.dx } == (1...count).map { speed * $0 })
        #expect(positions.allSatisfy { $0?.dy == 0 })
    }

    @Test func acceleratingTextIsFollowed() throws {
        let places = [10, 12, 16, 22, 30, 40, 52, 66, 82, 100, 120]
        let positions = PatchFollower().follow(
            try patch(at: 10), through: frames(places.dropFirst().map { .showing("EXIT", at: $0) }))
        #expect(positions.map { $0?.dx } == places.dropFirst().map { $0 - 10 })
    }

    @Test func aGapOfTwoFramesIsTolerated() throws {
        let pictures = (0..<10).map { Picture.showing([4, 5].contains($0) ? nil : "EXIT") }
        let positions = PatchFollower().follow(try patch(), through: frames(pictures))
        #expect(positions.count == 10)
        #expect(positions.enumerated().filter { $0.element == nil }.map(\.offset) == [4, 5])
    }

    @Test func aGapOfThreeFramesIsTheEnd() throws {
        let pictures = (0..<10).map { Picture.showing([4, 5, 6].contains($0) ? nil : "EXIT") }
        #expect(PatchFollower().follow(try patch(), through: frames(pictures)).count == 4)
    }

    @Test func aGapInMovingTextKeepsItsSpeed() throws {
        let pictures = (1...10).map { Picture.showing([5, 6].contains($0) ? nil : "EXIT", at: 10 + 20 * $0) }
        let positions = PatchFollower().follow(try patch(at: 10), through: frames(pictures))
        #expect(positions.last??.dx == 200)
    }

    @Test func otherTextInItsPlaceIsNotFollowed() throws {
        let pictures = (0..<6).map { Picture.showing($0 < 3 ? "EXIT" : "DOOR") }
        #expect(PatchFollower().follow(try patch(), through: frames(pictures)).count == 3)
    }

    @Test func nothingThereGivesNothing() throws {
        #expect(PatchFollower().follow(try patch(), through: []).isEmpty)
        #expect(PatchFollower().follow(try patch(), through: frames([.showing(nil)])).isEmpty)
    }

    @Test func repeatsThatShareTheirBytesAreFollowedLikeOthers() throws {
        let word = Picture.showing("EXIT")
        let empty = Picture.showing(nil)
        let positions = PatchFollower().follow(
            try patch(), through: frames([word, word, word, empty, empty, empty, empty, word]))
        #expect(positions.count == 3)
    }

    @Test func aKnownStartIsWhereTheSearchBegins() throws {
        let far = frames([.showing("EXIT", at: 200)])
        #expect(PatchFollower().follow(try patch(), through: far).isEmpty)
        #expect(PatchFollower().follow(try patch(), through: far, from: (160, 0)).first??.dx == 160)
    }
}
