import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextSpotting

/// The access rights of the assistant: recordings of the index, everything below the allowed folders, and the allowed
/// addresses.
struct MCPAccess: Sendable {
    /// The folders without links, and without a `/` at the end.
    let folders: [String]
    /// Addresses, or their beginnings.
    let addresses: [String]

    /// The largest length of a name, in bytes.
    private static let longest = 4096

    /// - Parameter allowed: folders, files and devices, and addresses with a scheme.
    /// - Throws: ``FramegrepError`` (`badArgument`) for anything else.
    init(allowing allowed: [String]) throws {
        var (folders, addresses): ([String], [String]) = ([], [])
        for text in allowed {
            if let scheme = Self.scheme(text), scheme != "file" {
                guard text.contains("://"), URLComponents(string: text)?.scheme != nil else {
                    throw FramegrepError(.badArgument, "--allow: '\(text)' is neither an address nor a folder.")
                }
                addresses.append(text)
                continue
            }
            guard let path = FileBounds.realPath(text), !path.contains("\n") else {
                throw FramegrepError(.badArgument, "--allow: there is no folder \(text); name one that is there.")
            }
            folders.append(path)
        }
        (self.folders, self.addresses) = (folders, addresses)
    }

    /// Something that may be opened.
    enum Place: Hashable, Sendable {
        /// A file or a device, by its path without links.
        case file(String)
        case address(String)
        /// Only its text in the index: it was read live, or came from an address that was not allowed.
        case remembered(String)

        var name: String {
            switch self {
            case .file(let name), .address(let name), .remembered(let name): name
            }
        }
    }

    /// Returns the meaning of a name.
    ///
    /// - Parameter sources: the recordings of the index.
    /// - Throws: ``FramegrepError`` (`sourceUnavailable`), the same for missing and forbidden files, so that names
    ///   outside cannot be guessed.
    func place(_ name: String, among sources: [IndexedSource]) throws -> Place {
        guard !name.isEmpty, name.utf8.count <= Self.longest, !name.unicodeScalars.contains("\0") else {
            throw FramegrepError(.badArgument, "A recording's name has 1 to \(Self.longest) bytes, and no zero in it.")
        }
        // Compare with the form that the tools write, in which bytes that are not text, and characters that could
        // control a terminal, are visible.
        if let source = sources.first(where: {
            [$0.name, PlainText.text($0.name)].map(ExactName.init).contains(ExactName(name))
        }) {
            return try place(of: source)
        }
        if Self.scheme(name) != nil {
            guard addresses.contains(where: { Self.leads($0, to: name) }) else { throw refusal(of: name) }
            return .address(name)
        }
        guard let path = FileBounds.realPath(name),
            FileBounds.contain(path, folders) || sources.contains(where: { ExactName($0.name) == ExactName(path) })
        else { throw refusal(of: name) }
        return try file(path)
    }

    /// Rejects pipes, because opening one would wait for its writer.
    private func file(_ path: String) throws -> Place {
        if PipeInput.isReadOnce(try SourceURI(path)) {
            throw FramegrepError(
                .sourceUnavailable,
                "'\(PlainText.text(path))' is a pipe or a device, not a recording that can be read again.")
        }
        return .file(path)
    }

    /// Returns how a recording of the index may be opened.
    private func place(of source: IndexedSource) throws -> Place {
        guard source.stamp != nil else {
            let isAllowed = !source.isLive && addresses.contains { Self.leads($0, to: source.name) }
            return isAllowed ? .address(source.name) : .remembered(source.name)
        }
        // The catalog has paths without links: if a link has replaced a file since, it is another file.
        let real = FileBounds.realPath(source.name)
        guard real.map({ ExactName($0) == ExactName(source.name) }) ?? true || FileBounds.contain(source.name, folders)
        else {
            throw refusal(of: source.name)
        }
        return try file(source.name)
    }

    private func refusal(of name: String) -> FramegrepError {
        FramegrepError(
            .sourceUnavailable,
            "'\(PlainText.text(String(name.prefix(300))))' is not a recording that may be read: it is not in the index, and "
                + (folders.isEmpty && addresses.isEmpty
                    ? "nothing else was allowed. To allow more, start 'framegrep mcp' with --allow FOLDER."
                    : "not below what was allowed (or not there). list_recordings names what there is."))
    }

    /// Returns the scheme of an address, in lower case; nil for a path. A path that has a colon before its first slash
    /// must be written with `./`.
    private static func scheme(_ text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon]
        guard let first = scheme.first, first.isASCII, first.isLetter,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return scheme.lowercased()
    }

    /// Returns whether an allowed address, or beginning of addresses, includes another one: same scheme, host and port,
    /// and the same path or one below it.
    static func leads(_ allowed: String, to name: String) -> Bool {
        guard let a = URLComponents(string: allowed), let b = URLComponents(string: name),
            let scheme = a.scheme?.lowercased(), scheme == b.scheme?.lowercased(), scheme != "file",
            a.host?.lowercased() == b.host?.lowercased(), a.port == b.port, a.user == b.user, a.password == b.password
        else { return false }
        // A path can be written in many ways; only the plain ones are accepted.
        guard !b.path.split(separator: "/").contains(".."), !b.path.contains("\\") else { return false }
        let path = a.path.hasSuffix("/") ? String(a.path.dropLast()) : a.path
        return b.path == path || b.path == a.path || b.path.hasPrefix(path + "/")
    }
}
