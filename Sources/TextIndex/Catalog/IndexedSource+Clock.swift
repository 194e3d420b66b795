import Foundation
import TextSpotting

extension IndexedSource {
    /// Whether ``wallStart`` comes from a clock in the picture, not from the recording's own data.
    public var hasTimeOfClock: Bool { wallStart != nil && wallStart == burntIn?.wallStart }

    /// Adds a clock in the picture that follows those known so far. The recording's own statement of its time counts more.
    public mutating func note(_ clock: ClockTrack) {
        let isNobodyElses = wallStart == nil || hasTimeOfClock
        if burntIn == nil { burntIn = clock } else { burntIn?.append(clock) }
        if isNobodyElses { wallStart = burntIn?.wallStart }
    }

    /// Problems of the clock in the picture for the user, as parts of sentences: it drifts, was set, or contradicts the recording's own
    /// time.
    public var clockTroubles: [String] {
        guard let clock = burntIn else { return [] }
        var troubles: [String] = []
        if let drift = clock.drift {
            troubles.append(
                "its clock is \(drift > 0 ? "fast" : "slow") by \(Self.seconds(abs(drift))) an hour")
        }
        for (at, seconds) in clock.jumps.prefix(3) {
            let sign = seconds < 0 ? "-" : "+"
            troubles.append("its clock jumps by \(sign)\(Self.seconds(abs(seconds))) at \(ClockTime.text(at))")
        }
        if clock.jumps.count > 3 { troubles.append("and \(clock.jumps.count - 3) times more") }
        if let own = clock.wallStart, let wallStart, abs(own.timeIntervalSince(wallStart)) >= 2 {
            let difference = own.timeIntervalSince(wallStart)
            let side = difference > 0 ? "ahead of" : "behind"
            troubles.append("its clock is \(Self.seconds(abs(difference))) \(side) what the recording says itself")
        }
        if clock.hasDate, clock.wallStart == nil, wallStart == nil {
            troubles.append("so that nobody knows when it was recorded")
        }
        return troubles
    }

    /// `12.5 s`, `1:02:03 h`.
    private static func seconds(_ value: Double) -> String {
        guard value >= 60 else { return "\((value * 10).rounded() / 10) s" }
        let whole = Int(value.rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60)) h"
    }
}
