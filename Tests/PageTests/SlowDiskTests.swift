import Testing

@testable import Page

/// A disk that does not answer: requests for its files wait or are rejected, and others are not affected.
@Suite struct SlowDiskTests {
    /// Runs a closure while all slots are taken and the largest allowed number of tasks wait for one.
    private func whileAllWait(for slots: Slots, _ body: () async throws -> Void) async throws {
        // A slot is held until its task ends.
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
            let found = try await page.get("/api/search?q=EXIT&sources=1").objects()
            #expect(found.map { $0["type"] as? String } == ["source", "sighting", "sighting", "coverage"])
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
    /// Returns when the largest allowed number of tasks wait. A task that is already cancelled never waits for a slot,
    /// but is rejected if too many do.
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
