import Errors
import Synchronization

/// Where the parts of a live job say what happens. Thread-safe.
///
/// The end is the last event: later ones, from parts that are still being stopped, are dropped.
final class LiveReport: Sendable {
    private let hear: @Sendable (LiveEvent) -> Void
    private let hasEnded = Atomic<Bool>(false)

    init(_ hear: @escaping @Sendable (LiveEvent) -> Void) {
        self.hear = hear
    }

    func tell(_ event: LiveEvent) {
        guard !hasEnded.load(ordering: .acquiring) else { return }
        if case .end = event { hasEnded.store(true, ordering: .releasing) }
        hear(event)
    }

    func warn(_ warning: FramegrepError) { tell(.warning(warning)) }
}
