/// How much of a processor reading may take in the long run: a screen on which something always moves is read more seldom, not more
/// expensively. Times in, a pause out.
struct ReadingBudget: Sendable {
    /// Of one processor.
    let share: Double
    /// At most so much is saved up while nothing is read, in seconds of a processor: a page that appears is read at once.
    let most: Double
    private(set) var left: Double
    private var last: (time: Double, used: Double)?

    init(share: Double = 0.4, most: Double = 3) {
        (self.share, self.most, left) = (share, most, most)
    }

    /// - Parameters:
    ///   - time: now, in seconds from some moment on.
    ///   - used: what the program has used of processors so far, in seconds.
    mutating func note(time: Double, used: Double) {
        if let last { left = min(most, left + share * (time - last.time) - (used - last.used)) }
        last = (time, used)
    }

    /// For how many seconds nothing should be read.
    var pause: Double { left >= 0 ? 0 : -left / share }

}
