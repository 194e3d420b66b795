import Errors
import Foundation
import Spotter
import TextSpotting

/// Finds the files to search in a folder and its subfolders, for `-r`.
///
/// Like grep's `-r`, it does not follow links to folders, because a loop of links would have no end.
struct FolderWalk {
    let included: [String]
    let excluded: [String]

    /// Endings of files that are certainly neither pictures nor videos. Opening each would take longer than the search
    /// of the others.
    private static let passedOver: Set<String> = [
        "txt", "md", "rst", "html", "htm", "css", "js", "json", "jsonl", "xml", "csv", "tsv", "yaml", "yml", "toml",
        "ini",
        "log", "pdf", "doc", "docx", "xls", "xlsx", "odt", "ods", "zip", "gz", "xz", "bz2", "zst", "tar", "7z", "rar",
        "iso",
        "exe", "so", "o", "a", "py", "c", "h", "cpp", "rs", "go", "swift", "sh", "java", "class", "jar", "db", "sqlite",
        "srt",
        "vtt", "ass", "sub", "nfo", "mp3", "flac", "wav", "m4a", "opus", "aac", "part", "lock", "ds_store",
    ]

    static func isFolder(_ path: String) -> Bool { FileStatus(of: path)?.isFolder ?? false }

    /// An entry of a folder that is not searched, with the reason.
    enum Bystander {
        /// A file that is certainly neither picture nor video.
        case noMedia(String)
        /// A file or a folder that ``FolderWalk/included`` and ``FolderWalk/excluded`` leave out.
        case notChosen(String)
        /// A link to a folder, a pipe or a device.
        case notFollowed(String)
        /// A folder that cannot be read, which was reported.
        case unreadable(String)
    }

    /// - Parameters:
    ///   - name: the prefix of the returned names.
    ///   - passBy: called with each entry that is not returned.
    ///
    /// - Throws: ``FramegrepError`` (`sourceUnavailable`) if the folder cannot be read; an unreadable folder below it
    ///   is reported and skipped.
    func files(
        in folder: String, named name: String, passingBy passBy: (Bystander) -> Void = { _ in }
    ) throws(FramegrepError) -> [SearchInput] {
        var found: [SearchInput] = []
        try walk(folder, name, into: &found, passBy)
        return withoutSegments(found)
    }

    /// Removes the segments of lists (HLS) among the files: they are searched with the list, in its order and with its
    /// times.
    private func withoutSegments(_ found: [SearchInput]) -> [SearchInput] {
        var bounds = MediaList.Bounds()
        var parts = Set<FileIdentity>()
        for input in found where input.name.lowercased().hasSuffix(".m3u8") {
            guard let list = MediaList(path: input.name, &bounds), list.isPlayed else { continue }
            parts.formUnion(list.paths(&bounds).compactMap(FileIdentity.init(ofFileAt:)))
        }
        guard !parts.isEmpty else { return found }
        return found.filter { input in FileIdentity(ofFileAt: input.name).map { !parts.contains($0) } ?? true }
    }

    /// Returns whether a walk of the folder would find a file, according to its name and those of the folders in
    /// between.
    func takes(_ path: String, in folder: String) -> Bool {
        let parts = path.utf8.dropFirst(folder.utf8.count).split(separator: UInt8(ascii: "/")).map {
            String(Substring($0))
        }
        guard let name = parts.last, !parts.contains(where: { part in excluded.contains { Self.matches(part, $0) } })
        else { return false }
        return isWanted(name)
    }

    private func walk(
        _ folder: String, _ name: String, into found: inout [SearchInput], _ passBy: (Bystander) -> Void
    ) throws(FramegrepError) {
        let entries = try Self.entries(of: folder)
        let prefix = name.isEmpty || name.hasSuffix("/") ? name : name + "/"
        for entry in entries {
            let path = prefix + entry.name
            if excluded.contains(where: { Self.matches(entry.name, $0) }) {
                passBy(.notChosen(path))
                continue
            }
            switch entry.kind {
            case .folder:
                do { try walk(path, path, into: &found, passBy) } catch {
                    StandardError.line(MessageLines.text(error))
                    passBy(.unreadable(path))
                }
            case .file where isWanted(entry.name): found.append(SearchInput(name: path, isFound: true))
            case .file: passBy(included.isEmpty ? .noMedia(path) : .notChosen(path))
            case .other: passBy(.notFollowed(path))
            }
        }
    }

    private func isWanted(_ name: String) -> Bool {
        guard included.isEmpty else { return included.contains { Self.matches(name, $0) } }
        guard let mark = name.lastIndex(of: ".") else { return true }
        return !Self.passedOver.contains(name[name.index(after: mark)...].lowercased())
    }

    private static func matches(_ name: String, _ glob: String) -> Bool {
        FileName.withCName(name) { name in FileName.withCName(glob) { fnmatch($0, name, 0) } } == 0
    }

    private enum Kind {
        case file, folder
        /// Pipes and devices are opened only if they are named, and links to folders are not followed.
        case other
    }

    /// Checks that a folder can be read.
    static func check(_ folder: String) throws(FramegrepError) { _ = try entries(of: folder) }

    /// Returns the contents of a folder, sorted by name.
    private static func entries(of folder: String) throws(FramegrepError) -> [(name: String, kind: Kind)] {
        guard let names = FileName.names(inFolder: folder) else {
            let reason = String(cString: strerror(errno))
            throw FramegrepError(.sourceUnavailable, "The folder \(folder) cannot be searched: \(reason).")
        }
        return names.sorted().compactMap { name -> (name: String, kind: Kind)? in
            let path = folder + "/" + name
            return switch FileStatus(of: path, followsLinks: false)?.kind {
            case nil: nil
            case S_IFDIR: (name, .folder)
            case S_IFREG: (name, .file)
            // A link without a target is reported when it is opened.
            case S_IFLNK where FileStatus(of: path)?.isFile ?? true: (name, .file)
            default: (name, .other)
            }
        }
    }
}

/// The inputs that were found by their names, in a list and in folders.
struct FoundInputs {
    var inputs: [SearchInput] = []
    /// How many folders could not be read. Each was reported.
    private(set) var unreadable = 0

    /// Adds the files in a folder and its subfolders; see ``FolderWalk/files(in:named:passingBy:)``.
    mutating func add(folder: String, named name: String, _ walk: FolderWalk) {
        var (files, unreadable) = ([SearchInput](), 0)
        do throws(FramegrepError) {
            files = try walk.files(in: folder, named: name) { bystander in
                if case .unreadable = bystander { unreadable += 1 }
            }
        } catch {
            StandardError.line(MessageLines.text(error))
            unreadable += 1
        }
        inputs += files
        self.unreadable += unreadable
    }
}

/// A recording or a still that `find` searches.
struct SearchInput: Codable, Hashable, Sendable {
    /// The name in results.
    var name: String
    /// Whether it was found in a folder that the user named, so that it is not an error if it is not a video.
    var isFound = false

    /// Returns whether an error is not reported, because the input is one of many in a folder and not a video. An empty
    /// file with the name of a recording is reported, because a full disk leaves such files.
    func passesOver(_ error: FramegrepError) -> Bool {
        guard isFound, error.code == .sourceNotVideo else { return false }
        return !MediaNames.isMedia(name) || FileStatus(of: name)?.size != 0
    }
}

/// Identifies a file however it is named: relative, absolute, through links.
enum FileIdentity: Hashable {
    /// A file that exists: its device and its number there, which all its hard links share.
    case file(device: UInt, number: UInt)
    /// A file that does not exist yet: its name in a folder that does.
    case name(folderDevice: UInt, folderNumber: UInt, name: String)

    /// Returns nil if neither the file nor its folder exists, and for files that store nothing: pipes, terminals,
    /// `/dev/null`.
    init?(ofFileAt path: String) {
        if let status = FileStatus(of: path) {
            self.init(status)
            return
        }
        let (folder, name) = Self.split(path)
        guard !name.isEmpty, let status = FileStatus(of: folder) else { return nil }
        self = .name(folderDevice: status.device, folderNumber: status.number, name: name)
    }

    /// Does the same for an open file.
    init?(ofDescriptor descriptor: Int32) {
        guard let status = FileStatus(ofDescriptor: descriptor) else { return nil }
        self.init(status)
    }

    private init?(_ status: FileStatus) {
        guard [S_IFREG, S_IFBLK].contains(status.kind) else { return nil }
        self = .file(device: status.device, number: status.number)
    }

    static func split(_ path: String) -> (folder: String, name: String) {
        guard let mark = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = path[..<mark]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: mark)...]))
    }
}

/// A list of inputs (`--files-from`), separated by line breaks or by zero bytes.
struct InputList {
    let path: String
    let endsWithZero: Bool

    /// The largest size of a list, enough for the names of a million files.
    private static let limit = 256 << 20

    /// - Throws: ``FramegrepError`` (`badArgument`) if the list cannot be read or is empty.
    func names() throws -> [String] {
        let bytes: [UInt8]
        do throws(TextFile.Failure) {
            bytes = try TextFile.bytes(ofFile: path, limit: Self.limit)
        } catch {
            let reason =
                switch error {
                case .unreadable(let reason): reason
                case .tooLong: "it is longer than \(Self.limit >> 20) MiB"
                case .noText: "it is not text"
                }
            throw FramegrepError(.badArgument, "The list \(path) cannot be read: \(reason).")
        }
        // Names of files are bytes.
        let end = UInt8(ascii: endsWithZero ? "\0" : "\n")
        let names = bytes.split(separator: end).map { line in
            FileName.text(of: !endsWithZero && line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }.filter { !$0.isEmpty }
        guard !names.isEmpty else {
            throw FramegrepError(.badArgument, "The list \(path) names no input; write one a line.")
        }
        return names
    }
}

/// Recognizes files that are certainly recordings or pictures by the endings of their names.
enum MediaNames {
    private static let endings: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "vob", "flv", "ogv", "wmv", "3gp", "mxf", "m2ts",
        "mts",
        "png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff", "gif", "heic", "avif",
    ]

    static func isMedia(_ name: String) -> Bool {
        guard let mark = name.lastIndex(of: "."), mark > name.startIndex else { return false }
        return endings.contains(name[name.index(after: mark)...].lowercased())
    }
}
