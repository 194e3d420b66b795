import Foundation
import GStreamerMedia
import TextSpotting

/// A file that refers to other files: a list of HLS, DASH or Smooth Streaming, a concat list of ffmpeg, or a drawing
/// that contains pictures.
///
/// A file is a list only if it begins like one: a log or an HTML page refers to nothing. Only the element that reads a
/// list knows for certain which files it will open, so ``paths(_:)`` may return too many, but not too few.
struct MediaList {
    enum Kind {
        case hls, concat
        /// Written as XML, in which addresses may be nested and have placeholders for numbers and times.
        case tree
    }

    /// Limits on the work for lists. Other people write them, and one line can stand for a whole disk.
    struct Bounds {
        /// The number of names that are read, and of files and folder entries that are examined.
        var files = 100_000
        /// The number of bytes of lists.
        var bytes = 32 << 20
        /// The time; nil if a result depends on it, which must not depend on time.
        var time: Duration?

        /// Takes one file; returns false if none is left.
        fileprivate mutating func take() -> Bool {
            guard files > 0 else { return false }
            files -= 1
            return true
        }
    }

    let kind: Kind
    /// The path of the list; names in it are relative to it.
    private let path: String
    private let bytes: [UInt8]

    /// The length up to which a list is read.
    private static let longest = 16 << 20
    /// The length within which the first element of a tree is searched; elements of GStreamer search less.
    private static let headLength = 64 << 10
    private static let longestName = 4096

    /// Returns nil if the path is not a regular file, or not a list.
    ///
    /// - Parameter bounds: reduced by the work that this takes.
    init?(path: String, _ bounds: inout Bounds) {
        guard FileStatus(of: path)?.isFile == true else { return nil }
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        func read(_ count: Int) -> [UInt8] { (try? file.read(upToCount: count)).map { [UInt8]($0) } ?? [] }
        var bytes = read(512)
        guard Self.mayBegin(bytes) else { return nil }
        bytes += read(Self.headLength)
        guard let kind = Self.kind(of: Self.narrow(bytes)[...]) else { return nil }
        bytes += read(max(0, min(Self.longest, bounds.bytes) - bytes.count))
        bytes.removeLast(max(0, bytes.count - bounds.bytes))
        bounds.bytes -= bytes.count
        (self.kind, self.path, self.bytes) = (kind, path, Self.narrow(bytes))
    }

    /// Whether it is an HLS list that elements play, and not a playlist of songs, which begins with the same word.
    var isPlayed: Bool { kind == .hls && bytes.firstRange(of: Self.hlsTag) != nil }

    /// Whether its entries may be lists themselves. An HLS list contains either other lists or pieces of a recording,
    /// each with its length.
    var leadsToLists: Bool { kind != .hls || bytes.firstRange(of: Self.pieceTag) == nil }

    private static let hlsTag = [UInt8]("#EXT-X-".utf8)
    private static let pieceTag = [UInt8]("#EXTINF".utf8)

    // MARK: Its kind

    /// Returns the ASCII form of a UTF-16 list, as Smooth Streaming has them; the names in it are ASCII.
    private static func narrow(_ bytes: [UInt8]) -> [UInt8] {
        let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        return isWide ? bytes.dropFirst(2).filter { $0 != 0 } : bytes
    }

    /// Returns whether a few bytes can begin a list; most files are not lists.
    private static func mayBegin(_ bytes: [UInt8]) -> Bool {
        switch start(of: bytes[...]).first {
        case UInt8(ascii: "#"), UInt8(ascii: "f"), UInt8(ascii: "<"), 0xFF, 0xFE: true
        default: false
        }
    }

    private static func start(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes).drop { isBlank($0) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func kind(of bytes: ArraySlice<UInt8>) -> Kind? {
        let start = start(of: bytes)
        if start.starts(with: "#EXTM3U".utf8) { return .hls }
        if start.starts(with: "ffconcat version".utf8) { return .concat }
        return firstElement(of: start).flatMap { ["MPD", "SmoothStreamingMedia", "svg"].contains($0) ? .tree : nil }
    }

    /// Returns the name of a tree's first element, after declarations and comments.
    private static func firstElement(of bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        while rest.first == UInt8(ascii: "<") {
            let end: [UInt8]
            switch rest.dropFirst().first {
            case UInt8(ascii: "!") where rest.starts(with: "<!--".utf8): end = [UInt8]("-->".utf8)
            case UInt8(ascii: "!"), UInt8(ascii: "?"): end = [UInt8](">".utf8)
            default:
                let name = rest.dropFirst().prefix {
                    !isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
                }
                return String(decoding: name, as: UTF8.self).split(separator: ":").last.map(String.init)
            }
            guard let mark = rest.firstRange(of: end) else { return nil }
            rest = rest[mark.upperBound...].drop { $0 != UInt8(ascii: "<") }
        }
        return nil
    }

    // MARK: Its paths

    /// Returns the paths to which it may refer; many of them do not exist.
    func paths(_ bounds: inout Bounds) -> [String] {
        let names = names(atMost: bounds.files)
        let own = FileIdentity.split(path).folder
        var folders = [own]
        if let real = FileBounds.realPath(path).map({ FileIdentity.split($0).folder }), real != FileBounds.realPath(own)
        {
            folders.append(real)
        }
        // A name that ends in a slash is a BaseURL, to which other names are relative; it may contain another one.
        let bases = kind == .tree ? names.filter { $0.hasSuffix("/") }.sorted().prefix(8) : []
        let nested = bases + bases.flatMap { outer in bases.map { outer + $0 } }
        var places = folders
        for folder in folders { places += nested.flatMap { Self.paths(of: $0, in: folder) } }
        var (found, known) = ([String](), Set<ExactName>())
        for name in names where !name.hasSuffix("/") {
            for path in places.flatMap({ Self.paths(of: name, in: $0) }) where known.insert(ExactName(path)).inserted {
                guard bounds.take() else { return found }
                found += kind == .tree ? Self.fitting(path, below: folders, &bounds) : [path]
            }
        }
        return found
    }

    /// Returns everything in the list that may be the name of a file, each once.
    private func names(atMost most: Int) -> [String] {
        var (names, known) = ([String](), Set<ExactName>())
        func add(_ bytes: ArraySlice<UInt8>) {
            let bytes = Self.trimmed(bytes)
            guard !bytes.isEmpty, bytes.count < Self.longestName, !bytes.contains(0) else { return }
            let name = FileName.text(of: bytes)
            if known.insert(ExactName(name)).inserted { names.append(name) }
        }
        var rest = bytes[...]
        while !rest.isEmpty, names.count < most {
            let end = rest.firstIndex { $0 == 10 || $0 == 13 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...].dropFirst()
            switch kind {
            case .hls where line.first != UInt8(ascii: "#"): add(line)
            case .hls:
                guard let mark = line.firstRange(of: "URI=\"".utf8) else { continue }
                add(line[mark.upperBound...].prefix { $0 != UInt8(ascii: "\"") })
            case .concat, .tree:
                for (start, end) in ["\"\"", "''", "><"].map({ ($0.utf8.first!, $0.utf8.last!) }) {
                    Self.eachPart(of: line, between: start, and: end, add)
                }
                // concat's `file name`, without quotes.
                if kind == .concat { add(line.drop { $0 != 32 }) }
            }
        }
        return names
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop { isBlank($0) }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// Calls `take` with each text between two marks.
    private static func eachPart(
        of line: ArraySlice<UInt8>, between start: UInt8, and end: UInt8, _ take: (ArraySlice<UInt8>) -> Void
    ) {
        var rest = line
        while let first = rest.firstIndex(of: start) {
            rest = rest[(first + 1)...]
            guard let last = rest.firstIndex(of: end) else { return }
            take(rest[..<last])
            rest = rest[(start == end ? last + 1 : last)...]
        }
    }

    /// Returns the paths that a name in a list may mean; the name is an address or a path.
    private static func paths(of name: String, in folder: String) -> [String] {
        var names: Set = [ExactName(name)]
        // The query and the fragment of an address are not a part of the file's name.
        if let mark = name.firstIndex(where: { "?#".contains($0) }) { names.insert(ExactName(String(name[..<mark]))) }
        for name in names { if let plain = name.text.removingPercentEncoding { names.insert(ExactName(plain)) } }
        for scheme in ["file://localhost/", "file:///"] {
            for name in names.map(\.text) where name.hasPrefix(scheme) {
                names.insert(ExactName(String(name.dropFirst(scheme.count - 1))))
            }
        }
        return names.map(\.text).filter { !$0.isEmpty && !$0.contains("\0") && !$0.contains("://") }.sorted().map {
            $0.hasPrefix("/") ? $0 : folder + "/" + $0
        }
    }

    // MARK: Names with placeholders

    /// Returns a path, or the files that match it if it has placeholders, as templates of DASH (`$Number$`) and Smooth
    /// Streaming (`{start time}`) do.
    ///
    /// They are searched only below the list's own folders, and not through links that lead out of these.
    private static func fitting(_ path: String, below own: [String], _ bounds: inout Bounds) -> [String] {
        let pattern = withHoles(path)
        guard let first = pattern.firstIndex(of: hole) else { return [path] }
        let isOwn = { (folder: String) in FileBounds.contain(folder, own.compactMap(FileBounds.realPath)) }
        let begin = pattern[..<first].lastIndex(of: "/") ?? pattern.startIndex
        var found = [begin == pattern.startIndex ? "/" : String(pattern[..<begin])]
        for part in pattern[begin...].split(separator: "/") {
            guard part != ".." else { return [] }
            found = found.filter(isOwn).flatMap { folder in
                part.contains(hole)
                    ? entries(of: folder, fitting: part, &bounds).map { folder + "/" + $0 } : [folder + "/" + part]
            }
        }
        return found
    }

    /// Stands for a placeholder, because no path contains it.
    private static let hole: Character = "\0"

    private static func withHoles(_ path: String) -> String {
        var pattern = path
        for (start, end) in [("$", "$"), ("{", "}")] as [(Character, Character)] {
            while let first = pattern.firstIndex(of: start),
                let last = pattern[pattern.index(after: first)...].firstIndex(of: end)
            { pattern.replaceSubrange(first...last, with: [hole]) }
        }
        return pattern
    }

    private static func entries(of folder: String, fitting part: Substring, _ bounds: inout Bounds) -> [String] {
        let pattern = part.map { $0 == hole ? "*" : "\\[?*".contains($0) ? "\\\($0)" : String($0) }.joined()
        var names: [String] = []
        for name in FileName.names(inFolder: folder) ?? [] {
            guard bounds.take() else { break }
            let fits = FileName.withCName(name) { name in
                FileName.withCName(pattern) { fnmatch($0, name, FNM_PERIOD) }
            }
            if fits == 0 { names.append(name) }
        }
        return names
    }
}
