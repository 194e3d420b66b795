import Foundation
import GStreamerMedia
import Testing
import TextSpotting

/// Sanitizers have an allocator that keeps freed memory, so measurements are meaningless with them.
private let hasPlainAllocator = dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil

@Suite struct LifetimeTests {
    /// Returns the resident memory of this process, in bytes, without memory that the allocator only keeps for later.
    private func residentMemory() -> Int {
        MediaRuntime.returnFreeMemory()
        return Self.statedMemory()
    }

    private static func statedMemory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
    }

    private func runAndStop() async throws {
        let pipeline = try Pipeline(
            parsing:
                "videotestsrc ! video/x-raw,format=I420,width=1280,height=720 ! tee name=t t. ! queue ! appsink name=frames "
                + "t. ! queue ! fakesink appsrc name=overlay ! fakesink")
        let frames = try pipeline.appSink(named: "frames")
        let overlay = try #require(pipeline.appSource(named: "overlay"))
        try frames.configure(maxBuffers: 2, drop: false, sync: false)
        overlay.configure(maxBuffers: 2, block: true, isLive: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let converter = PictureConverter()
        let patch = OverlayPatch(x: 5, y: 5, width: 50, height: 50, bgra: .init(repeating: 200, count: 10000))
        async let pulled: Void = onThread {
            while case .sample(let sample) = frames.pull(timeout: .seconds(30)) {
                _ = try? converter.picture(from: sample, format: .rgb, size: (64, 36))
                guard overlay.push(sample.retained(), drawing: [patch]) == .ok else { break }
            }
        }
        while pipeline.position ?? .zero == .zero { await Task.yield() }
        await pipeline.stop()
        await pulled
    }

    /// A frame of 1.4 MB that leaks in every second cycle makes every round grow by 28 MB, and a leaked pipeline holds several. What grows
    /// once, such as the heaps of threads that happened to run side by side, leaves the other rounds as they are.
    @Test(.enabled(if: hasPlainAllocator)) func startingAndStoppingLeaksNothing() async throws {
        for _ in 0..<10 { try await runAndStop() }
        let bound = 18_000_000
        var growths: [Int] = []
        for _ in 0..<6 where growths.count(where: { $0 < bound }) < 2 {
            let before = residentMemory()
            for _ in 0..<40 { try await runAndStop() }
            growths.append(residentMemory() - before)
        }
        #expect(growths.count { $0 < bound } == 2, "grew by \(growths.map { $0 / 1_000_000 }) MB")
    }

    /// Memory that ended threads have freed is not kept for others.
    @Test(.enabled(if: hasPlainAllocator)) func freedMemoryGoesBackToTheSystem() async throws {
        let before = residentMemory()
        // Much more than other tests may free meanwhile.
        let size = 256 << 20
        let piece = 64 << 10
        // The last block stays allocated, so that the allocator cannot shrink its heap by itself.
        let (last, held) = await onThread {
            let pieces = (0..<(size / piece)).map { _ in
                UnsafeMutableRawPointer.allocate(byteCount: piece, alignment: 16)
            }
            pieces.forEach { $0.initializeMemory(as: UInt8.self, repeating: 1, count: piece) }
            pieces.dropLast().forEach { $0.deallocate() }
            return (UInt(bitPattern: pieces.last), Self.statedMemory())
        }
        defer { UnsafeMutableRawPointer(bitPattern: last)?.deallocate() }
        #expect(held - before > size / 2)
        let after = residentMemory()
        #expect(after - before < size / 4, "\((after - before) >> 20) MiB are still held")
    }

    @Test func droppingAPipelineStopsIt() async throws {
        var pipeline: Pipeline? = try Pipeline(parsing: "videotestsrc ! appsink name=frames")
        let frames = try #require(pipeline).appSink(named: "frames")
        try frames.configure(maxBuffers: 1, drop: true, sync: false)
        _ = try await pipeline?.prepare()
        try await pipeline?.play()
        weak let gone = pipeline
        pipeline = nil
        // A message that another thread is handling may hold it a moment longer.
        for _ in 0..<1000 where gone != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(gone == nil)
        let ended = await onThread { drainToTheEnd(frames) }
        #expect(ended)
    }

    @Test func sampleOutlivesItsPipeline() async throws {
        let pictures = try await onlySample()
        #expect(pictures == 16 * 16)
    }

    private func onlySample() async throws -> Int {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=1 ! video/x-raw,width=16,height=16 ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        _ = try await pipeline.prepare()
        try await pipeline.play()
        guard case .sample(let sample) = frames.pull(timeout: .seconds(30)) else { return 0 }
        await pipeline.stop()
        return try PictureConverter().picture(from: sample, format: .luma).bytes.count
    }

    @Test(.enabled(if: hasPlainAllocator && getenv("GLIBC_TUNABLES") == nil))
    func picturesAreMappingsAlthoughLargerOnesWereFreed() {
        // When the first is freed, glibc takes blocks of that size from its heaps from then on, unless configured.
        free(Self.block(16 << 20))
        MediaRuntime.returnPicturesAtOnce()
        free(Self.block(16 << 20))
        // Blocks come first from the holes that other tests leave in the heaps; there are not this many.
        let pictures = (0..<60).map { _ in Self.block(12 << 20) }
        defer { pictures.forEach { free($0) } }
        // A mapping begins at a page, and its block after a header of two words.
        #expect(
            UInt(bitPattern: pictures.last.flatMap(\.self)) % UInt(getpagesize()) == UInt(2 * MemoryLayout<Int>.size))
    }

    /// Not inlined, so that a block that is freed at once is not left out.
    @inline(never) private static func block(_ size: Int) -> UnsafeMutableRawPointer? {
        let block = malloc(size)
        block?.initializeMemory(as: UInt8.self, repeating: 1, count: 1)
        return block
    }
}
