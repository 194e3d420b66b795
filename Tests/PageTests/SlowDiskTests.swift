import Dispatch
import Testing
import TextIndex

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
            for part in [
                "/media/\(number)", "/media/\(number)/picture", "/media/\(number)/clip.mp4", "/api/coverage",
                "/api/sources",
            ] {
                #expect(await page.get(part).status == 503, "\(part)")
            }
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

    /// A disk that is gone does not hold up the answers for the recordings on it.
    @Test(.timeLimit(.minutes(1))) func aDiskThatStallsIsOutOfReach() async throws {
        // The index compares no numbers of disks, so that this one is only the test's.
        let page = try PageFixture(disk: -4711)
        let number = try page.number()
        func missing(_ target: String) async throws -> [String] {
            let coverage = try await page.get(target).objects().last
            return (coverage?["missing"] as? [[String: any Sendable]] ?? []).compactMap { $0["reason"] as? String }
        }
        let media = await page.get("/media/\(number)")
        try await SlowDisk.whileStalled(-4711) {
            for target in ["/api/search?q=EXIT&soon=1", "/api/search?q=EXIT&case=1", "/api/coverage"] {
                #expect(try await missing(target) == ["its file cannot be reached"], "\(target)")
            }
            let sources = try await page.get("/api/sources").objects()
            #expect(sources.map { $0["trouble"] as? String } == ["its file cannot be reached"])
            #expect(await page.get("/media/\(number)").status == 503)
            // Of one that was already sent, too.
            await #expect(throws: PageProblem.self) { _ = try await media.bytes() }
        }
        #expect(try await missing("/api/coverage") == [])
        #expect(await page.get("/media/\(number)").status == 200)
    }
}

extension SlowDisk {
    /// Runs a closure while a call on the disk does not return.
    static func whileStalled(_ disk: Int64, _ body: () async throws -> Void) async throws {
        let stall = DispatchSemaphore(value: 0)
        _ = map([()], on: { disk }, patience: .milliseconds(1)) { stall.wait() }
        do { try await body() } catch {
            stall.signal()
            throw error
        }
        stall.signal()
        while map([()], on: { disk }, { true }) == [nil] { try await Task.sleep(for: .milliseconds(1)) }
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
