import Synchronization

/// Counts calls that a driver or a server may never answer. Thread-safe.
final class BlockingCalls: Sendable {
    private let count = Atomic<Int>(0)

    var areUnderWay: Bool { count.load(ordering: .acquiring) > 0 }

    func begin() { count.add(1, ordering: .acquiringAndReleasing) }
    func end() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
