import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// Carries the sound of a source into the recording of its picture, from one pipeline to the other like the frames.
/// Thread-safe.
///
/// The display reports when each frame of the source is shown; the sound is delayed as much as the picture. When no
/// sound arrives, because the picture stands still, the source was lost or its sound is over, silence is inserted:
/// otherwise the picture of the recording would have to wait for its sound.
final class LiveSound: Sendable {
    private struct State {
        var sink: AppSink?
        var connection = 0
        /// The delay of the last shown frame relative to the source; nil before the first of a connection.
        var delay: StreamTime?
        /// The times at which the first and the last frame were shown.
        var begun: StreamTime?
        var shown = StreamTime.zero
        var isOver = false
        var isAbandoned = false
    }

    /// The time that sound waits before it is due, in case the picture is held.
    private static let lead = StreamTime(seconds: 0.5)
    /// The time without sound after which silence is sent.
    private static let patience = StreamTime(seconds: 0.7)
    private static let pause = Duration.milliseconds(20)

    private let output: AppSource
    private let state = Mutex(State())
    private let bell = WakeEvent()

    /// - Parameter output: takes the sound of the recording.
    init(into output: AppSource) {
        self.output = output
        output.configure(maxBuffers: 100, block: true, isLive: false)
    }

    /// Takes sound from this sink from now on.
    func connect(_ sink: AppSink) {
        state.withLock { state in
            (state.sink, state.delay) = (sink, nil)
            state.connection += 1
        }
    }

    /// Records that the source is lost.
    func disconnect() {
        state.withLock { state in
            (state.sink, state.delay) = (nil, nil)
            state.connection += 1
        }
    }

    /// Records that a frame is about to be shown.
    ///
    /// - Parameters:
    ///   - running: its time in the source; nil if it is shown again.
    ///   - time: the time at which it is shown.
    func shows(_ running: StreamTime?, at time: StreamTime) {
        state.withLock { state in
            if let running { state.delay = time - running }
            state.begun = state.begun ?? time
            state.shown = max(state.shown, time)
        }
        bell.ring()
    }

    /// Records that the last frame was shown; the sound ends there too.
    func finish() {
        state.withLock { $0.isOver = true }
        bell.ring()
    }

    /// Gives up waiting for the end.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        bell.ring()
    }

    /// Carries sound until the end; blocks its thread.
    func run() {
        var splice = SoundSplice()
        var next: (piece: SoundPiece, connection: Int)?
        while true {
            let now = state.withLock { $0 }
            if now.isAbandoned { break }
            if let begun = now.begun { splice.begin(at: begun) }
            if next?.connection != now.connection { next = nil }
            var hasWaited = false
            if next == nil, let sink = now.sink {
                switch sink.pullSound(timeout: Self.pause) {
                case .piece(let piece): next = (piece, now.connection)
                case .timedOut: hasWaited = true
                case .endOfStream: break
                }
            }
            let (pieces, isTaken) = due(next?.piece, in: &splice, now)
            if isTaken { next = nil }
            if pieces.isEmpty, !isTaken {
                if now.isOver { break }
                if !hasWaited { _ = bell.wait(atMost: Self.pause) }
            }
            guard pieces.allSatisfy(send) else { break }
        }
        output.endOfStream()
    }

    /// Returns the sound to send now, and whether it includes the next piece, or never will.
    private func due(
        _ next: SoundPiece?, in splice: inout SoundSplice, _ now: State
    ) -> (pieces: [SoundSplice.Piece], isTaken: Bool) {
        if let next {
            guard let running = next.runningTime else { return ([], true) }
            if let delay = now.delay, running + delay <= now.shown + (now.isOver ? .zero : Self.lead) {
                return (splice.add(next.bytes, at: running + delay), true)
            }
        }
        guard let time = splice.time else { return ([], false) }
        if now.isOver { return (splice.fill(to: now.shown), false) }
        guard time + Self.patience < now.shown else { return ([], false) }
        return (splice.fill(to: now.shown - Self.patience), false)
    }

    private func send(_ piece: SoundSplice.Piece) -> Bool {
        output.push(piece.bytes, caps: SourceDescription.soundCaps, at: piece.time, lasting: piece.duration)
            == .ok
    }
}

/// Concatenates pieces of sound without a gap: silence where none arrived, nothing twice where times went back.
///
/// A value; times are those of the output. Samples have 16 bits and two channels, at ``rate`` per second.
struct SoundSplice: Sendable {
    static let rate = SourceDescription.soundRate
    static let bytesPerFrame = 4
    /// Pieces within this distance of their expected time directly follow the previous one, because times are rounded.
    private static let tolerance: Int64 = rate / 50

    struct Piece: Sendable, Equatable {
        var bytes: [UInt8]
        var time: StreamTime
        var duration: StreamTime
    }

    /// The number of sound frames sent, counted from time 0; nil before the first picture determines the beginning.
    private(set) var position: Int64?

    /// The start of the next piece.
    var time: StreamTime? { position.map(Self.time(of:)) }

    /// Sets the beginning of the picture, and thus of the sound; only the first call has an effect.
    mutating func begin(at time: StreamTime) { position = position ?? Self.frames(in: time) }

    /// Takes the next piece.
    ///
    /// - Returns: the bytes to send: silence before it, and the part of it that was not sent yet.
    mutating func add(_ bytes: [UInt8], at time: StreamTime) -> [Piece] {
        let count = Int64(bytes.count / Self.bytesPerFrame)
        guard let position, count > 0 else { return [] }
        let start = Self.frames(in: time)
        let distance = start - position
        if abs(distance) <= Self.tolerance { return [send(bytes[...], count)] }
        if distance > 0 { return fill(to: time) + [send(bytes[...], count)] }
        let skipped = min(count, -distance)
        guard skipped < count else { return [] }
        return [send(bytes.dropFirst(Int(skipped) * Self.bytesPerFrame), count - skipped)]
    }

    /// Returns silence up to a time, in pieces of at most half a second.
    mutating func fill(to time: StreamTime) -> [Piece] {
        var pieces: [Piece] = []
        let end = Self.frames(in: time)
        while let position, position < end {
            let count = min(end - position, Self.rate / 2)
            pieces.append(send([UInt8](repeating: 0, count: Int(count) * Self.bytesPerFrame)[...], count))
        }
        return pieces
    }

    private mutating func send(_ bytes: ArraySlice<UInt8>, _ count: Int64) -> Piece {
        let start = position ?? 0
        position = start + count
        return Piece(
            bytes: Array(bytes.prefix(Int(count) * Self.bytesPerFrame)), time: Self.time(of: start),
            duration: Self.time(of: start + count) - Self.time(of: start))
    }

    private static func frames(in time: StreamTime) -> Int64 {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * rate + rest * rate / 1_000_000_000
    }

    private static func time(of frames: Int64) -> StreamTime {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
        return StreamTime(nanoseconds: seconds * 1_000_000_000 + rest * 1_000_000_000 / rate)
    }
}
