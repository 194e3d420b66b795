import Errors
import GStreamerMedia
import Threads

/// Where somebody is listened to: the microphone, or a recording in its place.
public struct VoiceSource: Sendable, Hashable {
    /// A recording's path; nil for the microphone.
    public let file: String?

    public init(file: String?) { self.file = file }

    private static let sinkName = "voice"
    private static let shape =
        "audioconvert ! audioresample ! audio/x-raw,rate=16000,channels=1,format=F32LE,layout=interleaved "
        + "! appsink name=\(sinkName)"
    /// A microphone that brings nothing for this long is gone.
    private static let patience = Duration.seconds(3)
    /// Nobody speaks for this long: the listening ends by itself.
    public static let longestSilence = Duration.seconds(20)

    /// What came of listening.
    public enum Outcome: Sendable, Hashable {
        /// The samples of one utterance.
        case speech([Float])
        /// Nobody said anything.
        case silence
        /// It went on without a pause: music, or people who talk.
        case noEnd
    }

    /// Listens for one utterance.
    ///
    /// - Parameters:
    ///   - level: told of how loud it is, 0 to 1, some times a second, on a thread of the listening.
    ///   - isWanted: false where it is to end without an outcome.
    /// - Throws: `.sourceUnavailable` where there is no microphone, it may not be used, or it was unplugged.
    public func listen(
        level: @escaping @Sendable (Float) -> Void = { _ in }, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) async throws -> Outcome {
        let pipeline = try Pipeline(parsing: try description())
        do {
            let sink = try pipeline.appSink(named: Self.sinkName)
            sink.configureForSound(maxBuffers: 200, sync: false)
            _ = try await pipeline.prepare()
            try await pipeline.play()
            let outcome = try await DedicatedThread.run(named: "framegrep-listen") {
                try Self.hear(sink, pipeline, isEndless: file == nil, level, isWanted)
            }
            await pipeline.stop()
            return outcome
        } catch {
            await pipeline.stop()
            throw explained(error)
        }
    }

    private func description() throws(FramegrepError) -> String {
        guard let file else {
            guard !Microphone.all().isEmpty else {
                throw FramegrepError(
                    .sourceUnavailable,
                    "There is no microphone here (or no sound server that this user may use); 'framegrep devices' lists them, and --voice-from takes a recording."
                )
            }
            return "autoaudiosrc ! \(Self.shape)"
        }
        let quoted = file.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "filesrc location=\"\(quoted)\" ! decodebin ! \(Self.shape)"
    }

    private static func hear(
        _ sink: AppSink, _ pipeline: Pipeline, isEndless: Bool, _ level: (Float) -> Void, _ isWanted: () -> Bool
    ) throws -> Outcome {
        var utterance = Utterance()
        var (silent, heard) = (Duration.zero, 0)
        while isWanted(), !Task.isCancelled {
            switch sink.pullSound(timeout: .milliseconds(100)) {
            case .piece(let piece):
                silent = .zero
                heard += piece.bytes.count / 4
                utterance.take(
                    piece.bytes.withUnsafeBytes { raw in
                        (0..<(raw.count / 4)).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
                    })
                level(utterance.level)
            case .timedOut:
                if let failure = pipeline.bus.firstFailure { throw failure }
                silent += .milliseconds(100)
                guard silent < patience else {
                    throw FramegrepError(
                        .sourceUnavailable, "The microphone brings no sound any more; is it plugged in?")
                }
            case .endOfStream:
                if let failure = pipeline.bus.firstFailure { throw failure }
                utterance.finish()
                return utterance.state == .ended ? .speech(utterance.speech) : .silence
            }
            if utterance.state == .ended { return .speech(utterance.speech) }
            if utterance.state == .endless { return .noEnd }
            if utterance.state == .waiting, .seconds(heard / Utterance.rate) > longestSilence { return .silence }
        }
        return .silence
    }

    private func explained(_ error: any Error) -> any Error {
        guard let error = error as? FramegrepError, file == nil, error.code != .sourceUnavailable else { return error }
        return FramegrepError(.sourceUnavailable, "The microphone cannot be listened to: \(error.message)")
    }
}
