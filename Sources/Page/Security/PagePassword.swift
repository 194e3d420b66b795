/// The password that opens a session from another machine. Thread-safe.
///
/// A wrong one costs half a second, and they are looked at one after the other, so that nobody tries many; who knows the right one is
/// not locked out by somebody who does not.
public final class PagePassword: Sendable {
    /// Fewer letters can be guessed.
    static let shortest = 12

    private let bytes: [UInt8]
    private let turns = Slots(1, mostWaiting: 16)

    init(_ text: String) { bytes = Array(text.utf8) }

    /// - Throws: ``PageProblem`` (503) where too many try; `CancellationError`.
    func allows(_ given: String) async throws -> Bool {
        try await turns.withSlot { [self] in
            guard isSame(Array(given.utf8)) else {
                try await Task.sleep(for: .milliseconds(500))
                return false
            }
            return true
        }
    }

    /// Takes as long for one wrong letter as for another.
    private func isSame(_ given: [UInt8]) -> Bool {
        var difference = given.count == bytes.count ? 0 : 1 as UInt8
        for index in bytes.indices { difference |= bytes[index] ^ (index < given.count ? given[index] : 0) }
        return difference == 0
    }
}
