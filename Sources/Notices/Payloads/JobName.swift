public import Foundation

/// A name for one run of a job that no other run has: sightings are counted from 1 in each, so it takes both to name one.
///
/// 26 letters and digits: 48 bits of time and 80 bits of chance, in the form of a ULID, so that names sort by time.
public struct JobName: Sendable, Hashable {
    public let text: String

    /// A new one.
    public init(at time: Date = Date()) {
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let milliseconds = UInt64(max(0, time.timeIntervalSince1970 * 1000))
        let clock = (0..<10).map { digits[Int(milliseconds >> UInt64(45 - 5 * $0) & 31)] }
        let chance = (0..<16).map { _ in digits[Int.random(in: 0..<32)] }
        text = String(clock + chance)
    }
}
