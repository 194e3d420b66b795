import Testing

@testable import Page

/// A disk that does not answer: who looks at its files waits for it or is sent away, and nobody else is.
@Suite struct SlowDiskTests {
    /// Does something while all slots are taken and as many wait for one as may.
    private func whileAllWait(for slots: Slots, _ body: () async throws -> Void) async throws {
        // A slot is kept as long as its task.
        let looks = (0..<1000).map { _ in Task { try await slots.hold() } }
        defer { looks.forEach { $0.cancel() } }
        try await slots.untilNoMoreMayWait()
        try await body()
    }

    @Test(.timeLimit(.minutes(1))) func aDiskWithRecordingsKeepsNoOtherRequestsWaiting() async throws {
        let page = try PageFixture()
        let number = try page.number()
        try await whileAllWait(for: page.service.looks) {
            for part in ["/media/\(number)", "/media/\(number)/picture", "/media/\(number)/clip.mp4", "/api/coverage"] {
                #expect(await page.get(part).status == 503, "\(part)")
            }
            let sources = await page.get("/api/sources")
            await #expect(throws: PageProblem.self) { _ = try await sources.bytes() }
            #expect(await page.get("/healthz").status == 200)
            #expect(await page.get("/api/search?q=EXIT").status == 200)
        }
        #expect(await page.get("/media/\(number)").status == 200)
    }

    @Test(.timeLimit(.minutes(1))) func norDoesTheDiskWithTheIndex() async throws {
        let page = try PageFixture()
        let number = try page.number()
        try await whileAllWait(for: page.service.view.slots) {
            for part in [
                "/api/search?q=EXIT", "/api/search?q=EXIT&soon=1", "/api/timeline?q=EXIT", "/api/coverage",
                "/api/sources", "/api/sightings/\(number)-1?q=EXIT", "/media/\(number)",
            ] {
                #expect(await page.get(part).status == 503, "\(part)")
            }
            #expect(await page.get("/healthz").status == 200)
        }
        #expect(await page.get("/api/search?q=EXIT").status == 200)
    }
}

extension Slots {
    /// Returns when as many wait as may. A task that is cancelled already never waits for a slot, but is sent away where too many do.
    func untilNoMoreMayWait() async throws {
        while true {
            let asker = Task {
                while !Task.isCancelled { await Task.yield() }
                _ = try await hold()
            }
            asker.cancel()
            do { try await asker.value } catch is PageProblem { return } catch {}
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
