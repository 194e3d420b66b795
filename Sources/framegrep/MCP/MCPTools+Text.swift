import Errors
import Page
import TextIndex
import TextSpotting

/// `read_text`, and the resources, which are the same as plain text.
extension MCPTools {
    func readText(_ arguments: MCPArguments, _ progress: MCPProgress) async throws -> JSONValue {
        let name = try arguments.neededText("recording")
        let (from, to) = try Self.times(arguments)
        let limit = try arguments.whole("limit", in: 1...1000) ?? 200
        let cursor = try arguments.text("cursor")
        let snapshot = try snapshot()
        let place = try access.place(name, among: snapshot.sources)
        let key = "read_text \(arguments.question) \(Self.stamp(of: snapshot))"
        var known = answers.recall(key)
        if known == nil {
            let fresh = try await lines(of: place, from: from, to: to, snapshot, progress)
            if cursor != nil || fresh.items.count > limit { answers.keep(fresh, of: key) }
            known = fresh
        }
        let all = known ?? .init(items: [])
        let page = try MCPPage.cut(all.items, after: cursor, most: limit, of: arguments.question)
        var fields = all.rest
        fields["recording"] = .seen(place.name)
        fields["lines"] = .array(Array(page.items))
        fields["total"] = .integer(all.items.count)
        if let next = page.next { fields["next_cursor"] = .string(next) }
        return Self.result(fields, wasRead: !page.items.isEmpty)
    }

    private func lines(
        of place: MCPAccess.Place, from: StreamTime?, to: StreamTime?, _ snapshot: IndexView.Snapshot,
        _ progress: MCPProgress
    ) async throws -> MCPAnswers.Answer {
        if let source = indexed(place, in: snapshot) {
            let found = try await blocking { [self] isCancelled in
                try lines(of: source, from: from, to: to, snapshot, isCancelled)
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
        var words = ["find", "--all-text", "--format", "jsonl", "--no-index"]
        if let from { words.append("--from=\(from.seconds)") }
        if let to { words.append("--to=\(to.seconds)") }
        let read = try await read(words, [place], type: "text", progress)
        var answer = MCPAnswers.Answer(items: read.items, rest: ["from_index": false])
        if !read.messages.isEmpty { answer.rest["messages"] = .array(read.messages.map(JSONValue.seen)) }
        return answer
    }

    /// All lines of a recording in the index, each once for as long as it stands there.
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

    /// No resource is longer, in bytes.
    private static let longestResource = 1 << 20

    func resources(after cursor: String?) async throws -> JSONValue {
        let sources = try snapshot().sources
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

    /// The bytes of the name, of which those that are no letters and digits are escaped.
    private static func address(of source: IndexedSource) -> String {
        let path = FileName.bytes(of: source.name).map { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || "/-_.".contains(character))
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return scheme + (path.hasPrefix("/") ? "" : "/") + path
    }

    /// - Parameter missing: the code of the error for what is not there.
    func resource(_ uri: String, missing: Int) async throws -> JSONValue {
        let snapshot = try snapshot()
        guard let source = snapshot.sources.first(where: { Self.address(of: $0) == uri }) else {
            throw MCPError(
                code: missing, message: "There is no such resource.", data: ["uri": .seen(String(uri.prefix(1000)))])
        }
        let found = try await blocking { [self] isCancelled in
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
