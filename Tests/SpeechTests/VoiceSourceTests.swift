import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing

@testable import Speech

/// A pipe's two ends; the other end is closed once something was written.
final class Pipe {
    let descriptor: Int32
    private let other: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (descriptor, other) = (ends[0], ends[1])
    }

    func write(_ bytes: [UInt8]) {
        _ = Glibc.write(other, bytes, bytes.count)
        close(other)
    }

    deinit { close(descriptor) }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct VoiceSourceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try MediaRuntime.initialize(arguments: [])
    }

    /// A recording with 44100 samples a second in two channels, which no recognizer takes.
    private func recording(_ samples: [Float]) throws -> String {
        var bytes = Data("RIFF".utf8)
        func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        let count = samples.count * 4
        add(UInt32(36 + count))
        bytes += Data("WAVEfmt ".utf8)
        add(UInt32(16))
        add(UInt16(1))
        add(UInt16(2))
        add(UInt32(44_100))
        add(UInt32(44_100 * 4))
        add(UInt16(4))
        add(UInt16(16))
        bytes += Data("data".utf8)
        add(UInt32(count))
        for sample in samples { for _ in 0..<2 { add(Int16(max(-1, min(1, sample)) * 32_000)) } }
        let path = folder.file("a \"word\".wav")
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func tones(_ seconds: Double) -> [Float] {
        (0..<Int(seconds * 44_100)).map { ($0 / 110) % 2 == 0 && ($0 / 8000) % 4 != 3 ? 0.3 : 0 }
    }

    @Test func aRecordingIsListenedToAsAMicrophoneIs() async throws {
        let silence = [Float](repeating: 0, count: 44_100)
        let path = try recording(silence + tones(1) + silence)
        guard case .speech(let samples) = try await VoiceSource(file: path).listen() else {
            Issue.record("nothing was heard")
            return
        }
        let seconds = Double(samples.count) / Double(Utterance.rate)
        #expect(seconds > 1 && seconds < 2)
    }

    @Test func silenceIsSilence() async throws {
        let path = try recording([Float](repeating: 0, count: 80_000))
        #expect(try await VoiceSource(file: path).listen() == .silence)
    }

    @Test func whatGoesOnHasNoEnd() async throws {
        #expect(try await VoiceSource(file: try recording(tones(12))).listen() == .noEnd)
    }

    @Test func whatIsNoSoundIsAnError() async throws {
        let path = try folder.write("no sound", to: "a.wav")
        await #expect(throws: FramegrepError.self) { try await VoiceSource(file: path).listen() }
        await #expect(throws: FramegrepError.self) { try await VoiceSource(file: folder.file("missing.wav")).listen() }
    }

    @Test func aPipeIsListenedTo() async throws {
        let silence = [Float](repeating: 0, count: 44_100)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: try recording(silence + tones(1) + silence)))
        let path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let writer = Thread { try? bytes.write(to: URL(fileURLWithPath: path)) }
        writer.start()
        guard case .speech = try await VoiceSource(file: path).listen() else {
            Issue.record("nothing was heard")
            return
        }
    }

    /// Nobody is listened to when nobody wants to know any more: a microphone that goes on stands for it by a pipe that stays open.
    @Test func cancellingEndsTheListening() async throws {
        let bytes = [UInt8](
            try Data(contentsOf: URL(fileURLWithPath: try recording([Float](repeating: 0, count: 80_000)))))
        let path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let writer = Thread {
            _ = Array(bytes.dropLast(4000)).withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
        }
        writer.start()
        let (levels, heard) = AsyncStream.makeStream(of: Float.self)
        let listening = Task { try await VoiceSource(file: path).listen { heard.yield($0) } }
        for await _ in levels { break }
        listening.cancel()
        await #expect(throws: CancellationError.self) { try await listening.value }
    }

    @Test func aPipeIntoWhichNobodyWritesIsNotWaitedForWithoutEnd() async throws {
        let path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let listening = Task { try await VoiceSource(file: path).listen() }
        let error = await #expect(throws: FramegrepError.self) { try await listening.value }
        #expect(
            error?.message.contains("for 20 seconds. Check the program that should write to it.") == true,
            "\(String(describing: error))")
    }

    @Test(.enabled(if: Microphone.all().isEmpty)) func withoutAMicrophoneASentenceSaysSo() async throws {
        let error = await #expect(throws: FramegrepError.self) { try await VoiceSource(file: nil).listen() }
        #expect(error?.code == .sourceUnavailable && error?.message.contains("microphone") == true)
    }

    @Test func withoutAModelASentenceSaysSo() throws {
        let error = #expect(throws: FramegrepError.self) { _ = try SpeechProcess((folder.path, nil)) }
        #expect(error?.code == .engineUnavailable && error?.message.contains("setup --voice") == true)
    }
}
