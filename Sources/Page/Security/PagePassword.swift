import Synchronization

/// The password that opens a session from another machine. Thread-safe.
///
/// It is compared before any delay, so that the right one is let in at once however many wrong guesses come meanwhile. A wrong one is
/// answered late: half a second, and half a second more for each other wrong one that waits at the time.
public final class PagePassword: Sendable {
    /// Fewer letters can be guessed.
    static let shortest = 12
    private static let pause = Duration.milliseconds(500)
    /// No longer, because a connection is held meanwhile.
    private static let longestPause = Duration.seconds(8)

    private let bytes: [UInt8]
    /// How many wrong ones wait for their answer.
    private let waiting = Atomic<Int>(0)

    init(_ text: String) { bytes = Array(text.utf8) }

    /// - Throws: `CancellationError`.
    func allows(_ given: String) async throws -> Bool {
        if isSame(Array(given.utf8)) { return true }
        let number = waiting.add(1, ordering: .relaxed).newValue
        defer { waiting.subtract(1, ordering: .relaxed) }
        try await Task.sleep(for: min(Self.longestPause, Self.pause * number))
        return false
    }

    /// Takes as long for one wrong letter as for another.
    private func isSame(_ given: [UInt8]) -> Bool {
        var difference = given.count == bytes.count ? 0 : 1 as UInt8
        for index in bytes.indices { difference |= bytes[index] ^ (index < given.count ? given[index] : 0) }
        return difference == 0
    }
}
