package import Foundation

/// Writes times of the clock on the wall as events have them.
package enum WallTime {
    /// RFC 3339, UTC, to the millisecond.
    package static func text(_ date: Date) -> String {
        // The style cuts off what is less than a millisecond.
        (date + 0.000_5).formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
