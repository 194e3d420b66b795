import Foundation
import Synchronization
import Testing
import TextSpotting

@testable import Spotter

/// A job that has nothing to do does nothing.
@Suite(.timeLimit(.minutes(1))) struct LiveQuietTests {
    /// Returns how often the display's threads of this process have woken up.
    private func wakeUps() -> Int {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.reduce(0) { sum, thread in
            guard let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8),
                name.hasPrefix("framegrep-displ"),
                let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt_switches") })
            else { return sum }
            return sum + (line.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Returns how often a job's display wakes up in a second, once it has started.
    private func wakeUps(of description: String, begun: @escaping @Sendable (LiveEvent) -> Bool) async throws -> Int {
        let (beginning, begins) = AsyncStream.makeStream(of: Void.self)
        let spotter = LiveSpotter(
            description: description, settings: LiveSettings(), reader: BlotReader(), matcher: try matcher("LEFT"))
        async let end = spotter.run { event in if begun(event) { begins.yield() } }
        for await _ in beginning { break }
        let before = wakeUps()
        try await Task.sleep(for: .seconds(1))
        let count = wakeUps() - before
        spotter.stop()
        _ = try await end
        return count
    }

    @Test func whileNoFrameComesTheDisplaySleeps() async throws {
        let count = try await wakeUps(
            of: "appsrc is-live=true format=time ! video/x-raw,width=64,height=48,framerate=10/1 ! appsink name=frames"
        ) { if case .statistics = $0 { true } else { false } }
        #expect(count <= 5)
    }

    @Test func aFrameWakesTheDisplayAFewTimes() async throws {
        let count = try await wakeUps(
            of: "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=20/1 "
                + "! appsink name=frames appsrc name=overlay ! fakesink"
        ) { if case .statistics = $0 { true } else { false } }
        // Each frame causes wake-ups for taking it, pushing it and reading it, and for locks.
        #expect(count >= 20 && count < 400)
    }
}
