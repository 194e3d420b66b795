import Foundation
import GStreamerMedia
import Testing
import TextSpotting

@testable import Spotter

/// Starts and stops repeatedly while frames flow. `FRAMEGREP_CYCLES` sets the number; scripts/soak uses it.
@Suite(.timeLimit(.minutes(10))) struct LiveCyclesTests {
    private static let cycles = ProcessInfo.processInfo.environment["FRAMEGREP_CYCLES"].flatMap(Int.init) ?? 50

    /// Returns the resident memory in MiB, without memory that the allocator only keeps for later.
    private func memory() -> Double {
        MediaRuntime.returnFreeMemory()
        return LiveMeter.residentMebibytes()
    }

    /// Returns the minimum over two seconds: memory of a stopped job is still being freed on other threads.
    private func settledMemory() async throws -> Double {
        var least = memory()
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(100))
            least = min(least, memory())
        }
        return least
    }

    @Test func startsAndStopsLeaveNothingBehind() async throws {
        let description =
            "videotestsrc pattern=black ! video/x-raw,format=I420,width=1280,height=720,framerate=200/1 "
            + "\(ShortClips.words(left: true, right: false)) ! appsink name=frames appsrc name=overlay ! fakesink"
        // The first cycles load plugins, fonts and tables. A single leaked frame per cycle would be a steady 1.3 MiB;
        // memory that an allocator keeps, because more ran at once than before, stops growing at some point.
        let most = max(8, 0.5 * Double(Self.cycles))
        var (number, memories): (Int, [Double]) = (0, [])
        func run(_ count: Int) async throws {
            for _ in 0..<count {
                number += 1
                var settings = LiveSettings()
                settings.overlay = number % 2 == 0 ? .tracked : .exact(delay: StreamTime(seconds: 0.1))
                let spotter = LiveSpotter(
                    description: description, settings: settings, reader: BlotReader(), matcher: try matcher("LEFT"))
                let end = try await spotter.run { event in if case .appeared = event { spotter.stop() } }
                #expect(end.reason == .signal)
            }
            memories.append(try await settledMemory())
        }
        try await run(Self.cycles / 5)
        var growth = Double.infinity
        for _ in 0..<6 where growth >= most {
            try await run(Self.cycles * 2 / 5)
            growth = memories[memories.count - 1] - memories[memories.count - 2]
        }
        print("\(number) cycles: \(memories.map { Int($0) }) MiB")
        // A sanitizer's own allocator keeps freed memory.
        guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return }
        #expect(growth < most)
    }
}
