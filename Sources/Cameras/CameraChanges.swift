public import Errors
import Synchronization
import TextSpotting

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

    /// Begins to watch; ``follow(from:_:)`` reports changes from here on.
    ///
    /// - Throws: `FramegrepError` if the system has no more watches to give.
    public init() throws(FramegrepError) {
        watch = try CameraWatch()
    }

    public func stop() { isStopped.withLock { $0 = true } }

    /// Blocks the calling thread and reports each change, until ``stop()``.
    public func follow(from known: [Camera], _ tell: (Change) -> Void) {
        var known = known
        var users = Self.users(of: known)
        while !isStopped.withLock({ $0 }) {
            let isNews = watch.wait(500)
            // Looking at a camera opens it, which may wake it up: so only those whose users changed are looked at.
            let now = Self.users(of: known)
            guard isNews || now != users else { continue }
            let cameras = Camera.all()
            for change in Self.changes(from: known, to: cameras) { tell(change) }
            known = cameras
            users = Self.users(of: known)
        }
    }

    private static func users(of cameras: [Camera]) -> [String: [String]] {
        var users: [String: [String]] = [:]
        for camera in cameras { users[camera.path] = DeviceUsers.names(of: camera.path) }
        return users
    }

    /// Returns the differences: first removed cameras, then added ones, then changed ones.
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
