import ArgumentParser
import Foundation
import Processes
import Spotter
import Synchronization
import TestSupport
import Testing
import TextSpotting
import Threads

@testable import framegrep

/// Outputs that are read late, slowly, or not at all: nothing waits for them, nothing is lost unnecessarily, and memory
/// is bounded.
@Suite(.timeLimit(.minutes(2))) struct OutputQueueTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // The program does this too.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Returns the reading end of the pipe, which holds no more than a page.
    private func reader() throws -> FileHandle {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        // F_SETPIPE_SZ, which Glibc has for GNU programs only.
        _ = fcntl(descriptor, 1031, 4096)
        _ = fcntl(descriptor, F_SETFL, 0)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns all lines until the writer has closed its end.
    private func lines(from reader: FileHandle) async throws -> [String] {
        try await DedicatedThread.run(named: "reader") {
            String(decoding: reader.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test func nobodyWaitsAndNothingIsLost() async throws {
        let expected = (0..<20_000).map { "line \($0) " + String(repeating: "x", count: $0 % 300) }
        let reader = try reader()
        let output = try ResultOutput(try OutputFile(path), through: OutputQueue(endsWithProgram: false))
        // Write more than the pipe holds, on this thread, while there is no reader. The pipe is non-blocking, so it is
        // often full.
        for line in expected { output.line(line) }
        let noted = Mutex(0)
        output.then { noted.withLock { $0 += 1 } }
        async let got = lines(from: reader)
        try await output.finish()
        #expect(output.failure == nil && noted.withLock { $0 } == 1)
        // This also closes the pipe.
        _ = consume output
        #expect(try await got == expected)
    }

    @Test func aReaderThatComesLateGetsAll() async throws {
        let output = try ResultOutput(try OutputFile(path), through: OutputQueue(endsWithProgram: false))
        for number in 0..<100 { output.line("\(number)") }
        // As another program opens it: both ends wait for each other.
        async let got = DedicatedThread.run(named: "reader") { [path] in
            let reader = try #require(FileHandle(forReadingAtPath: path))
            return String(decoding: reader.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n").map(String.init)
        }
        try await output.finish()
        _ = consume output
        #expect(try await got == (0..<100).map(String.init))
    }

    @Test func whatExceedsTheLimitIsLeftOutAndThereIsRoomAgain() async throws {
        let queue = OutputQueue(endsWithProgram: false)
        let reader = try reader()
        let output = try ResultOutput(try OutputFile(path), through: queue)
        let line = String(repeating: "x", count: 999)
        var taken = 0
        while output.line(line, upTo: 50_000) { taken += 1 }
        // The pipe holds one page of it.
        #expect((50...60).contains(taken) && queue.bytes <= 50_000)
        // A line without a limit still arrives.
        #expect(output.line("end"))
        async let got = lines(from: reader)
        await output.settled()
        #expect(output.line(line, upTo: 50_000))
        try await output.finish()
        _ = consume output
        #expect(try await got == Array(repeating: line, count: taken) + ["end", line])
    }

    /// At the end, a queue that is up to date returns at once; one that must be written completely waits for a while.
    @Test(arguments: [false, true]) func theEndWaitsForNobodyForLong(isLate: Bool) async throws {
        let queue = OutputQueue(endsWithProgram: false)
        let reader = try reader()
        let output = try ResultOutput(try OutputFile(path), through: queue)
        for _ in 0..<100 { output.line(String(repeating: "x", count: 999)) }
        if isLate { queue.endSoon() }
        async let pace: Void = output.caughtUp()
        async let end: Void = output.settled()
        if !isLate { queue.endSoon() }
        await pace
        await end
        #expect(queue.isGivenUp && output.failure is UnreadOutput && output.untilThen.contains("not read"))
        // Nothing waits any longer, and nothing can be added.
        output.line("later")
        await output.settled()
        await #expect(throws: UnreadOutput.self) { try await output.finish() }
        withExtendedLifetime(reader) {}
    }

    @Test func aReaderThatReadsIsWaitedForAtTheEndToo() async throws {
        let queue = OutputQueue(endsWithProgram: false)
        let reader = try reader()
        let output = try ResultOutput(try OutputFile(path), through: queue)
        let expected = (0..<500).map { "line \($0)" }
        for line in expected { output.line(line) }
        queue.endSoon()
        async let got = lines(from: reader)
        try await output.finish()
        _ = consume output
        #expect(try await got == expected)
    }

    @Test func aReaderThatLeftIsKnown() async throws {
        var reader: FileHandle? = try reader()
        let output = try ResultOutput(try OutputFile(path), through: OutputQueue(endsWithProgram: false))
        for _ in 0..<100 { output.line(String(repeating: "x", count: 999)) }
        try reader?.close()
        reader = nil
        await output.settled()
        #expect(output.failure is ClosedPipe)
    }

    // MARK: Events

    private static func sighting(_ id: Int) -> Sighting {
        let quad = Quad(Rect(x: 1, y: 2, width: 3, height: 4))
        return Sighting(
            id: id, patternIndex: 0, pattern: "GATE", text: "GATE", line: String(repeating: "GATE ", count: 40),
            start: .zero, end: StreamTime(seconds: 1), score: 0.9,
            peak: Sighting.Box(time: FrameTime(index: 0, start: .zero, duration: .zero), quad: quad))
    }

    /// Sends random events while the reader reads nothing, a little, or everything: delivered events are complete, in
    /// order and in pairs, and the others are counted.
    @Test(arguments: [UInt64](1...4)) func eventsThatAreNotReadAreCountedAndMemoryIsBounded(seed: UInt64) async throws {
        var state = seed
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let queue = OutputQueue(endsWithProgram: false)
        let reader = try reader()
        var told: [String: Int] = [:]
        var got = ""
        do {
            let output = try ResultOutput(try OutputFile(path), through: queue)
            let printer = LivePrinter(
                results: output, sourceName: "test",
                output: try LiveOutputOptions.parse(["--format", "jsonl", "--stats"]),
                isQuiet: false, limit: LiveLimit(maximum: nil), jobName: nil)
            func tell(_ kind: String, _ event: LiveEvent) {
                told[kind, default: 0] += 1
                printer.take(event)
            }
            var (next, open, most) = (1, [Int](), 0)
            for _ in 0..<60_000 {
                switch random(10) {
                case 0...1:
                    tell("appeared", .appeared(Self.sighting(next), at: .zero, latency: .zero))
                    open.append(next)
                    next += 1
                case 2...3 where !open.isEmpty:
                    tell("disappeared", .disappeared(Self.sighting(open.remove(at: random(open.count))), at: .zero))
                case 4: tell("stats", .statistics(LiveStatistics(), at: .zero))
                default:
                    guard let id = open.last else { continue }
                    tell("box", .box(id: id, Quad(Rect(x: 1, y: 2, width: 3, height: 4)), at: .zero))
                }
                if open.count > 20 { tell("disappeared", .disappeared(Self.sighting(open.removeFirst()), at: .zero)) }
                if seed > 1, random(20) == 0, PipeBytes.isReadable(reader.fileDescriptor) {
                    got += String(decoding: reader.availableData, as: UTF8.self)
                }
                most = max(most, queue.bytes)
            }
            for id in open { tell("disappeared", .disappeared(Self.sighting(id), at: .zero)) }
            tell("end", .end(LiveEnd(reason: .eos, sightings: next, statistics: LiveStatistics(), time: .zero)))
            #expect(most < 5 << 20, "as much as the limit, and sightings that are over")
        }
        got += try await lines(from: reader).joined(separator: "\n")
        let objects = try got.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
        }
        var (counts, there) = ([String: Int](), Set<Int>())
        for object in objects {
            let (kind, id) = (object["type"] as? String ?? "", object["id"] as? Int)
            counts[kind, default: 0] += 1
            switch kind {
            case "appeared": there.insert(try #require(id))
            case "disappeared": #expect(there.remove(try #require(id)) != nil, "only what appeared is over")
            case "box": #expect(there.contains(try #require(id)))
            default: break
            }
        }
        #expect(there.isEmpty, "all that appeared is over")
        let end = try #require(objects.last)
        #expect(end["type"] as? String == "end" && counts["end"] == 1)
        let boxes = (counts["box"] ?? 0) + (end["boxes_dropped"] as? Int ?? -1)
        #expect(boxes == told["box"])
        let kinds = ["appeared", "disappeared", "stats", "end"]
        let events = kinds.reduce(0) { $0 + (counts[$1] ?? 0) } + (end["events_dropped"] as? Int ?? -1)
        #expect(events == kinds.reduce(0) { $0 + (told[$1] ?? 0) })
        if seed == 1 { #expect(end["boxes_dropped"] as? Int ?? 0 > 0 && end["events_dropped"] as? Int ?? 0 > 0) }
    }

    /// If the page's server is stopped, the data that waits for it is bounded, and then the job ends.
    @Test func aServerThatReadsNothingEndsTheJob() async throws {
        let reader = try reader()
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let writer = ViewerRecordWriter(descriptor)
        let left = Mutex(0)
        writer.whenGone { left.withLock { $0 += 1 } }
        for _ in 0..<100_000 { writer.write(ViewerRecord(.event, head: String(repeating: "x", count: 300))) }
        #expect(left.withLock { $0 } == 1, "it is told once")
        #expect(writer.bytes <= ViewerRecordWriter.limit)
        await writer.finish()
        try reader.close()
    }
}
