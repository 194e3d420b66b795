public import Errors
import Glibc
import TextSpotting

/// A camera of this machine, as it stands at the moment of looking.
public struct Camera: Sendable, Hashable {
    /// `/dev/video0`.
    public var path: String
    /// The maker's name for it.
    public var name: String
    /// Where it is plugged in; empty if that is not known.
    public var bus: String
    /// Why it cannot be used now; nil when it can.
    public var problem: CameraProblem?
    /// The modes it offers; empty if it may not be opened.
    public var modes: [CameraMode]
    /// Its adjustable controls; empty if it may not be opened.
    public var controls: [CameraControl]

    /// Looks at one device; nil if the node belongs to a camera but gives no pictures itself (it carries its metadata).
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
        guard let stream = opendir("/dev") else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let name = cText(entry.pointee.d_name)
            if name.hasPrefix("video"), let number = Int(name.dropFirst(5)) { numbers.append(number) }
        }
        return numbers.sorted().map { "/dev/video\($0)" }
    }

    /// The camera that a user means: by its path, or by a part of its name in any case; nil: the first that can be used.
    ///
    /// - Throws: `FramegrepError` `.sourceUnavailable` that lists the cameras and why they cannot be used.
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
                .sourceUnavailable, "No camera is called “\(wanted)”. There are: \(list(cameras)).")
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
