import Glibc
import TextSpotting

/// Why a camera cannot be used.
public enum CameraProblem: Error, Sendable, Hashable {
    case noSuchDevice
    /// The file exists, but this user may not open it.
    case notPermitted
    /// Another program uses it; the programs' names and process numbers, as far as they may be known.
    case busy(users: [String])
    /// It opens, but gives no pictures.
    case noCamera
    /// Anything else, in the system's words.
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

    /// A word for programs: part of the output contract.
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

/// Who has a device open, as `/proc` shows it.
enum DeviceUsers {
    /// `cheese (4711)` for each process other than this one; without the processes of other users, which only root may
    /// look into.
    static func names(of path: String) -> [String] {
        let own = getpid()
        return entries(of: "/proc").compactMap { Int32($0) }.filter { $0 != own }.sorted().compactMap { process in
            let folder = "/proc/\(process)/fd"
            let hasIt = entries(of: folder).contains { target(of: "\(folder)/\($0)") == path }
            return hasIt ? "\(name(of: process)) (\(process))" : nil
        }
    }

    private static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = cText(entry.pointee.d_name)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
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
