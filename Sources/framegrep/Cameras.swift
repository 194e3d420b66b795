import Foundation
import GStreamerMedia
import TextSpotting

/// The V4L2 devices of this machine, as `/dev` and `/sys` show them.
struct Camera: Hashable {
    /// `/dev/video0`.
    let path: String
    /// What the driver calls it; the path where it has no name.
    let name: String
    /// Why it cannot be opened; nil when it can.
    let problem: String?
}

enum Cameras {
    /// All video devices, by number.
    static func all() -> [Camera] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        return entries.filter { $0.hasPrefix("video") && Int($0.dropFirst(5)) != nil }
            .sorted { (Int($0.dropFirst(5)) ?? 0) < (Int($1.dropFirst(5)) ?? 0) }
            .map { entry in
                let name = FileManager.default.contents(atPath: "/sys/class/video4linux/\(entry)/name")
                    .flatMap { String(data: $0, encoding: .utf8) }?.split(whereSeparator: \.isNewline).first.map(
                        String.init)
                return Camera(path: "/dev/\(entry)", name: name ?? entry, problem: problem(opening: "/dev/\(entry)"))
            }
    }

    /// The first camera that can be opened.
    ///
    /// - Throws: ``FramegrepError`` (`sourceUnavailable`) that says what is there and why it does not do.
    static func first() throws -> String {
        let cameras = all()
        if let usable = cameras.first(where: { $0.problem == nil }) { return usable.path }
        guard !cameras.isEmpty else {
            throw FramegrepError(
                .sourceUnavailable,
                "There is no camera here (no /dev/video*): give a file or a URI, as in 'framegrep live EXIT lobby.mp4'."
            )
        }
        let list = cameras.map { "\($0.path) (\($0.name)): \($0.problem ?? "")" }.joined(separator: "; ")
        throw FramegrepError(.sourceUnavailable, "No camera can be used. \(list).")
    }

    /// Says why a named device cannot be used, with the list of those there are.
    static func check(_ path: String) throws {
        guard let problem = problem(opening: path) else { return }
        let others = all().filter { $0.path != path && $0.problem == nil }.map { "\($0.path) (\($0.name))" }
        let list = others.isEmpty ? "There is no other camera." : "There are: \(others.joined(separator: ", "))."
        throw FramegrepError(.sourceUnavailable, "The camera \(path) cannot be used: \(problem). \(list)")
    }

    private static func problem(opening path: String) -> String? {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        switch errno {
        case ENOENT, ENODEV, ENXIO: return "there is no such device"
        case EACCES, EPERM:
            return "you may not open it; join the group 'video' (sudo usermod -aG video $USER) and log in again"
        case EBUSY: return "another program is using it"
        default: return String(cString: strerror(errno))
        }
    }
}
