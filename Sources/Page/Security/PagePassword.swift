import Synchronization

/// The password that opens a session from another machine. Thread-safe.
///
/// It is compared before any delay, so that the right one is let in after half a second however many wrong guesses come meanwhile. A
/// wrong one is answered later: half a second more for each other wrong one of the time. The right one takes half a second too, because
/// a guesser who hears nothing at once would otherwise know that it was wrong.
public final class PagePassword: Sendable {
    /// Fewer letters can be guessed.
    static let shortest = 12
    private static let pause = Duration.milliseconds(500)
    /// No longer, because a connection is held meanwhile.
    private static let longestPause = Duration.seconds(8)

    private let bytes: [UInt8]
    private let waiting = Waiting()

    init(_ text: String) { bytes = Array(text.utf8) }

    /// - Throws: `CancellationError`.
    func allows(_ given: String) async throws -> Bool {
        guard !isSame(Array(given.utf8)) else {
            try await Task.sleep(for: Self.pause)
            return true
        }
        let pause = min(Self.longestPause, Self.pause * waiting.enter(for: Self.longestPause))
        try await Task.sleep(for: pause)
        return false
    }

    /// How many wrong ones came of late; whoever sent them may have hung up.
    private final class Waiting: Sendable {
        /// No more are counted, as the pause is at its longest before.
        private static let most = 64
        private let count = Mutex(0)

        /// - Returns: how many there are with this one.
        func enter(for time: Duration) -> Int {
            let number = count.withLock { count in
                guard count < Self.most else { return Self.most + 1 }
                count += 1
                return count
            }
            if number <= Self.most {
                // Goes on when whoever asked hangs up: the others are not answered sooner for that.
                Task { [self] in
                    try? await Task.sleep(for: time)
                    count.withLock { $0 -= 1 }
                }
            }
            return number
        }
    }

    /// Takes as long for one wrong letter as for another.
    private func isSame(_ given: [UInt8]) -> Bool {
        var difference = given.count == bytes.count ? 0 : 1 as UInt8
        for index in bytes.indices { difference |= bytes[index] ^ (index < given.count ? given[index] : 0) }
        return difference == 0
    }
}
