import Spotter
import TextIndex
import TextSpotting

/// The routes below `/api/`.
extension PageService {
    func apiAnswer(_ parts: [String], _ query: QueryItems, _ session: String) async throws -> PageResponse {
        switch parts.first {
        case "search" where parts.count == 1: return try await searchAnswer(query)
        case "timeline" where parts.count == 1: return try await timelineAnswer(query)
        case "coverage" where parts.count == 1: return try coverageAnswer()
        case "sources" where parts.count == 1: return try sourcesAnswer()
        case "watches" where parts.count == 1: return watchesAnswer()
        case "stream" where parts.count == 1: return try streamAnswer(query, session)
        case "sightings" where parts.count == 2 || parts.count == 3:
            return try await sightingAnswer(parts[1], parts.count == 3 ? parts[2] : nil, query)
        default: throw Self.notFound
        }
    }

    // MARK: Searching

    private func searchAnswer(_ query: QueryItems) async throws -> PageResponse {
        let question = try SearchQuestion(query, others: ["limit", "soon"])
        let limit = try SearchQuestion.number("limit", query, in: 0...1_000_000)
        let isSoon = try SearchQuestion.flag("soon", query)
        // What was seen a moment ago is found too.
        await live.keep()
        if isSoon { return try await soonAnswer(question, limit) }
        let answer = try await timed { try await search.answer(question) }
        let formatter = JSONLinesFormatter()
        let all = answer.sources.lazy.flatMap { source in
            (answer.sightings[source.id] ?? []).lazy.map { formatter.format($0, of: source) }
        }
        let lines = AnySequence(all.prefix(limit ?? .max)).asLines(endingIn: answer.coverage)
        return LineChunks.response(lines, headers: [("Framegrep-Sightings", String(answer.count))])
    }

    /// The same lines as soon as they are known: how many there are shows at their end.
    private func soonAnswer(_ question: SearchQuestion, _ limit: Int?) async throws -> PageResponse {
        let start = ContinuousClock.now
        let lines = try await search.begin(question, limit: limit) { [counters] in counters.noteSearch(since: start) }
        return PageResponse(
            status: 200, headers: [("Content-Type", "application/x-ndjson")], body: .chunks(lines, length: nil))
    }

    private func timed<Value>(_ body: () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        let value = try await body()
        counters.noteSearch(since: start)
        return value
    }

    private func timelineAnswer(_ query: QueryItems) async throws -> PageResponse {
        let question = try SearchQuestion(query, others: ["bins"])
        let count = try SearchQuestion.number("bins", query, in: 1...2000) ?? 200
        let answer = try await search.answer(question)
        let rows = answer.sources.compactMap { source -> String? in
            guard let sightings = answer.sightings[source.id], !sightings.isEmpty else { return nil }
            let seconds = source.length
            var bins = TimelineBins(count: count, seconds: seconds)
            for sighting in sightings { bins.add(from: sighting.start.seconds, to: sighting.end.seconds) }
            var row = JSONObject()
            row.add("id", SourceNumber.text(source.id))
            row.add("source", source.name)
            row.add("seconds", seconds, decimals: 3)
            row.add("read", source.end.seconds, decimals: 3)
            row.add("sightings", sightings.count)
            row.add("counts", json: "[" + bins.counts.map(String.init).joined(separator: ",") + "]")
            return row.text
        }
        var object = JSONObject(type: "timeline")
        object.add("bins", count)
        object.add("rows", json: "[" + rows.joined(separator: ",") + "]")
        return .json(object.text)
    }

    // MARK: What there is

    private func coverageAnswer() throws -> PageResponse {
        let snapshot = try view.snapshot()
        let missing =
            snapshot.failed.map { ($0, IndexedSource.Lack.unread($0.problem)) }
            + snapshot.sources.compactMap { source in source.lack.map { (source, $0) } }
        let answer = SearchAnswer(
            sources: snapshot.sources, sightings: [:], missing: missing, folder: view.folder.path)
        return .json(answer.coverage)
    }

    private func sourcesAnswer() throws -> PageResponse {
        LineChunks.response(try view.snapshot().sources.lazy.map(Self.line))
    }

    /// One recording, as `/api/sources` lists it.
    private static func line(_ source: IndexedSource) -> String {
        var object = JSONObject(type: "source")
        object.add("id", SourceNumber.text(source.id))
        object.add("source", source.name)
        object.add("state", source.state.rawValue)
        object.add("manner", source.manner)
        object.add("seconds", source.length, decimals: 3)
        object.add("read", source.end.seconds, decimals: 3)
        object.add("still", json: source.isStill ? "true" : "false")
        object.add("media", MediaType.of(fileNamed: source.name))
        // What is no file of this machine is found but not shown.
        object.add("file", json: source.stamp == nil ? "false" : "true")
        if let trouble = source.lack { object.add("trouble", trouble.text) }
        return object.text
    }

    // MARK: One sighting

    /// - Parameters:
    ///   - name: the recording's number, a dash, and the sighting's in it.
    ///   - part: what of it is wanted; nil for the sighting itself.
    private func sightingAnswer(_ name: String, _ part: String?, _ query: QueryItems) async throws -> PageResponse {
        let halves = name.split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, let number = Int(halves[1]), number > 0 else { throw Self.notFound }
        let id = try SourceNumber.id(halves[0])
        guard let source = try view.snapshot().source(id) else { throw Self.notFound }
        let question = try SearchQuestion(query, others: part == "picture" ? ["width", "box", "around"] : [])
        switch part {
        case nil:
            let sighting = try await sighting(number, id, question)
            return .json(
                JSONLinesFormatter().format(
                    sighting, source: source.name, wallStart: source.wallTime(of: sighting)))
        case "boxes":
            let sighting = try await search.boxes(of: number, in: id, question)
            return LineChunks.response(JSONLinesFormatter.boxes(of: sighting, source: source.name))
        case "picture":
            let sighting = try await sighting(number, id, question)
            let time = source.isStill ? nil : sighting.peak.time.start.seconds
            return try await pictureAnswer(source, at: time, query, of: sighting)
        default: throw Self.notFound
        }
    }

    private func sighting(_ number: Int, _ source: SourceID, _ question: SearchQuestion) async throws -> Sighting {
        let answer = try await search.answer(question)
        guard let sighting = answer.sightings[source]?.first(where: { $0.id == number }) else {
            throw PageProblem(404, "There is no such sighting (any more): the index may have changed since the search.")
        }
        return sighting
    }
}

extension IndexedSource {
    /// Its length in seconds: as it says itself, or as far as it was read if that is more.
    var length: Double { isStill ? 0 : max(end.seconds, duration?.seconds ?? 0) }
}

extension Sequence<String> {
    /// The same with one line more behind them.
    fileprivate func asLines(endingIn last: String) -> some Sequence<String> {
        [AnySequence(self), AnySequence([last])].lazy.flatMap { $0 }
    }
}
