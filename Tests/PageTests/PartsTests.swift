import Errors
import Testing
import TextSpotting

@testable import Page

/// The small parts by themselves.
@Suite struct PartsTests {
    @Test func binsCountWhatLiesInThem() {
        var bins = TimelineBins(count: 10, seconds: 100)
        bins.add(from: 0, to: 10)
        bins.add(from: 9.5, to: 20.1)
        bins.add(from: 99, to: 250)
        bins.add(from: 55, to: 55)
        #expect(bins.counts == [2, 1, 1, 0, 0, 1, 0, 0, 0, 1])
        var still = TimelineBins(count: 3, seconds: 0)
        still.add(from: 0, to: 0)
        #expect(still.counts == [1, 0, 0])
    }

    @Test func onlySoManyAtATime() async throws {
        let slots = Slots(2, mostWaiting: 0)
        var held: [Slots.Held] = [try await slots.hold(), try await slots.hold()]
        await #expect(throws: PageProblem.self) { _ = try await slots.hold() }
        held.removeLast()
        held.append(try await slots.hold())
        await #expect(throws: PageProblem.self) { _ = try await slots.hold() }
        held.removeAll()
        _ = try await slots.hold()
    }

    @Test func whoWaitsGetsTheNextSlot() async throws {
        let slots = Slots(1, mostWaiting: 1)
        var held: [Slots.Held] = [try await slots.hold()]
        let waiting = Task { try await slots.hold() }
        try await Task.sleep(for: .milliseconds(50))
        held.removeAll()
        _ = try await waiting.value
    }

    @Test func whoGivesUpWaitingTakesNoSlot() async throws {
        let slots = Slots(1, mostWaiting: 5)
        var held: [Slots.Held] = [try await slots.hold()]
        let waiting = Task { try await slots.hold() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        held.removeAll()
        _ = try await slots.hold()
    }

    @Test func theSurroundingsOfAWordLieInThePicture() {
        let whole = Rect(x: 0, y: 0, width: 1920, height: 1080)
        let middle = ShownFrame.surroundings(of: Rect(x: 900, y: 500, width: 100, height: 30), in: whole)
        #expect(middle == Rect(x: 662, y: 353, width: 576, height: 324))
        let corner = ShownFrame.surroundings(of: Rect(x: 1900, y: 0, width: 20, height: 20), in: whole)
        #expect(corner == Rect(x: 1344, y: 0, width: 576, height: 324))
        let all = ShownFrame.surroundings(of: whole, in: whole)
        #expect(all == whole)
        let tall = ShownFrame.surroundings(
            of: Rect(x: 10, y: 100, width: 80, height: 20), in: Rect(x: 0, y: 0, width: 100, height: 800))
        #expect(tall.width == 100 && tall.minY >= 0 && tall.maxY <= 800)
    }

    @Test func theHeadOfAPictureComesBack() {
        let head = PictureHead(isPicture: true, length: 1_234_567, width: 1920, height: 1080)
        #expect(head.bytes.count == PictureHead.size && PictureHead(head.bytes) == head)
    }

    @Test(arguments: [
        ([], 8437, nil, false), (["--port", "0"], 0, nil, false), (["--port=9000", "--open"], 9000, nil, true),
        (["--index", "/tmp/x", "--address", "::1"], 8437, "/tmp/x", false),
    ])
    func settingsAreRead(arguments: [String], port: Int, index: String?, opens: Bool) throws {
        let settings = try ServeSettings(arguments: arguments)
        #expect(settings.port == port && settings.index == index && settings.opens == opens)
    }

    @Test(arguments: [
        ["--port"], ["--port", "x"], ["--port", "70000"], ["--port", "-1"], ["--address", "0.0.0.0"],
        ["--address", "::"],
        ["--address", "192.168.1.5"], ["--address", "127.0.0.2"], ["--exec", "x"], ["--open=1"],
        ["--index="], ["--remember"], ["--watch", "EXIT"], ["--certificate", "c.pem"],
        ["--address", "0.0.0.0", "--password-file", "p"],
        ["--address", "0.0.0.0", "--certificate", "c.pem", "--key", "k.pem"],
        ["--sources-from", "/nonexistent"],
    ])
    func whatIsNotDoneIsRefused(arguments: [String]) {
        #expect(throws: FramegrepError.self) { try ServeSettings(arguments: arguments) }
    }
}
