import Errors
import Foundation
import GStreamerMedia
import Page
import Spotter
import TextIndex
import TextSpotting

/// The tools `list_recordings` and `index`.
extension MCPTools {
    func listRecordings(_ arguments: MCPArguments) async throws -> JSONValue {
        let part = try arguments.text("name_contains")?.lowercased()
        let limit = try arguments.whole("limit", in: 1...500) ?? 100
        let snapshot = try await snapshot()
        let known = snapshot.sources + snapshot.failed
        let lacks = try await Blocking.run { _ in IndexedSource.lacks(of: known) }
        var all = known.map { ($0.name, Self.describe($0, lack: lacks[$0.id])) }
        let names = Set(known.map(\.name))
        let (files, isCut) = try await Blocking.run { [access] _ in Self.media(below: access.folders) }
        all += files.filter { !names.contains($0) }.map { ($0, ["recording": .seen($0), "in_index": false]) }
        if let part { all.removeAll { !$0.0.lowercased().contains(part) } }
        all.sort { $0.0 < $1.0 }
        let page = try MCPPage.cut(all, after: try arguments.text("cursor"), most: limit, of: arguments.question)
        var fields: [String: JSONValue] = [
            "recordings": .array(page.items.map(\.1)), "total": .integer(all.count),
            "allowed": .array((access.folders + access.addresses.map { redacted($0) }).map(JSONValue.seen)),
        ]
        if let next = page.next { fields["next_cursor"] = .string(next) }
        if isCut { fields["messages"] = ["There are more files than were looked at; allow a smaller folder."] }
        return Self.result(fields, wasRead: false)
    }

    private static func describe(_ source: IndexedSource, lack: IndexedSource.Lack?) -> JSONValue {
        var fields: [String: JSONValue] = [
            "recording": .seen(source.name), "in_index": .bool(source.state != .failed),
            "state": .string(source.state.rawValue), "read_until": .rounded(source.end.seconds, decimals: 3),
        ]
        if let duration = source.duration { fields["seconds"] = .rounded(duration.seconds, decimals: 3) }
        if source.isStill { fields["still"] = true }
        if source.isLive { fields["live"] = true }
        if source.isSkimmed { fields["skimmed"] = true }
        if let wall = source.wallStart { fields["wall_start"] = .string(WallTime.text(wall)) }
        if let problem = source.problem { fields["problem"] = .seen(problem) }
        if let lack { fields["lack"] = .seen(lack.text) }
        return .object(fields)
    }

    /// The largest number of files that are examined.
    private static let mostFiles = 20_000

    /// Returns recordings and pictures below some folders, without following links, and whether there are more.
    static func media(below folders: [String]) -> (paths: [String], isCut: Bool) {
        var (paths, looked) = (Set<ExactName>(), 0)
        for folder in folders {
            guard FolderWalk.isFolder(folder) else {
                if MediaNames.isMedia(folder) { paths.insert(ExactName(folder)) }
                continue
            }
            let keys: [URLResourceKey] = [.isRegularFileKey, .isSymbolicLinkKey]
            let walk = FileManager.default.enumerator(
                at: URL(fileURLWithPath: folder), includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
            while let url = walk?.nextObject() as? URL {
                looked += 1
                if looked > mostFiles { return (paths.map(\.text).sorted(), true) }
                guard MediaNames.isMedia(url.lastPathComponent),
                    let values = try? url.resourceValues(forKeys: Set(keys)), values.isRegularFile == true,
                    values.isSymbolicLink != true
                else { continue }
                paths.insert(ExactName(url.path))
            }
        }
        return (paths.map(\.text).sorted(), false)
    }

    func index(_ arguments: MCPArguments, _ progress: MCPProgress) async throws -> JSONValue {
        let named = try arguments.neededTexts("recordings", most: 100)
        let skims = try arguments.flag("skim")
        let before = try await snapshot()
        let places = try await places(named, among: before.sources)
        // Folders are listed here, because links inside them may lead anywhere.
        let files = try await Blocking.run { _ in
            try places.flatMap { place -> [String] in
                guard case .file(let path) = place, FolderWalk.isFolder(path) else { return try Self.opened([place]) }
                return Self.media(below: [path]).paths
            }
        }
        guard !files.isEmpty else {
            throw FramegrepError(.sourceUnavailable, "None of the names is that of a recording.")
        }
        guard files.count <= 5000 else {
            throw FramegrepError(.badArgument, "These are \(files.count) recordings; index at most 5000 at a time.")
        }
        let report = Self.reporter(progress)
        let job = JobPlan(.index(folder: view.folder.path, skims: skims), of: files)
        let outcome = try await alone {
            try await run(job) { line in
                if case .progress(let line) = line { report(line) }
            }
        }
        let after = try await snapshot()
        let wanted = Set(files.map(ExactName.init))
        let read = (after.sources + after.failed).filter { wanted.contains(ExactName($0.name)) }
        guard outcome.status < 2 || !read.isEmpty else {
            throw FramegrepError(.sourceDamaged, outcome.messages.joined(separator: " "))
        }
        let lacks = try await Blocking.run { _ in IndexedSource.lacks(of: read) }
        return Self.result(
            [
                "recordings": .array(read.prefix(500).map { Self.describe($0, lack: lacks[$0.id]) }),
                "total": .integer(read.count),
                "messages": .array(outcome.messages.map(JSONValue.seen)),
            ], wasRead: false)
    }
}

/// The tool `read_text`, and the resources, which contain the same as plain text.
extension MCPTools {
    func readText(_ arguments: MCPArguments, _ progress: MCPProgress) async throws -> JSONValue {
        let name = try arguments.neededText("recording")
        let part = try Self.times(arguments)
        let limit = try arguments.whole("limit", in: 1...1000) ?? 200
        let snapshot = try await snapshot()
        let place = try await place(name, among: snapshot.sources)
        return try await page(
            of: "lines", arguments, most: limit, snapshot, adding: ["recording": .seen(place.name)]
        ) {
            try await lines(of: place, in: part, snapshot, progress)
        }
    }

    private func lines(
        of place: MCPAccess.Place, in part: JobPlan.Part, _ snapshot: IndexView.Snapshot, _ progress: MCPProgress
    ) async throws -> MCPAnswer {
        if let source = indexed(place, in: snapshot) {
            let found = try await Blocking.run { [self] isCancelled in
                try lines(of: source, from: part.from, to: part.to, snapshot, isCancelled)
            }
            return .init(
                items: found.map { line in
                    [
                        "text": .seen(String(line.text.prefix(Self.longestLine))), "origin": "picture",
                        "start": .rounded(line.start.seconds, decimals: 3),
                        "end": .rounded(line.end.seconds, decimals: 3),
                        "score": .rounded(line.confidence, decimals: 3),
                    ]
                }, rest: ["from_index": true])
        }
        let read = try await read(.readText(in: part), [place], type: "text", progress)
        var answer = MCPAnswer(items: read.items, rest: ["from_index": false])
        if !read.messages.isEmpty { answer.rest["messages"] = .array(read.messages.map(JSONValue.seen)) }
        return answer
    }

    /// Returns all lines of a recording in the index, each once for as long as it was there.
    func lines(
        of source: IndexedSource, from: StreamTime?, to: StreamTime?, _ snapshot: IndexView.Snapshot,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> [TextIndex.Text] {
        let all = try snapshot.index?.texts(of: source.id, isCancelled: isCancelled) ?? []
        if isCancelled() { throw CancellationError() }
        return all.filter { line in (from.map { line.end > $0 } ?? true) && (to.map { line.start < $0 } ?? true) }
    }

    // MARK: Resources

    static let scheme = "framegrep://recording"

    /// The largest length of a resource, in bytes.
    private static let longestResource = 1 << 20

    func resources(after cursor: String?) async throws -> JSONValue {
        let sources = try await snapshot().sources
        let page: (items: ArraySlice<IndexedSource>, next: String?)
        do { page = try MCPPage.cut(sources, after: cursor, most: 100, of: "resources") } catch {
            throw MCPError.invalidParams(error.message)
        }
        var fields: [String: JSONValue] = [
            "resources": .array(
                page.items.map { source in
                    [
                        "uri": .string(Self.address(of: source)),
                        "name": .seen(source.name.split(separator: "/").last.map(String.init) ?? source.name),
                        "title": .seen(source.name), "mimeType": "text/plain",
                        "description": .string(
                            "All text read in \(CoverageReport.hours(source.end.seconds)) of this recording."),
                    ]
                }), "ttlMs": 0, "cacheScope": "private",
        ]
        if let next = page.next { fields["nextCursor"] = .string(next) }
        return .object(fields)
    }

    /// Returns the bytes of the name, escaped unless they are letters or digits.
    private static func address(of source: IndexedSource) -> String {
        let path = FileName.bytes(of: source.name).map { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || "/-_.".contains(character))
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return scheme + (path.hasPrefix("/") ? "" : "/") + path
    }

    /// - Parameter missing: the code of the error for a missing resource.
    func resource(_ uri: String, missing: Int) async throws -> JSONValue {
        let snapshot = try await snapshot()
        guard let source = snapshot.sources.first(where: { Self.address(of: $0) == uri }) else {
            throw MCPError(
                code: missing, message: "There is no such resource.", data: ["uri": .seen(String(uri.prefix(1000)))])
        }
        let found = try await Blocking.run { [self] isCancelled in
            try lines(of: source, from: nil, to: nil, snapshot, isCancelled)
        }
        var text = Self.warning + "\n\n"
        for seen in found {
            guard text.utf8.count < Self.longestResource else {
                text += "… and more; read_text has all of it, page by page.\n"
                break
            }
            let line = PlainText.text(String(seen.text.prefix(Self.longestLine)))
            text += "\(ClockTime.text(seen.start))-\(ClockTime.text(seen.end)): \(line)\n"
        }
        return [
            "contents": [["uri": .string(uri), "mimeType": "text/plain", "text": .string(text)]], "ttlMs": 0,
            "cacheScope": "private",
        ]
    }
}
