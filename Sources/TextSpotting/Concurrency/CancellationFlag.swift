import Synchronization

/// A switch that is turned once, for threads that look at it between two steps. Thread-safe.
public final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    public init() {}

    public var isSet: Bool { value.load(ordering: .acquiring) }

    public func set() { value.store(true, ordering: .releasing) }
}
