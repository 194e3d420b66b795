import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import GStreamerMedia

/// GIFs made here: 8×4 pixels of one gray each, stored without compression.
@Suite struct GIFTests {
    private struct Frame {
        var gray: UInt8
        var delay: Int
    }

    private static let frames = [
        Frame(gray: 0, delay: 10), Frame(gray: 127, delay: 25), Frame(gray: 64, delay: 0), Frame(gray: 100, delay: 5),
    ]

    private func header() -> [UInt8] {
        var bytes = Array("GIF89a".utf8)
        bytes.append(contentsOf: [8, 0, 4, 0, 0xF6, 0, 0])
        for gray in 0..<128 { bytes.append(contentsOf: [UInt8](repeating: UInt8(2 * gray), count: 3)) }
        // Netscape's extension: loop forever.
        bytes.append(contentsOf: [0x21, 0xFF, 11])
        bytes.append(contentsOf: Array("NETSCAPE2.0".utf8))
        bytes.append(contentsOf: [3, 1, 0, 0, 0])
        return bytes
    }

    private func picture(_ frame: Frame) -> [UInt8] {
        var codes: [UInt8] = [0x80]
        codes.append(contentsOf: [UInt8](repeating: frame.gray, count: 32))
        codes.append(0x81)
        var bytes: [UInt8] = [0x21, 0xF9, 4, 0, UInt8(frame.delay), 0, 0, 0]
        bytes.append(contentsOf: [0x2C, 0, 0, 0, 0, 8, 0, 4, 0, 0, 7, UInt8(codes.count)])
        bytes.append(contentsOf: codes)
        bytes.append(0)
        return bytes
    }

    private func file(_ frames: [Frame] = frames) -> [UInt8] { header() + frames.flatMap(picture) + [0x3B] }

    @Test(arguments: [1, 3, 64, 100_000]) func itIsTakenApartHoweverItComes(chunk: Int) {
        var splitter = GIFSplitter()
        var packets: [GIFSplitter.Packet] = []
        let file = file()
        for start in stride(from: 0, to: file.count, by: chunk) {
            splitter.append(file[start..<min(start + chunk, file.count)])
            while let packet = splitter.next() { packets.append(packet) }
        }
        #expect(packets.map(\.delay) == [10, 25, 10, 5])
        #expect(packets.flatMap(\.bytes) == Array(file.dropLast()))
        #expect(packets.first?.bytes == header() + picture(Self.frames[0]))
        #expect(splitter.size.map { [$0.width, $0.height] } == [8, 4])
        #expect(splitter.isOver && !splitter.isDamaged && !splitter.isCutOff)
        #expect(splitter.rest() == nil)
    }

    @Test func everyTruncationIsNoticedAndDoesNoHarm() {
        let file = file()
        var ends: [Int] = [header().count]
        for frame in Self.frames { ends.append((ends.last ?? 0) + picture(frame).count) }
        for count in 0..<file.count {
            var splitter = GIFSplitter()
            splitter.append(file.prefix(count))
            var whole = 0
            while splitter.next() != nil { whole += 1 }
            #expect(whole == max(0, ends.count { $0 <= count } - 1))
            #expect(splitter.isCutOff == !ends.dropFirst().contains(count))
            if let rest = splitter.rest() { #expect(!rest.bytes.isEmpty) }
        }
    }

    @Test func afterABrokenFirstPictureTheNextBeginsWithTheHeader() {
        var pictures = Self.frames.map(picture)
        for index in 0..<2 { pictures[index][pictures[index].count - 3 - 34] = 13 }
        var splitter = GIFSplitter()
        splitter.append(header() + pictures.flatMap(\.self) + [0x3B])
        let packets = (0..<4).compactMap { _ in splitter.next()?.bytes }
        #expect(packets.count == 4 && packets[0] == header() + pictures[0] && packets[3] == pictures[3])
        // The header without the extension after it.
        let header = Array(header().prefix(13 + 3 * 128))
        for index in 1...2 { #expect(packets[index] == header + pictures[index]) }
    }

    @Test func anyBytesAreSomething() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bytes = file()
            for _ in 0..<4 {
                bytes[Int.random(in: 6..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            var splitter = GIFSplitter()
            splitter.append(bytes)
            var total = 0
            var headers = 0
            while let packet = splitter.next() { (total, headers) = (total + packet.bytes.count, headers + 1) }
            total += splitter.rest()?.bytes.count ?? 0
            // The header, of at most 256 colors, is repeated with each picture after a broken first one.
            #expect(total <= bytes.count + headers * (13 + 768))
        }
    }

    /// 64 MiB in small parts would take minutes if everything before were examined again with each part.
    @Test(.timeLimit(.minutes(1))) func aPictureWithoutAnEndIsDamageAndLookedAtOnce() {
        var splitter = GIFSplitter()
        splitter.append(header())
        splitter.append([0x2C, 0, 0, 0, 0, 8, 0, 4, 0, 0, 7] as [UInt8])
        let part = [UInt8](repeating: 255, count: 1024)
        var count = 0
        while !splitter.isOver, count < 100_000 {
            splitter.append(part)
            if splitter.next() != nil { break }
            count += 1
        }
        #expect((65_535...65_536).contains(count))
        #expect(splitter.isOver && splitter.isDamaged && splitter.rest() == nil)
    }

    @Test(arguments: [1, 64, 100_000]) func aPictureThatIsTooLargeIsDamageHoweverItComes(chunk: Int) {
        let first = header() + picture(Self.frames[0])
        let bytes = first + [0x21, 0xFE, 255] + [UInt8](repeating: 0, count: 256) + picture(Self.frames[1]) + [0x3B]
        for (largest, whole) in [(first.count, 2), (first.count - 1, 0)] {
            var splitter = GIFSplitter(largestPacket: largest)
            var packets = 0
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                splitter.append(bytes[start..<min(start + chunk, bytes.count)])
                while splitter.next() != nil { packets += 1 }
            }
            #expect(packets == whole && splitter.isOver && splitter.isDamaged == (whole == 0))
        }
    }

    private func play(_ bytes: [UInt8]) async throws -> (times: [Double], grays: [Int], info: MediaInfo?) {
        let folder = try TemporaryFolder()
        let path = folder.path + "/clip.gif"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let pipeline = try Pipeline(
            parsing: "uridecodebin uri=file://\(path) ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=frames")
        let sink = try pipeline.appSink(named: "frames")
        try sink.configure(maxBuffers: 4, drop: false, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let frames = await onThread {
            var frames: [(time: Double, end: Double, gray: Int)] = []
            // If there is no end, this number is enough to notice.
            while frames.count < 100, case .sample(let sample) = sink.pull(timeout: .seconds(10)) {
                let gray = try? sample.withPlane(0) { bytes, _ in Int(bytes.unsafeLoad(as: UInt8.self)) }
                let start = sample.streamTime?.seconds ?? -1
                frames.append((start, start + (sample.duration?.seconds ?? -1), gray ?? -1))
            }
            return frames
        }
        await pipeline.stop()
        var times = frames.map(\.time)
        if let last = frames.last { times.append(last.end) }
        return (times, frames.map(\.gray), try? await MediaProbe.examine(uri: path))
    }

    @Test(.timeLimit(.minutes(1))) func itsPicturesHaveTheirTimesAndItEnds() async throws {
        let played = try await play(file())
        #expect(played.times == [0, 0.1, 0.35, 0.45, 0.5])
        #expect(zip(played.grays, Self.frames).allSatisfy { abs($0 - 2 * Int($1.gray)) < 3 } && played.grays.count == 4)
        #expect(played.info?.hasVideo == true)
    }

    /// A picture that cannot be decoded loses only its own time.
    @Test(.timeLimit(.minutes(1)), arguments: 0..<4) func aBrokenPictureShiftsNoTimes(broken: Int) async throws {
        let pictures = Self.frames.enumerated().map { index, frame in
            var bytes = picture(frame)
            // No code has this many bits.
            if index == broken { bytes[bytes.count - 3 - 34] = 13 }
            return bytes
        }
        let played = try await play(header() + pictures.flatMap(\.self) + [0x3B])
        let begins = [0, 0.1, 0.35, 0.45]
        for (time, gray) in zip(played.times, played.grays) {
            let index = try #require(Self.frames.firstIndex { abs(gray - 2 * Int($0.gray)) < 3 }, "\(played)")
            // Instead of a broken picture the one before it is shown, or for the first one, the one after it.
            #expect(begins[index] == time || time == begins[broken], "\(played)")
        }
        #expect(played.grays.count >= 3, "\(played)")
    }

    @Test(.timeLimit(.minutes(1))) func oneOfOnePictureEndsToo() async throws {
        let played = try await play(file([Frame(gray: 90, delay: 0)]))
        #expect(played.times == [0, 0.1] && played.grays.count == 1)
    }
}
