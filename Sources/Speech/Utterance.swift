/// Finds one utterance in sound as it comes: where somebody begins to speak, and where they have ended. Samples in, a verdict out.
///
/// Speech is louder than what was there before it, and comes and goes with its syllables. The end is a silence of 0.6 s; what goes on for
/// eight seconds without one is no utterance: music, or people who talk to each other.
public struct Utterance: Sendable {
    /// Samples a second that the recognizer takes.
    public static let rate = 16_000

    public enum State: Sendable, Hashable {
        /// Nobody has said anything yet.
        case waiting
        case speaking
        /// It is complete.
        case ended
        /// It went on for so long that it is none.
        case endless
    }

    /// So much is measured at once: 20 ms.
    private static let frame = rate / 50
    /// The silence after which an utterance is over, in frames.
    private static let pause = 30
    /// The longest utterance, in frames.
    private static let longest = 400
    /// Kept from before its begin, because soft sounds begin words.
    private static let lead = 20
    /// So many loud frames among the last ten are a begin: a click has fewer.
    private static let loudToBegin = 6
    /// The least power of speech: -50 dB of the greatest.
    private static let leastPower: Float = 1e-5
    /// Speech is louder than the noise behind it by this factor of power: 6 dB.
    private static let overNoise: Float = 4
    /// The noise is told from so many frames: three seconds.
    private static let memory = 150

    public private(set) var state = State.waiting
    /// How loud it is now, 0 to 1: 0 for -60 dB, 1 for the loudest there is.
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
        // Before the begin only what may belong to it.
        let spare = measured - Self.memory * Self.frame
        if state == .waiting, spare > Self.rate { forget(spare) }
    }

    /// The sound has ended: what was said so far is all.
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

    /// The power of what is there all the time: a tenth of the frames are no louder.
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
