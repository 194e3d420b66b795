import Synchronization

/// Whether a window has shown its first frame. Thread-safe.
final class WindowSign: Sendable {
    private let flag = Atomic<Bool>(false)

    var isThere: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}
