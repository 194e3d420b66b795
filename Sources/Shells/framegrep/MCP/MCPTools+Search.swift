import Engines
import Errors
import Foundation
import Page
import Spotter
import Synchronization
import TextIndex
import TextMatching
import TextSpotting

/// The tool `search`.
extension MCPTools {
    /// A question: patterns, recordings and times.
    struct Question: Sendable {
        var patterns: [String]
        var manner: SearchMode
        var minimumScore: Double
        var part: JobPlan.Part
        var range: WallRange

        init(_ arguments: MCPArguments) throws {
            let given = try arguments.neededTexts("patterns", most: 50)
            let name = try arguments.text("kind") ?? "words"
            let kinds = ["words": PatternKind.plain, "exact": .exact, "regex": .expression, "meaning": .plain]
            guard let kind = kinds[name] else {
                throw FramegrepError(.badArgument, "kind is words, meaning, exact or regex.")
            }
            let mark = "\(Pattern.meaningMark) "
            patterns = name == "meaning" ? given.map { $0.hasPrefix(mark) ? $0 : mark + $0 } : given
            manner = SearchMode(
                kind: kind,
                options: MatchOptions(
                    caseSensitive: try arguments.flag("case_sensitive"), wholeWords: try arguments.flag("whole_words")),
                requiresAll: try arguments.flag("all"), meaning: MeaningInstallation.source)
            minimumScore = try arguments.number("min_score", in: 0...1) ?? Matcher.usualMinimumScore
            part = try MCPTools.times(arguments)
            part.since = try arguments.text("since", most: 100)
            part.until = try arguments.text("until", most: 100)
            range = WallRange(since: try Self.moment(part.since), until: try Self.moment(part.until))
        }

        private static func moment(_ text: String?) throws -> Date? {
            guard let text else { return nil }
            guard let moment = WallMoment(text, now: Date()) else {
                throw FramegrepError(
                    .badArgument,
                    "'\(PlainText.text(text))' is not a date or a time of day; write 2026-11-20, 2026-11-20T14:05, 14:05, yesterday or 2h ago."
                )
            }
            return moment.date
        }
    }

    /// Returns the requested part of a recording.
    static func times(_ arguments: MCPArguments) throws -> JobPlan.Part {
        let (from, to) = (try arguments.seconds("from"), try arguments.seconds("to"))
        if let from, let to, from >= to { throw FramegrepError(.badArgument, "from is before to, both in seconds.") }
        return JobPlan.Part(from: from.map(StreamTime.init(seconds:)), to: to.map(StreamTime.init(seconds:)))
    }

    func search(_ arguments: MCPArguments, _ progress: MCPProgress) async throws -> JSONValue {
        let question = try Question(arguments)
        // Report errors at once, even if there is nothing to search in.
        let matcher = try question.manner.matcher(for: question.patterns)
        let limit = try arguments.whole("limit", in: 1...200) ?? 50
        let named = try arguments.texts("recordings", most: 100)
        let snapshot = try await snapshot()
        return try await page(of: "sightings", arguments, most: limit, snapshot) {
            let places =
                if let named { try await self.places(named, among: snapshot.sources) } else { [MCPAccess.Place]?.none }
            return try await answer(
                question, matcher: matcher, places: places, snapshot: snapshot, progress: progress)
        }
    }

    /// Returns a page of an answer, which is found only if no page before it kept it.
    ///
    /// - Parameters:
    ///   - name: the field that has the items.
    ///   - others: fields besides those of the answer.
    func page(
        of name: String, _ arguments: MCPArguments, most limit: Int, _ snapshot: IndexView.Snapshot,
        adding others: [String: JSONValue] = [:], find: () async throws -> MCPAnswer
    ) async throws -> JSONValue {
        let cursor = try arguments.text("cursor")
        // It changes with the index.
        let stamp = snapshot.stamp.map { "\($0.size) \($0.modified) \($0.inode)" } ?? ""
        let key = "\(name) \(arguments.question) \(stamp)"
        var known = answers.recall(key)
        if known == nil {
            let fresh = try await find()
            // The whole answer is kept, so that later pages come from the same one even if the time would change it.
            if cursor != nil || fresh.items.count > limit { answers.keep(fresh, to: key) }
            known = fresh
        }
        let all = known ?? .init(items: [])
        let page = try MCPPage.cut(all.items, after: cursor, most: limit, of: arguments.question)
        var fields = all.rest.merging(others) { $1 }
        fields[name] = .array(Array(page.items))
        fields["total"] = .integer(all.items.count)
        if let next = page.next { fields["next_cursor"] = .string(next) }
        return Self.result(fields, wasRead: !page.items.isEmpty)
    }

    private func answer(
        _ question: Question, matcher: Matcher, places: [MCPAccess.Place]?, snapshot: IndexView.Snapshot,
        progress: MCPProgress
    ) async throws -> MCPAnswer {
        let sources = places.map { $0.compactMap { indexed($0, in: snapshot) } } ?? snapshot.sources
        let unread = places?.filter { indexed($0, in: snapshot) == nil } ?? []
        guard places != nil || snapshot.index != nil else {
            throw FramegrepError(
                .badArgument,
                "Nothing is in the index yet: name recordings, or have them indexed first. list_recordings names what there is."
            )
        }
        var answer = try await Blocking.run { [self] isCancelled in
            try searchIndex(
                question, matcher: matcher, sources: sources, snapshot: snapshot, isEverything: places == nil,
                isCancelled: isCancelled)
        }
        try Task.checkCancellation()
        guard !unread.isEmpty else { return answer }
        let read = try await read(
            .find(
                JobPlan.Search(question.patterns, question.manner), minimumScore: question.minimumScore,
                in: question.part, index: view.folder.path), unread, type: "sighting", progress)
        answer.items += read.items
        if !read.messages.isEmpty { answer.rest["messages"] = .array(read.messages.map(JSONValue.seen)) }
        return answer
    }

    private func searchIndex(
        _ question: Question, matcher: Matcher, sources: [IndexedSource], snapshot: IndexView.Snapshot,
        isEverything: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> MCPAnswer {
        guard let index = snapshot.index, !sources.isEmpty else { return .init(items: []) }
        let found = try index.search(
            for: matcher, in: Set(sources.map(\.id)), minimumScore: question.minimumScore, isCancelled: isCancelled)
        if isCancelled() { throw CancellationError() }
        var missing = isEverything ? snapshot.failed.map { ($0, IndexedSource.Lack.unread($0.problem)) } : []
        var (items, seconds) = ([JSONValue](), 0.0)
        missing += found.lacks(of: sources)
        for source in sources {
            let (part, lack) = Self.part(of: source, question)
            if let lack { missing.append((source, lack)) }
            guard let (from, to) = part else { continue }
            seconds += source.isStill ? 0 : max(0, (min(to ?? source.end, source.end) - (from ?? .zero)).seconds)
            let sightings = IndexedAnswer(
                sightings: found.sightings[source.id] ?? [], from: from, to: to, maximum: nil
            ).reported.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
            items += sightings.map { Self.item($0, of: source) }
        }
        var answer = MCPAnswer(items: items)
        answer.rest["searched"] = [
            "recordings": .integer(sources.count), "seconds": .rounded(seconds, decimals: 3),
        ]
        if !missing.isEmpty {
            answer.rest["missing"] = .array(
                missing.prefix(50).map { ["recording": .seen($0.0.name), "reason": .seen($0.1.text)] })
        }
        return answer
    }

    /// Returns the part of a recording to search; nil for none.
    private static func part(
        of source: IndexedSource, _ question: Question
    ) -> (part: (from: StreamTime?, to: StreamTime?)?, lack: IndexedSource.Lack?) {
        let times = (question.part.from, question.part.to)
        guard question.range.isAsked else { return (times, nil) }
        let length = source.searchedLength
        guard
            let start = source.wallStart
                ?? FileDates().start(of: nil, source.stamp, length: length, named: source.name)
        else { return (nil, .undated) }
        return (question.range.part(from: start, length: length, of: times), nil)
    }

    private static func item(_ sighting: Sighting, of source: IndexedSource) -> JSONValue {
        var fields = line(sighting)
        fields["recording"] = .seen(source.name)
        fields["pattern"] = .seen(sighting.pattern)
        fields["line"] = .seen(String(sighting.line.prefix(longestLine)))
        fields["peak"] = [
            "t": .rounded(sighting.peak.time.start.seconds, decimals: 3),
            "quad": .array(
                sighting.peak.quad.corners.map { [.rounded($0.x, decimals: 1), .rounded($0.y, decimals: 1)] }),
        ]
        if let wall = source.clock?.date(at: sighting.start) { fields["wall_start"] = .string(WallTime.text(wall)) }
        return .object(fields)
    }

    /// The largest length of a line, in characters.
    static let longestLine = 2000

    static func line(_ sighting: Sighting) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "text": .seen(String(sighting.text.prefix(longestLine))),
            "start": .rounded(sighting.start.seconds, decimals: 3), "end": .rounded(sighting.end.seconds, decimals: 3),
            "score": .rounded(sighting.score, decimals: 3), "origin": "picture",
        ]
        if sighting.isByMeaning { fields["kind"] = "meaning" }
        if let slack = sighting.slack { fields["slack"] = .rounded(slack.seconds, decimals: 3) }
        return fields
    }

    /// Starts this program to read recordings.
    ///
    /// - Parameter type: the type of the wanted lines.
    /// - Throws: ``FramegrepError`` if that fails.
    func read(
        _ work: JobPlan.Work, _ places: [MCPAccess.Place], type: String, _ progress: MCPProgress
    ) async throws -> (items: [JSONValue], messages: [String]) {
        let items = Mutex<[JSONValue]>([])
        let report = Self.reporter(progress)
        let outcome = try await run(JobPlan(work, of: Self.opened(places))) { line in
            switch line {
            case .progress(let line): report(line)
            case .result(let line):
                guard line["type"]?.string == type, let fields = line.object else { return }
                items.withLock { if $0.count < Self.mostItems { $0.append(Self.item(printed: fields)) } }
            }
        }
        let found = items.withLock { $0 }
        guard outcome.status < 2 || !found.isEmpty else {
            throw FramegrepError(
                .sourceDamaged,
                outcome.messages.isEmpty
                    ? "It could not be read (status \(outcome.status))." : outcome.messages.joined(separator: " "))
        }
        return (found, outcome.messages)
    }

    /// The largest number of items in an answer.
    private static let mostItems = 20_000

    /// Converts a line that `find` has printed to the form of the tools.
    static func item(printed fields: [String: JSONValue]) -> JSONValue {
        var item = ["origin": JSONValue.string("picture")]
        for name in ["start", "end", "score", "slack", "peak", "t", "quad"] { item[name] = fields[name] }
        for name in ["text", "line", "pattern", "wall_start", "wall"] {
            item[name] = (fields[name]?.string).map { .seen(String($0.prefix(longestLine))) }
        }
        if fields["kind"]?.string == "meaning" { item["kind"] = "meaning" }
        item["recording"] = (fields["source"]?.string).map(JSONValue.seen)
        return .object(item)
    }
}
