import TextSpotting

/// Puts pieces of sound one behind the other without a gap: silence where nothing came, nothing twice where times went back.
///
/// A value; times are those of the output. Samples are of 16 bits, two channels, ``rate`` a second.
struct SoundSplice: Sendable {
    static let rate = SourceDescription.soundRate
    static let bytesPerFrame = 4
    /// Pieces that are no farther than this from where they should be are put where the last one ended: times are rounded.
    private static let tolerance: Int64 = rate / 50

    /// A piece to be sent on.
    struct Piece: Sendable, Equatable {
        var bytes: [UInt8]
        var time: StreamTime
        var duration: StreamTime
    }

    /// How many frames were sent, counted from time 0; nil before the first picture says where it begins.
    private(set) var position: Int64?

    /// Where the next piece begins.
    var time: StreamTime? { position.map(Self.time(of:)) }

    /// The picture begins here, and so does the sound; only the first call counts.
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

    /// Silence up to a time, in pieces of half a second at most.
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
