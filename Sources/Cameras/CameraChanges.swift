import Synchronization
public import TextSpotting

/// Cameras that are plugged in and unplugged while one looks. Thread-safe; one thread follows, any may stop it.
public final class CameraChanges: Sendable {
    public enum Change: Sendable, Hashable {
        case added(Camera)
        case removed(Camera)
        /// It can be used now, or cannot any more.
        case changed(Camera)
    }

    private let watch: CameraWatch
    private let isStopped = Mutex(false)

    /// Begins to watch; what happens from here on is told by ``follow(from:_:)``.
    ///
    /// - Throws: ``FramegrepError`` where the system has no more watches to give.
    public init() throws(FramegrepError) {
        watch = try CameraWatch()
    }

    public func stop() { isStopped.withLock { $0 = true } }

    /// Blocks the calling thread and tells of each change, until ``stop()``.
    public func follow(from known: [Camera], _ tell: (Change) -> Void) {
        var known = known
        while !isStopped.withLock({ $0 }) {
            // A camera that comes takes a moment to be given to its group; whether it is in use is looked at now and then.
            _ = watch.wait(500)
            let now = Camera.all()
            for change in Self.changes(from: known, to: now) { tell(change) }
            known = now
        }
    }

    /// What is different; in the order of what went, came and changed.
    static func changes(from old: [Camera], to new: [Camera]) -> [Change] {
        // Another camera may get the node of one that went.
        func isSame(_ a: Camera, _ b: Camera) -> Bool { a.path == b.path && (a.name == b.name || a.bus == b.bus) }
        let removed = old.filter { camera in !new.contains { isSame($0, camera) } }.map(Change.removed)
        let added = new.filter { camera in !old.contains { isSame($0, camera) } }.map(Change.added)
        let changed = new.filter { camera in
            old.contains { isSame($0, camera) && $0.problem != camera.problem }
        }.map(Change.changed)
        return removed + added + changed
    }
}
