import Foundation
import TextSpotting

/// The files to which a recording leads that is a list: of HLS, DASH or Smooth Streaming, of ffmpeg's concat, or a drawing with pictures in it.
///
/// Only the element that reads a list knows for sure what it will open, so this takes rather too much than too little for the name of a
/// file: each line, each text in quotes and between tags. Names with holes (`$Number$`, `{start time}`) stand for all files that fit.
struct ListedFiles {
    private struct List {
        let path: String
        let depth: Int
    }

    /// A list that is longer is read up to there.
    private static let longest = 16 << 20
    /// Lists lead to lists; a circle of them ends here.
    private static let deepest = 5
    private static let headLength = 1024
    /// No more files than this are collected.
    private static let most = 200_000

    /// - Parameter path: of an input, list or not; one that is no ordinary file leads nowhere.
    /// - Returns: paths that may lead to nothing.
    static func files(listedBy path: String) -> [String] {
        var (found, seen) = (Set<String>(), Set<FileIdentity>())
        var lists = [List(path: path, depth: 0)]
        while let list = lists.popLast(), found.count < most {
            guard let identity = FileIdentity(ofFileAt: list.path), seen.insert(identity).inserted,
                let text = text(of: list.path)
            else { continue }
            for file in files(in: text, besides: list.path) where found.insert(file).inserted {
                if list.depth < deepest { lists.append(List(path: file, depth: list.depth + 1)) }
            }
        }
        return found.sorted()
    }

    /// Nil if it is not an ordinary file, or no text.
    private static func text(of path: String) -> String? {
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard var bytes = try? file.read(upToCount: headLength).map({ [UInt8]($0) }) else { return nil }
        // Smooth Streaming has lists of UTF-16, in which names are ASCII.
        let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        guard isWide || bytes.allSatisfy({ $0 >= 32 || [9, 10, 12, 13].contains($0) }) else { return nil }
        if let rest = try? file.read(upToCount: longest) { bytes += [UInt8](rest) }
        return FileName.text(of: isWide ? bytes.filter { $0 != 0 } : bytes)
    }

    /// The files that a text may name.
    private static func files(in text: String, besides list: String) -> Set<String> {
        var names = Set<String>()
        for line in text.split(whereSeparator: \.isNewline) {
            names.insert(line.trimmingCharacters(in: .whitespaces))
            names.formUnion(parts(of: line, between: "\"", and: "\""))
            names.formUnion(parts(of: line, between: "'", and: "'"))
            names.formUnion(parts(of: line, between: ">", and: "<"))
            // `file name` of concat, without quotes.
            if let space = line.firstIndex(of: " ") { names.insert(String(line[line.index(after: space)...])) }
        }
        names = names.filter { !$0.isEmpty && $0.utf8.count < 4096 && !$0.hasPrefix("#") }
        let here = [FileIdentity.split(list).folder, realFolder(of: list)]
        // What ends in a slash is where other names begin: a BaseURL, and one in it.
        let bases = isTree(text) ? names.filter { $0.hasSuffix("/") }.sorted().prefix(8) : []
        let nested = bases + bases.flatMap { outer in bases.map { outer + $0 } }
        let folders = Set(here.flatMap { folder in [folder] + nested.flatMap { paths(of: $0, in: folder) } })
        return Set(
            names.filter { !$0.hasSuffix("/") }.flatMap { name in folders.flatMap { paths(of: name, in: $0) } })
    }

    /// Written as XML, in which addresses may stand within others.
    private static func isTree(_ text: String) -> Bool {
        text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" && FileName.byte(of: $0) == nil }
            == "<"
    }

    /// Returns each text between two marks.
    private static func parts(of line: Substring, between start: Character, and end: Character) -> [String] {
        var (found, rest) = ([String](), line)
        while let first = rest.firstIndex(of: start) {
            rest = rest[rest.index(after: first)...]
            guard let last = rest.firstIndex(of: end) else { break }
            found.append(rest[..<last].trimmingCharacters(in: .whitespaces))
            rest = rest[(start == end ? rest.index(after: last) : last)...]
        }
        return found
    }

    /// The paths for which a name in a list may stand, which is an address, or the text of a path.
    private static func paths(of name: String, in folder: String) -> [String] {
        var names: Set<String> = [name]
        // What an address has behind a path says nothing of the file.
        if let mark = name.firstIndex(where: { "?#".contains($0) }) { names.insert(String(name[..<mark])) }
        for name in names { if let plain = name.removingPercentEncoding { names.insert(plain) } }
        for scheme in ["file://localhost/", "file:///"] {
            for name in names where name.hasPrefix(scheme) { names.insert(String(name.dropFirst(scheme.count - 1))) }
        }
        return names.filter { !$0.isEmpty && !$0.contains("\0") }.flatMap { name in
            fitting(name.hasPrefix("/") ? name : folder + "/" + name)
        }
    }

    /// A path, or those that fit where it has holes, as templates of DASH and Smooth Streaming have.
    private static func fitting(_ path: String) -> [String] {
        var pattern = path
        for (start, end) in [("$", "$"), ("{", "}")] as [(Character, Character)] {
            while let first = pattern.firstIndex(of: start),
                let last = pattern[pattern.index(after: first)...].firstIndex(of: end)
            { pattern.replaceSubrange(first...last, with: "*") }
        }
        guard pattern != path else { return [path] }
        var found = glob_t()
        defer { globfree(&found) }
        guard FileName.withCName(pattern, { glob($0, GLOB_NOSORT, nil, &found) }) == 0 else { return [path] }
        return [path] + (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { FileName.text(ofCName: $0) } }
    }

    /// The folder of the file that a link leads to.
    private static func realFolder(of path: String) -> String {
        guard let real = FileName.withCName(path, { realpath($0, nil) }) else { return "." }
        defer { free(real) }
        return FileIdentity.split(FileName.text(ofCName: real)).folder
    }
}
