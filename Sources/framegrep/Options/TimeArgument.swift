import ArgumentParser
import TextSpotting

/// A time in a recording as a person writes it: `83.5`, `1:23.5` or `0:01:23.5`.
struct TimeArgument: ExpressibleByArgument {
    let time: StreamTime

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let value = Double(part), value.isFinite, value >= 0, value < 1e7 else { return nil }
            seconds = seconds * 60 + value
        }
        time = StreamTime(seconds: seconds)
    }
}
