import Errors
import Foundation
import GStreamerMedia
import Page
import Spotter
import TextIndex
import TextSpotting

/// `list_recordings` and `index`.
extension MCPTools {
    func listRecordings(_ arguments: MCPArguments) async throws -> JSONValue {
        let part = try arguments.text("name_contains")?.lowercased()
        let limit = try arguments.whole("limit", in: 1...500) ?? 100
        let snapshot = try snapshot()
        let known = snapshot.sources + snapshot.failed
        var all = known.map { ($0.name, Self.describe($0)) }
        let names = Set(known.map(\.name))
        let (files, isCut) = try await blocking { [access] _ in Self.media(below: access.folders) }
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

    private static func describe(_ source: IndexedSource) -> JSONValue {
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
        if let lack = source.lack { fields["lack"] = .seen(lack.text) }
        return .object(fields)
    }

    /// No more files are looked at.
    private static let mostFiles = 20_000

    /// Recordings and pictures below some folders, without links; and whether there are more.
    static func media(below folders: [String]) -> (paths: [String], isCut: Bool) {
        var (paths, looked) = (Set<String>(), 0)
        for folder in folders {
            guard FolderWalk.isFolder(folder) else {
                if MediaNames.isMedia(folder) { paths.insert(folder) }
                continue
            }
            let keys: [URLResourceKey] = [.isRegularFileKey, .isSymbolicLinkKey]
            let walk = FileManager.default.enumerator(
                at: URL(fileURLWithPath: folder), includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
            while let url = walk?.nextObject() as? URL {
                looked += 1
                if looked > mostFiles { return (paths.sorted(), true) }
                guard MediaNames.isMedia(url.lastPathComponent),
                    let values = try? url.resourceValues(forKeys: Set(keys)), values.isRegularFile == true,
                    values.isSymbolicLink != true
                else { continue }
                paths.insert(url.path)
            }
        }
        return (paths.sorted(), false)
    }

    func index(_ arguments: MCPArguments, _ progress: MCPProgress) async throws -> JSONValue {
        let named = try arguments.neededTexts("recordings", most: 100)
        let skims = try arguments.flag("skim")
        let before = try snapshot()
        let places = try named.map { try access.place($0, among: before.sources) }
        // A folder is taken apart here: within one, links lead anywhere.
        let files = try places.flatMap { place -> [String] in
            guard case .file(let path) = place, FolderWalk.isFolder(path) else { return try Self.opened([place]) }
            return Self.media(below: [path]).paths
        }
        guard !files.isEmpty else {
            throw FramegrepError(.sourceUnavailable, "There is no recording in what was named.")
        }
        guard files.count <= 5000 else {
            throw FramegrepError(.badArgument, "These are \(files.count) recordings; index at most 5000 at a time.")
        }
        let report = Self.reporter(progress)
        let words = ["index", "add", "--index", view.folder.path] + (skims ? ["--skim"] : [])
        let outcome = try await alone {
            try await run(words + ["--"] + files) { line in
                if case .progress(let line) = line { report(line) }
            }
        }
        let after = try snapshot()
        let wanted = Set(files)
        let read = (after.sources + after.failed).filter { wanted.contains($0.name) }
        guard outcome.status < 2 || !read.isEmpty else {
            throw FramegrepError(.sourceDamaged, outcome.messages.joined(separator: " "))
        }
        return Self.result(
            [
                "recordings": .array(read.prefix(500).map(Self.describe)), "total": .integer(read.count),
                "messages": .array(outcome.messages.map(JSONValue.seen)),
            ], wasRead: false)
    }
}
