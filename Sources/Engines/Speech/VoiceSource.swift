import CGStreamer
import Errors
import GStreamerMedia
public import TextMatching
import Threads

/// The source of speech: the microphone or a recording.
public struct VoiceSource: Sendable, Hashable {
    /// A recording's path; nil for the microphone.
    public let file: String?

    public init(file: String?) { self.file = file }

    private static let sinkName = "voice"
    private static let shape =
        "audioconvert ! audioresample ! audio/x-raw,rate=16000,channels=1,format=F32LE,layout=interleaved "
        + "! appsink name=\(sinkName)"
    /// The time after which a microphone without sound counts as gone.
    private static let patience = Duration.seconds(3)
    /// The silence after which listening ends by itself.
    public static let longestSilence = Duration.seconds(20)

    /// The result of listening.
    public enum Outcome: Sendable, Hashable {
        /// The samples of one utterance.
        case speech([Float])
        /// Nothing was said.
        case silence
        /// It went on without a pause: music, or people who talk.
        case noEnd
    }

    /// Listens for one utterance.
    ///
    /// - Parameters:
    ///   - level: called with the loudness, 0 to 1, several times a second, on a listening thread.
    ///   - isWanted: returns false to end without an outcome.
    /// - Throws: `.sourceUnavailable` if there is no microphone, it may not be used, or it was unplugged;
    ///   `CancellationError` when the task is cancelled, after listening has stopped.
    public func listen(
        level: @escaping @Sendable (Float) -> Void = { _ in }, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) async throws -> Outcome {
        let pipe = try file.flatMap { try PipeInput(try SourceURI($0.hasPrefix("/") ? $0 : "./" + $0)) }
        // Kept for as long as it is read.
        defer { withExtendedLifetime(pipe) {} }
        try await pipe?.waitForData(atMost: Self.longestSilence, advice: "")
        let pipeline = try Pipeline(parsing: try description(pipe))
        do {
            return try await pipeline.stopping {
                let sink = try pipeline.appSink(named: Self.sinkName)
                sink.configureForSound(maxBuffers: 200, sync: false)
                _ = try await pipeline.prepare()
                try await pipeline.play()
                // The thread is not part of the task, so cancellation must be passed on to it.
                let cancellation = CancellationFlag()
                let outcome = try await withTaskCancellationHandler {
                    try await DedicatedThread.run(named: "framegrep-listen") {
                        try hear(sink, pipeline, level: level, while: { isWanted() && !cancellation.isCancelled })
                    }
                } onCancel: {
                    cancellation.cancel()
                }
                try Task.checkCancellation()
                return outcome
            }
        } catch {
            throw explained(error)
        }
    }

    private func description(_ pipe: PipeInput?) throws(FramegrepError) -> String {
        if let pipe { return "fdsrc fd=\(pipe.descriptor) ! decodebin ! \(Self.shape)" }
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

    private func hear(
        _ sink: AppSink, _ pipeline: Pipeline, level: (Float) -> Void, while isWanted: () -> Bool
    ) throws -> Outcome {
        var utterance = Utterance()
        var (silent, heard) = (Duration.zero, 0)
        while isWanted() {
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
                guard silent < Self.patience else {
                    throw FramegrepError(
                        .sourceUnavailable,
                        file.map { "'\($0)' delivers no more sound." }
                            ?? "The microphone delivers no more sound; is it plugged in?")
                }
            case .endOfStream:
                if let failure = pipeline.bus.firstFailure { throw failure }
                utterance.finish()
                return utterance.state == .ended ? .speech(utterance.speech) : .silence
            }
            if utterance.state == .ended { return .speech(utterance.speech) }
            if utterance.state == .endless { return .noEnd }
            if utterance.state == .waiting, .seconds(heard / Utterance.rate) > Self.longestSilence { return .silence }
        }
        return .silence
    }

    private func explained(_ error: any Error) -> any Error {
        guard let error = error as? FramegrepError, file == nil, error.code != .sourceUnavailable else { return error }
        return FramegrepError(.sourceUnavailable, "The microphone cannot be used: \(error.message)")
    }
}

/// A microphone of the machine, as reported by its sound server.
public struct Microphone: Sendable, Hashable {
    public let name: String

    /// Returns all microphones. Asks the sound server, which takes some milliseconds.
    public static func all() -> [Microphone] {
        // Otherwise GLib creates GStreamer's classes without their signals, for the rest of the process.
        guard (try? MediaRuntime.initialize()) != nil else { return [] }
        guard let monitor = gst_device_monitor_new() else { return [] }
        defer { gst_object_unref(UnsafeMutableRawPointer(monitor)) }
        gst_device_monitor_add_filter(monitor, "Audio/Source", nil)
        let devices = gst_device_monitor_get_devices(monitor)
        defer { g_list_free(devices) }
        var found: [Microphone] = []
        var place = devices
        while let item = place {
            place = item.pointee.next
            guard let data = item.pointee.data else { continue }
            defer { gst_object_unref(data) }
            let device = data.assumingMemoryBound(to: GstDevice.self)
            // A monitor of the loudspeakers is not a microphone.
            guard !isMonitor(device), let name = gst_device_get_display_name(device) else { continue }
            found.append(Microphone(name: String(cString: name)))
            g_free(name)
        }
        return found
    }

    private static func isMonitor(_ device: UnsafeMutablePointer<GstDevice>) -> Bool {
        guard let properties = gst_device_get_properties(device) else { return false }
        defer { gst_structure_free(properties) }
        guard let kind = gst_structure_get_string(properties, "device.class") else { return false }
        return String(cString: kind) == "monitor"
    }
}

/// Listens to the user and returns what was heard, including microphone and recognizer. Nothing is open or loaded while
/// it does not listen. Thread-safe.
public final class VoiceEar: Sendable {
    /// How listening ended.
    public enum Heard: Sendable, Hashable {
        /// The words that were or may have been said; nil if none was recognized.
        case search(VoiceSearch?)
        /// Nothing was said.
        case silence
        /// It went on without a pause: music, or people who talk.
        case noEnd
    }

    private let source: VoiceSource
    private let files: @Sendable () throws -> (folder: String, model: String?)

    /// - Parameter files: returns the runtime and model; called each time before listening. Throws ``FramegrepError``
    ///   if they are missing.
    public init(_ source: VoiceSource, files: @escaping @Sendable () throws -> (folder: String, model: String?)) {
        self.source = source
        self.files = files
    }

    /// A recording is listened to once.
    public var isRecording: Bool { source.file != nil }

    /// Listens for one utterance while the recognizer is loaded, and recognizes it.
    ///
    /// - Parameters:
    ///   - level: called with the loudness, 0 to 1, on a listening thread.
    ///   - vocabulary: returns lines that may be meant, the most likely first; called when the utterance is over.
    ///   - ended: called when the utterance is over, before it is recognized.
    ///   - isWanted: returns false to end without an outcome.
    /// - Throws: ``FramegrepError`` if there is no microphone or no recognizer; `CancellationError` when the task is
    ///   cancelled.
    public func listen(
        among vocabulary: @escaping @Sendable () async -> [String],
        level: @escaping @Sendable (Float) -> Void = { _ in }, ended: @escaping @Sendable () -> Void = {},
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) async throws -> Heard {
        let process = try SpeechProcess(try files())
        defer { process.end() }
        switch try await source.listen(level: level, while: isWanted) {
        case .silence: return .silence
        case .noEnd: return .noEnd
        case .speech(let samples):
            ended()
            return .search(try await process.search(samples, among: await vocabulary()))
        }
    }
}

extension SpeechProcess {
    /// Returns the search that was meant by an utterance; nil if no word was recognized. May be called once.
    ///
    /// - Parameters:
    ///   - samples: one utterance, 16,000 per second, -1 to 1.
    ///   - lines: the lines that may be meant, the most likely first.
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with the reason it cannot be recognized; `CancellationError`
    ///   when the task is cancelled.
    public func search(_ samples: [Float], among lines: [String]) async throws -> VoiceSearch? {
        try await hear(samples, among: lines).search(among: lines)
    }

    /// Removes the dot and the capital of a sentence, which were not spoken.
    static func plain(_ text: String) -> String {
        var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let marks: Set<Character> = [".", ",", "!", "?", ";", ":", "…", "\"", "“", "”"]
        for index in words.indices {
            while let last = words[index].last, marks.contains(last) { words[index].removeLast() }
            while let first = words[index].first, marks.contains(first) { words[index].removeFirst() }
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ").lowercased()
    }

    /// Removes repetitions from a text that repeats the same words; they were not spoken.
    static func once(_ text: String) -> String {
        let words = text.split(separator: " ")
        let length = (1...max(1, words.count)).first { length in
            words.count % length == 0 && words.indices.allSatisfy { words[$0] == words[$0 % length] }
        }
        return words.prefix(length ?? words.count).joined(separator: " ")
    }
}

/// Finds one utterance in incoming sound: where speech begins and where it ends. Samples in, a verdict out.
///
/// Speech is louder than the sound before it, and comes and goes with its syllables. The end is a silence of 0.6 s;
/// sound that continues for eight seconds without one is not an utterance: music, or a conversation.
public struct Utterance: Sendable {
    /// Samples a second that the recognizer takes.
    public static let rate = 16_000

    /// The state of the utterance, by the sound so far.
    public enum State: Sendable, Hashable {
        /// Nothing has been said yet.
        case waiting
        case speaking
        /// It is complete.
        case ended
        /// It is too long for an utterance.
        case endless
    }

    /// The length of a frame, which is measured at once: 20 ms.
    private static let frame = rate / 50
    /// The silence after which an utterance is over, in frames.
    private static let pause = 30
    /// The longest utterance, in frames.
    private static let longest = 400
    /// The time kept from before its beginning, because words may begin with soft sounds.
    private static let lead = 20
    /// This many loud frames among the last ten are a beginning: a click has fewer.
    private static let loudToBegin = 6
    /// The least power of speech: -50 dB of the greatest.
    private static let leastPower: Float = 1e-5
    /// The factor of power by which speech is louder than the background noise: 6 dB.
    private static let overNoise: Float = 4
    /// The noise is estimated from this many frames: three seconds.
    private static let memory = 150

    public private(set) var state = State.waiting
    /// The current loudness, 0 to 1: 0 for -60 dB, 1 for the loudest possible.
    public private(set) var level: Float = 0
    private var samples: [Float] = []
    private var begin = 0
    private var measured = 0
    private var powers: [Float] = []
    private var loud: [Bool] = []
    private var quietFrames = 0
    private var spokenFrames = 0

    public init() {}

    /// Takes the next samples, -1 to 1, one channel, ``rate`` a second.
    public mutating func take(_ new: some Sequence<Float>) {
        guard state == .waiting || state == .speaking else { return }
        samples += new
        while samples.count - measured >= Self.frame, state == .waiting || state == .speaking { measure() }
        // Before the beginning, keep only what may belong to the utterance.
        let spare = measured - Self.memory * Self.frame
        if state == .waiting, spare > Self.rate { forget(spare) }
    }

    /// Ends the sound: the utterance is what was said so far.
    public mutating func finish() {
        if state == .speaking { state = spokenFrames >= Self.loudToBegin ? .ended : .waiting }
    }

    /// The samples of the utterance, with some of the time before and after it.
    public var speech: [Float] {
        guard state == .ended else { return [] }
        let end = max(begin, measured - max(0, quietFrames - Self.lead) * Self.frame)
        return Array(samples[begin..<end])
    }

    private mutating func forget(_ count: Int) {
        samples.removeFirst(count)
        measured -= count
        begin -= count
    }

    private mutating func measure() {
        let part = samples[measured..<(measured + Self.frame)]
        measured += Self.frame
        // Without the constant part that some microphones add.
        let mean = part.reduce(0, +) / Float(Self.frame)
        let power = part.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(Self.frame)
        level = Self.level(of: power)
        powers.append(power)
        if powers.count > Self.memory { powers.removeFirst() }
        let isLoud = power > max(Self.leastPower, noise * Self.overNoise)
        loud.append(isLoud)
        if loud.count > 10 { loud.removeFirst() }
        switch state {
        case .waiting: listenForBegin()
        case .speaking: listenForEnd(isLoud)
        default: return
        }
    }

    private mutating func listenForBegin() {
        guard loud.count(where: { $0 }) >= Self.loudToBegin else { return }
        state = .speaking
        begin = max(0, measured - (loud.count + Self.lead) * Self.frame)
        spokenFrames = loud.count { $0 }
        quietFrames = 0
    }

    private mutating func listenForEnd(_ isLoud: Bool) {
        quietFrames = isLoud ? 0 : quietFrames + 1
        if isLoud { spokenFrames += 1 }
        if quietFrames >= Self.pause {
            state = .ended
        } else if measured - begin > Self.longest * Self.frame {
            state = .endless
        }
    }

    /// The power of the constant background noise: a tenth of the frames are no louder.
    private var noise: Float {
        let sorted = powers.sorted()
        return sorted[sorted.count / 10]
    }

    private static func level(of power: Float) -> Float {
        guard power > 1e-6 else { return 0 }
        // Ten times the power is a sixth of the scale.
        var (value, decades) = (power, Float(0))
        while value < 0.1 {
            value *= 10
            decades += 1
        }
        return max(0, min(1, 1 - (decades + (1 - value) / 0.9 * 1) / 6))
    }
}
