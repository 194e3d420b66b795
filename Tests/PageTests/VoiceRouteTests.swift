import TestSupport
import Testing

@testable import Page

/// `POST /api/voice`: the accepted bodies, and the errors if speech cannot be recognized. Tests/page sends speech to a
/// real page.
@Suite struct VoiceRouteTests {
    private static let own = [("Host", "127.0.0.1:8437"), ("Origin", "http://127.0.0.1:8437")]
    private static let sound = [("Content-Type", "application/octet-stream")]

    private func say(
        _ page: PageFixture, _ bytes: Int, _ headers: [(name: String, value: String)] = Self.own + Self.sound
    ) async -> PageResponse {
        await page.ask(
            "/api/voice", method: "POST", headers: headers + [("Cookie", page.cookie)],
            body: String(repeating: "\0", count: bytes))
    }

    @Test func withoutARecognizerASentenceSaysHowToGetIt() async throws {
        let answer = await say(try PageFixture.shared.get(), 32_000)
        #expect(answer.status == 503)
        #expect(try await answer.text().contains("framegrep setup --voice"))
    }

    @Test func aFolderWithoutARecognizerIsNamed() async throws {
        let empty = try TemporaryFolder()
        let answer = await say(try PageFixture(voice: empty.path), 32_000)
        #expect(answer.status == 500)
        #expect(try await answer.text().contains("there is no \(empty.path)"))
    }

    @Test(arguments: [(0, 400), (3198, 400), (3201, 400), (256_001, 413), (1_000_000, 413)])
    func soundsOfOtherLengthsAreRefused(bytes: Int, status: Int) async throws {
        let empty = try TemporaryFolder()
        #expect(await say(try PageFixture(voice: empty.path), bytes).status == status)
    }

    @Test func onlyThePageItselfIsListenedTo() async throws {
        let page = try PageFixture.shared.get()
        #expect(await say(page, 32_000, Self.own + [("Content-Type", "application/json")]).status == 415)
        #expect(await say(page, 32_000, Self.own + [("Content-Type", "text/plain")]).status == 415)
        #expect(await say(page, 32_000, [("Host", "127.0.0.1:8437")] + Self.sound).status == 403)
        let stranger = await page.ask(
            "/api/voice", method: "POST", headers: Self.own + Self.sound, body: String(repeating: "\0", count: 32_000))
        #expect(stranger.status == 401)
    }

    /// The larger body is allowed for this address only.
    @Test func otherAddressesTakeLittle() {
        #expect(PageService.mostBody(of: "/api/voice") == 256_000)
        #expect(PageService.mostBody(of: "/api/voice/") == 4096 && PageService.mostBody(of: "/api/watches") == 4096)
    }
}
