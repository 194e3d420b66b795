import CVideo4Linux
public import Errors
import Glibc
import Synchronization
import TextSpotting

/// A camera of this machine, in its current state.
public struct Camera: Sendable, Hashable {
    /// The device's path, such as `/dev/video0`.
    public var path: String
    /// The manufacturer's name for it.
    public var name: String
    /// Where it is plugged in; empty if that is not known.
    public var bus: String
    /// The reason it cannot be used now; nil if it can.
    public var problem: CameraProblem?
    /// The modes it offers; empty if it may not be opened.
    public var modes: [CameraMode]
    /// Its adjustable controls; empty if it may not be opened.
    public var controls: [CameraControl]

    /// Examines one device; nil if the node belongs to a camera but delivers no pictures itself (only metadata).
    ///
    /// A device that is not there or may not be opened is returned too, with its problem.
    public static func look(at path: String) -> Camera? {
        let node = path.split(separator: "/").last.map(String.init) ?? path
        let name = firstLine(of: "/sys/class/video4linux/\(node)/name") ?? node
        var camera = Camera(path: path, name: name, bus: "", problem: nil, modes: [], controls: [])
        do {
            let device = try CameraDevice(opening: path)
            guard let identity = device.identity else {
                camera.problem = .noCamera
                return camera
            }
            guard identity.captures else { return nil }
            (camera.name, camera.bus) = (identity.name, identity.bus)
            camera.modes = device.modes
            camera.controls = device.controls
            if device.isStreamedFromElsewhere { camera.problem = .busy(users: DeviceUsers.names(of: path)) }
        } catch {
            camera.problem = error
        }
        return camera
    }

    /// All cameras, by the number of their nodes.
    public static func all() -> [Camera] { nodes().compactMap(look(at:)) }

    /// The paths of all video devices, by number.
    public static func nodes() -> [String] {
        let names = FileName.names(inFolder: "/dev") ?? []
        let numbers = names.filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst(5)) }
        return numbers.sorted().map { "/dev/video\($0)" }
    }

    /// Finds the camera that a user names by its path or by a part of its name, in upper or lower case; for nil, the
    /// first that can be used.
    ///
    /// - Throws: `FramegrepError` `.sourceUnavailable` that lists the cameras and the reasons they cannot be used.
    public static func find(_ wanted: String?) throws(FramegrepError) -> Camera {
        if let wanted, wanted.hasPrefix("/") { return try usable(look(at: wanted), wanted) }
        let cameras = all()
        guard !cameras.isEmpty else {
            throw FramegrepError(
                .sourceUnavailable,
                "There is no camera here (no /dev/video*): plug one in, or give a file or a URI, as in 'framegrep live EXIT lobby.mp4'."
            )
        }
        guard let wanted else {
            if let first = cameras.first(where: { $0.problem == nil }) { return first }
            throw FramegrepError(.sourceUnavailable, "No camera can be used. \(list(cameras)).")
        }
        let key = wanted.lowercased()
        let meant = cameras.filter { $0.name.lowercased().contains(key) }
        let exact = meant.filter { $0.name.lowercased() == key }
        guard let found = (exact.isEmpty ? meant : exact).first else {
            throw FramegrepError(
                .sourceUnavailable, "No camera is called '\(wanted)'. There are: \(list(cameras)).")
        }
        return try usable(found, found.path)
    }

    private static func usable(_ camera: Camera?, _ path: String) throws(FramegrepError) -> Camera {
        let problem = camera == nil ? CameraProblem.noCamera : camera?.problem
        guard let camera, problem == nil else {
            let others = all().filter { $0.path != path && $0.problem == nil }
            let rest = others.isEmpty ? "There is no other camera." : "There are: \(list(others))."
            throw FramegrepError(
                .sourceUnavailable, "The camera \(path) cannot be used: \(problem?.text ?? ""). \(rest)")
        }
        return camera
    }

    private static func list(_ cameras: [Camera]) -> String {
        cameras.map { camera in
            "\(camera.path) (\(camera.name))" + (camera.problem.map { ": \($0.text)" } ?? "")
        }.joined(separator: "; ")
    }
}

/// Reports cameras that are plugged in and unplugged. Thread-safe: one thread follows the changes, and any may stop it.
public final class CameraChanges: Sendable {
    /// A difference between the known cameras and the current ones.
    public enum Change: Sendable, Hashable {
        case added(Camera)
        case removed(Camera)
        /// It has become usable or unusable.
        case changed(Camera)
    }

    private let watch: CameraWatch
    private let isStopped = Mutex(false)

    /// Starts to watch; ``follow(from:_:)`` reports all changes from now on.
    ///
    /// - Throws: `FramegrepError` if the system's limit of inotify watches is reached.
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
            // Examining a camera opens it, which may wake it up, so only cameras that other programs began or stopped
            // using are examined.
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
        // Another camera may be given the node of a removed one.
        func isSame(_ a: Camera, _ b: Camera) -> Bool { a.path == b.path && (a.name == b.name || a.bus == b.bus) }
        let removed = old.filter { camera in !new.contains { isSame($0, camera) } }.map(Change.removed)
        let added = new.filter { camera in !old.contains { isSame($0, camera) } }.map(Change.added)
        let changed = new.filter { camera in
            old.contains { isSame($0, camera) && $0.problem != camera.problem }
        }.map(Change.changed)
        return removed + added + changed
    }
}

/// The reason a camera cannot be used.
public enum CameraProblem: Error, Sendable, Hashable {
    case noSuchDevice
    /// The file exists, but this user may not open it.
    case notPermitted
    /// Another program uses it; the programs' names and process numbers, as far as they may be known.
    case busy(users: [String])
    /// It can be opened, but delivers no pictures.
    case noCamera
    /// Any other reason, in the system's words.
    case other(String)

    init(error: Int32, path: String) {
        switch error {
        case ENOENT, ENODEV, ENXIO: self = .noSuchDevice
        case EACCES, EPERM: self = .notPermitted
        case EBUSY: self = .busy(users: DeviceUsers.names(of: path))
        default: self = .other(String(cString: strerror(error)))
        }
    }

    /// For the middle of a sentence.
    public var text: String {
        switch self {
        case .noSuchDevice: "there is no such device"
        case .notPermitted:
            "you may not open it; join the group 'video' (sudo usermod -aG video $USER) and log in again"
        case .busy(let users) where users.isEmpty: "another program is using it"
        case .busy(let users): "it is in use by \(users.joined(separator: ", "))"
        case .noCamera: "it gives no pictures"
        case .other(let words): words
        }
    }

    /// The word for it in output for programs, which is part of the output contract.
    public var code: String {
        switch self {
        case .noSuchDevice: "no-such-device"
        case .notPermitted: "not-permitted"
        case .busy: "busy"
        case .noCamera: "no-camera"
        case .other: "other"
        }
    }
}

/// Finds the processes that have a device open, in `/proc`.
enum DeviceUsers {
    /// `cheese (4711)` for each process other than this one; without the processes of other users, which only root may
    /// examine.
    static func names(of path: String) -> [String] {
        let own = getpid()
        let processes = (FileName.names(inFolder: "/proc") ?? []).compactMap { Int32($0) }
        return processes.filter { $0 != own }.sorted().compactMap { process in
            let folder = "/proc/\(process)/fd"
            let hasIt = FileName.names(inFolder: folder)?.contains { target(of: "\(folder)/\($0)") == path } ?? false
            return hasIt ? "\(name(of: process)) (\(process))" : nil
        }
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    private static func name(of process: Int32) -> String {
        firstLine(of: "/proc/\(process)/comm") ?? "process"
    }
}

/// The first line of a small file; nil if it cannot be read or is empty.
func firstLine(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.isEmpty ? nil : text
}

/// Notices video devices that come and go, by watching `/dev`.
///
/// This works with and without a device manager (udev). Changes of permissions count too, because a device that was just
/// plugged in is given to its group a moment later. One owner; used by one thread at a time.
struct CameraWatch: ~Copyable, Sendable {
    private let descriptor: Int32

    /// - Throws: ``FramegrepError`` `.sourceUnavailable` if the system's limit of inotify watches is reached.
    init() throws(FramegrepError) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        let events = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB)
        guard descriptor >= 0, inotify_add_watch(descriptor, "/dev", events) >= 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw FramegrepError(.sourceUnavailable, "The folder /dev cannot be watched: \(reason).")
        }
    }

    deinit { close(descriptor) }

    /// Blocks the calling thread until a video device is added, removed or changed, or the time is over.
    ///
    /// - Returns: whether there was such a change.
    func wait(_ milliseconds: Int) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, Int32(clamping: milliseconds)) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 16384)
        var isVideo = false
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return isVideo }
            isVideo = isVideo || Self.names(in: bytes.prefix(count)).contains { $0.hasPrefix("video") }
        }
    }

    /// The names in a row of `struct inotify_event` (inotify(7)): four 32-bit numbers, the last of which is the length of
    /// the name that follows.
    private static func names(in bytes: ArraySlice<UInt8>) -> [String] {
        var names: [String] = []
        var rest = bytes
        while rest.count >= 16 {
            let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 16 + length else { break }
            names.append(String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(16 + length)
        }
        return names
    }
}

/// An open Video4Linux device; owns its file descriptor.
///
/// Queries and settings do not disturb a program that streams from the device, including this one. Thread-safe: the
/// kernel locks the device, and the descriptor never changes.
public final class CameraDevice: Sendable {
    /// `/dev/video0`.
    public let path: String
    let descriptor: Int32

    /// Opens a device for queries and settings.
    ///
    /// - Throws: ``CameraProblem`` with the reason it cannot be opened.
    public init(opening path: String) throws(CameraProblem) {
        let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw CameraProblem(error: errno, path: path) }
        descriptor = opened
        self.path = path
    }

    deinit { close(descriptor) }

    /// Sends a request to the driver. The kernel reads and writes the structure only during the call.
    func ask<Value>(_ request: UInt, _ value: inout Value) -> Bool {
        withUnsafeMutablePointer(to: &value) { fv4l_control(descriptor, request, UnsafeMutableRawPointer($0)) == 0 }
    }

    /// The driver's description of the device; nil for a file that is not a Video4Linux device.
    public var identity: CameraIdentity? {
        var capability = v4l2_capability()
        guard ask(FV4L_QUERYCAP, &capability) else { return nil }
        let ofNode = capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let capabilities = ofNode ? capability.device_caps : capability.capabilities
        return CameraIdentity(
            name: cText(capability.card), driver: cText(capability.driver), bus: cText(capability.bus_info),
            captures: capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0)
    }

    /// Whether another program is streaming from the device.
    ///
    /// The driver refuses to free buffers, which this program never had, exactly if another program has some.
    var isStreamedFromElsewhere: Bool {
        var request = v4l2_requestbuffers()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        return fv4l_control(descriptor, FV4L_REQBUFS, &request) == EBUSY
    }
}

/// A driver's description of a device.
public struct CameraIdentity: Sendable, Hashable {
    /// The name given by the manufacturer.
    public var name: String
    public var driver: String
    /// The place where it is plugged in; it stays the same when the device is plugged in there again.
    public var bus: String
    /// Whether this node delivers pictures; a camera has other nodes too.
    public var captures: Bool
}

/// The text in a C array of characters, which may lack a terminator and cannot be trusted.
func cText<Tuple>(_ characters: Tuple) -> String {
    withUnsafeBytes(of: characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
