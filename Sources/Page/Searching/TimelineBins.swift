import TextSpotting

/// How many sightings lie in each of the equal parts of a recording's time.
struct TimelineBins {
    private(set) var counts: [Int]
    private let seconds: Double

    /// - Parameter seconds: how long the recording is.
    init(count: Int, seconds: Double) {
        counts = Array(repeating: 0, count: max(1, count))
        self.seconds = seconds
    }

    /// Counts a sighting in every part in which it is to be seen.
    mutating func add(from start: Double, to end: Double) {
        guard seconds > 0 else {
            counts[0] += 1
            return
        }
        let first = bin(of: start)
        // Its end is not part of it.
        let last = max(first, Int((end / seconds * Double(counts.count)).rounded(.up)) - 1)
        for index in first...min(last, counts.count - 1) { counts[index] += 1 }
    }

    private func bin(of time: Double) -> Int {
        min(counts.count - 1, max(0, Int(time / seconds * Double(counts.count))))
    }
}
