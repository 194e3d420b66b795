internal import Synchronization

/// Lets a running picture go first where reading it would make it late.
///
/// Reading has an ordinary program's share of the processors: with a lower priority it would get what other programs leave, which may be
/// next to nothing for as long as they run, and a thread that gave up priority gets it back from an administrator only. Instead, the
/// display reports when a frame is late, and readers rest for a while after each piece of work, as long as frames are late. So a reading
/// under way takes at most four times as long as it would without rests, and rests not at all where the picture is in time.
///
/// Safe to use from any thread.
public final class RightOfWay: Sendable {
    private let rule = Mutex(RestRule())

    public init() {}

    /// A frame is late.
    public func claim() { rule.withLock { $0.claim(at: .now) } }

    /// Rests as long as there is reason to, on the calling thread: one of an engine's own.
    ///
    /// - Parameter work: how long the thread worked since it last rested.
    public func rest(after work: Duration) {
        var rested = Duration.zero
        while let rest = rule.withLock({ $0.rest(after: work, rested: rested, at: .now) }) {
            let begun = ContinuousClock.now
            BlockingSleep.sleep(rest)
            rested += .now - begun
        }
    }
}

/// How long to rest: a value without threads and clocks.
struct RestRule: Sendable, Hashable {
    /// A late frame counts for this long: of a picture that is still late the next one comes within this time.
    static let memory = Duration.milliseconds(250)
    /// At most so many times as long as the work before it.
    static let longest = 3

    private var last: ContinuousClock.Instant?

    /// A frame was late.
    mutating func claim(at now: ContinuousClock.Instant) { last = now }

    /// How long to rest now, before asking again; nil to go on working.
    func rest(after work: Duration, rested: Duration, at now: ContinuousClock.Instant) -> Duration? {
        guard let last, last + Self.memory > now else { return nil }
        let left = work * Self.longest - rested
        return left > .zero ? min(left, last + Self.memory - now) : nil
    }
}
