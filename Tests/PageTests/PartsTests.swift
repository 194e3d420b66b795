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

    @Test(.timeLimit(.minutes(1))) func whoWaitsGetsTheNextSlot() async throws {
        let slots = Slots(1, mostWaiting: 1)
        var held: [Slots.Held] = [try await slots.hold()]
        async let waiting = slots.hold()
        try await slots.untilNoMoreMayWait()
        // It is not used again, and the optimizer may release it early.
        withExtendedLifetime(held) {}
        held.removeAll()
        _ = try await waiting
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func whoGivesUpWaitingTakesNoSlot(waitsBefore: Bool) async throws {
        let slots = Slots(1, mostWaiting: 1)
        var held: [Slots.Held] = [try await slots.hold()]
        let waiting = Task { try await slots.hold() }
        if waitsBefore { try await slots.untilNoMoreMayWait() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        withExtendedLifetime(held) {}
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

    /// `EXIT 42` is not shown as `EXIT 4`.
    @Test func theLineOfAWordIsShownWithIt() throws {
        let whole = Rect(x: 0, y: 0, width: 640, height: 360)
        #expect(PageService.reach(of: "EXIT", in: "EXIT 42") == (0, 0.75))
        #expect(PageService.reach(of: "12", in: "GATE 12 EXIT") == (2.5, 2.5))
        #expect(PageService.reach(of: "gone", in: "EXIT") == (0, 0))
        var job = MediaJob(path: "", time: 0, width: 320)
        job.corners = [100, 100, 240, 100, 240, 148, 100, 148]
        job.isCut = true
        job.behind = 0.75
        let line = try #require(job.wholeLine)
        #expect(line.bounds == Rect(x: 100, y: 100, width: 245, height: 48))
        let place = try #require(job.quad).bounds
        let part = ShownFrame.surroundings(of: place, in: whole, line: line.bounds)
        #expect(part.minX <= 100 && part.maxX >= 345 && part.minX >= 0 && part.maxX <= 640)
        // For a line as wide as the picture, the surroundings of the word are shown.
        job.behind = 3.5
        job.corners = [10, 100, 100, 100, 100, 120, 10, 120]
        let long = ShownFrame.surroundings(
            of: Rect(x: 10, y: 100, width: 90, height: 20), in: whole, line: try #require(job.wholeLine).bounds)
        #expect(long.width < 300 && long.minX <= 10 && long.maxX >= 100)
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
