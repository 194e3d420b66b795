import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting

/// The routes below `/api/`.
extension PageService {
    func apiAnswer(_ parts: [String], _ query: QueryItems, _ session: String) async throws -> PageResponse {
        switch parts.first {
        case "search" where parts.count == 1: return try await searchAnswer(query)
        case "timeline" where parts.count == 1: return try await timelineAnswer(query)
        case "coverage" where parts.count == 1: return try await coverageAnswer()
        case "sources" where parts.count == 1: return try await sourcesAnswer(query)
        case "watches" where parts.count == 1: return watchesAnswer()
        case "stream" where parts.count == 1: return try streamAnswer(query, session)
        case "sightings" where parts.count == 2 || parts.count == 3:
            return try await sightingAnswer(parts[1], parts.count == 3 ? parts[2] : nil, query)
        default: throw Self.notFound
        }
    }

    // MARK: Searching

    private func searchAnswer(_ query: QueryItems) async throws -> PageResponse {
        let question = try SearchQuestion(query, others: ["limit", "soon", "sources"])
        let limit = try SearchQuestion.number("limit", query, in: 0...1_000_000)
        let isSoon = try SearchQuestion.flag("soon", query)
        let describes = try SearchQuestion.flag("sources", query)
        // This finds text that was seen a moment ago too.
        await live.keep()
        let start = ContinuousClock.now
        var headers = [(name: "Content-Type", value: "application/x-ndjson")]
        let lines: FoundLines
        if isSoon {
            // The number of sightings is known only at the end.
            lines = try await search.begin(question, limit: limit, describes: describes) { [counters] in
                counters.noteSearch(since: start)
            }
        } else {
            let answer = try await search.answer(question)
            counters.noteSearch(since: start)
            headers.append(("Framegrep-Sightings", String(answer.count)))
            lines = FoundLines(FoundSightings(answer, limit: limit), describes: describes)
        }
        return PageResponse(status: 200, headers: headers, body: .chunks(lines, length: nil))
    }

    private func timelineAnswer(_ query: QueryItems) async throws -> PageResponse {
        let question = try SearchQuestion(query, others: ["bins", "rows"])
        let count = try SearchQuestion.number("bins", query, in: 1...2000) ?? 200
        let most = try SearchQuestion.number("rows", query, in: 0...1_000_000) ?? .max
        let answer = try await search.answer(question)
        let sources = answer.sources.filter { answer.sightings[$0.id]?.isEmpty == false }
        let rows = sources.prefix(most).map { source in
            let sightings = answer.sightings[source.id] ?? []
            let seconds = source.length
            var bins = TimelineBins(count: count, seconds: seconds)
            for sighting in sightings { bins.add(from: sighting.start.seconds, to: sighting.end.seconds) }
            var row = JSONObject()
            row.add("id", SourceNumber.text(source.id))
            row.add("source", source.name)
            row.add("seconds", seconds, decimals: 3)
            row.add("read", source.end.seconds, decimals: 3)
            row.add("sightings", sightings.count)
            row.add("counts", list: bins.counts.map(String.init))
            return row.text
        }
        var object = JSONObject(type: "timeline")
        object.add("bins", count)
        object.add("sightings", answer.count)
        object.add("recordings", sources.count)
        object.add("rows", list: rows)
        return .json(object.text)
    }

    // MARK: What there is

    private func coverageAnswer() async throws -> PageResponse {
        let snapshot = try await view.current()
        let lacks = try await looks.run { _ in TextIndex.Answer().lacks(of: snapshot.sources) }
        let missing = snapshot.failed.map { ($0, IndexedSource.Lack.unread($0.problem)) } + lacks
        let answer = SearchAnswer(
            sources: snapshot.sources, sightings: [:], missing: missing, folder: view.folder.path)
        return .json(answer.coverage)
    }

    /// All recordings, or those of some numbers (`id`), or only files (`file=1`), at most `limit`.
    private func sourcesAnswer(_ query: QueryItems) async throws -> PageResponse {
        let ids = try Set(query.values("id").map { id throws(PageProblem) in try SourceNumber.id(id) })
        let isFile = try SearchQuestion.flag("file", query)
        let limit = try SearchQuestion.number("limit", query, in: 0...1_000_000) ?? .max
        let all = try await view.current().sources.lazy.filter {
            (ids.isEmpty || ids.contains($0.id)) && (!isFile || $0.stamp != nil)
        }
        let sources = Array(all.prefix(limit))
        let lacks = try await looks.run { _ in IndexedSource.lacks(of: sources) }
        return LineChunks.response(sources.lazy.map { $0.line(lack: lacks[$0.id]) })
    }

    // MARK: One sighting

    /// - Parameters:
    ///   - name: the recording's number, a dash, and the number of the sighting in it.
    ///   - part: the requested part; nil for the sighting itself.
    private func sightingAnswer(_ name: String, _ part: String?, _ query: QueryItems) async throws -> PageResponse {
        let halves = name.split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, let number = Int(halves[1]), number > 0 else { throw Self.notFound }
        let id = try SourceNumber.id(halves[0])
        guard let source = try await view.current().source(id) else { throw Self.notFound }
        let question = try SearchQuestion(query, others: part == "picture" ? ["width", "box", "around"] : [])
        switch part {
        case nil:
            let sighting = try await search.sighting(number, in: id, question)
            return .json(
                JSONLinesFormatter().format(
                    sighting, source: source.name, wallStart: source.wallTime(of: sighting)))
        case "boxes":
            let sighting = try await search.boxes(of: number, in: id, question)
            return LineChunks.response(JSONLinesFormatter.boxes(of: sighting, source: source.name))
        case "picture":
            let sighting = try await search.sighting(number, in: id, question)
            let time = source.isStill ? nil : sighting.peak.time.start.seconds
            return try await pictureAnswer(source, at: time, query, of: sighting)
        default: throw Self.notFound
        }
    }
}

extension IndexedSource {
    /// The length in seconds: the stated length, or the time up to which it was read if that is longer.
    var length: Double { isStill ? 0 : max(end.seconds, duration?.seconds ?? 0) }

    /// Returns it as a line of `/api/sources`.
    func line(lack: Lack?) -> String {
        var object = JSONObject(type: "source")
        object.add("id", SourceNumber.text(id))
        object.add("source", name)
        object.add("state", state.rawValue)
        object.add("manner", manner)
        object.add("seconds", length, decimals: 3)
        object.add("read", end.seconds, decimals: 3)
        object.add("still", isStill)
        object.add("media", MediaType.of(fileNamed: name))
        // Recordings that are not files of this machine are found but cannot be shown.
        object.add("file", stamp != nil)
        if let lack { object.add("trouble", lack.text) }
        return object.text
    }
}

/// Lines that are produced as they are sent.
final class LineChunks: ChunkSource {
    // @unchecked: one task requests one piece after the other.
    private final class Lines: @unchecked Sendable {
        var iterator: any IteratorProtocol<String>
        init(_ iterator: any IteratorProtocol<String>) { self.iterator = iterator }

        func next() -> [UInt8]? {
            var bytes: [UInt8] = []
            while bytes.count < 32 << 10, let line = iterator.next() {
                bytes += line.utf8
                bytes.append(0x0A)
            }
            return bytes.isEmpty ? nil : bytes
        }
    }

    private let lines: Lines

    init(_ lines: some Sequence<String>) { self.lines = Lines(lines.makeIterator()) }

    func next() async throws -> [UInt8]? { lines.next() }

    static func response(_ lines: some Sequence<String>) -> PageResponse {
        PageResponse(
            status: 200, headers: [("Content-Type", "application/x-ndjson")],
            body: .chunks(LineChunks(lines), length: nil))
    }
}

/// The routes of watched sources, and those that change something.
extension PageService {
    /// `GET /api/watches`: the searched words, and each source.
    func watchesAnswer() -> PageResponse {
        let words = LiveManager.object(of: live.words).text
        let sources = live.sources.map { source in
            let known = source.known
            var object = JSONObject(type: "watched")
            object.add("id", source.number)
            object.add("source", source.name)
            object.add("state", known.state)
            object.add("message", known.message)
            object.add("sightings", known.sightings)
            object.add("fps_in", known.framesIn, decimals: 1)
            object.add("fps_read", known.framesRead, decimals: 1)
            object.add("remembered", live.remembers)
            return object.text
        }
        return LineChunks.response([words] + sources)
    }

    /// `GET /api/stream`: all sources at once, frames and events (``ViewerRecord``), without end.
    func streamAnswer(_ query: QueryItems, _ session: String) throws -> PageResponse {
        let known: Set = ["codec", "size"]
        if let other = query.items.first(where: { !known.contains($0.name) }) {
            throw PageProblem(400, "Nothing here is called '\(other.name.prefix(40))'.")
        }
        let codec = query.values("codec").last ?? FrameEncoder.Kind.h264.rawValue
        guard let kind = FrameEncoder.Kind(rawValue: codec) else {
            throw PageProblem(400, "codec is h264 or jpeg.")
        }
        let size = try SearchQuestion.number("size", query, in: 160...1920) ?? 1280
        return PageResponse(
            status: 200, headers: [("Content-Type", "application/vnd.framegrep.stream")],
            body: .chunks(try live.look(kind, longestSide: size, while: watch(over: session)), length: nil))
    }

    // MARK: What changes something

    func postAnswer(_ parts: [String], _ request: PageRequest, _ session: String) async throws -> PageResponse {
        if parts == ["api", "session", "end"] { return endSession(session) }
        if parts.prefix(2) == ["api", "redactions"] {
            return try await redactionChange(Array(parts.dropFirst(2)), request, session)
        }
        if parts == ["api", "watches"] { return try watchAnswer(request) }
        if parts == ["api", "voice"] { return try await spokenWords.answer(request) }
        guard parts.count == 4, parts[0] == "api", parts[1] == "sources", parts[3] == "forget" else {
            throw PageProblem(405, "Nothing can be sent here.", headers: [("Allow", "GET, HEAD")])
        }
        return try await forgetAnswer(try SourceNumber.id(parts[2]))
    }

    /// `POST /api/watches`: sets the words that all sources search for from now on.
    private func watchAnswer(_ request: PageRequest) throws -> PageResponse {
        struct Given: Decodable {
            var q: [String]
            var regex, exact, `case`, words, all, meaning: Bool?
        }
        guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
            throw PageProblem(400, "Send what to search for as {\"q\": [\"EXIT\"]}.")
        }
        guard given.meaning != true || given.regex != true && given.exact != true else {
            throw PageProblem(
                400, "meaning cannot be combined with exact or regex; give one of them.")
        }
        guard given.regex != true || given.exact != true else {
            throw PageProblem(400, "exact and regex cannot be combined; give one of them.")
        }
        guard !live.sources.isEmpty else {
            throw PageProblem(404, "Nothing is watched: 'framegrep serve' was started without a camera.")
        }
        let manner = SearchMode(
            kind: given.regex == true ? .expression : given.exact == true ? .exact : .plain,
            options: MatchOptions(caseSensitive: given.case ?? false, wholeWords: given.words ?? false),
            requiresAll: given.all ?? false, meaning: meaning)
        let words = given.q.filter { !$0.isEmpty }.map { given.meaning == true ? SearchQuestion.meaning($0) : $0 }
        guard words.count <= SearchQuestion.mostPatterns else {
            throw PageProblem(400, "At most \(SearchQuestion.mostPatterns) words are watched for at once.")
        }
        // Words that cannot be searched for are reported to the browser.
        do { _ = try manner.matcher(for: words) } catch let error as FramegrepError {
            throw PageProblem(400, error.message)
        }
        live.search(for: JobPlan.Search(words, manner))
        return PageResponse(status: 204)
    }

    /// `POST /api/sources/{id}/forget`: removes a recording from the index for good; its file is not changed.
    private func forgetAnswer(_ id: SourceID) async throws -> PageResponse {
        let source = try await recording(id)
        let folder = view.folder
        try await Blocking.run { _ in
            do {
                let index = try TextIndex.forWriting(folder)
                // A file may have been read with several options; the hours of a camera have one name.
                let name = source.stamp.map { _ in ExactName(source.name) }
                let ids = try index.sources().filter { $0.id == id || ExactName($0.name) == name }
                try index.forget(Set(ids.map(\.id)))
            } catch let error as FramegrepError {
                guard TextIndex.isBusy(folder) else { throw error }
                throw PageProblem(
                    409, "Another program is writing to the index; try again in a moment.",
                    headers: [("Retry-After", "2")])
            }
        }
        view.refresh()
        return PageResponse(status: 204)
    }
}
