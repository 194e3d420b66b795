import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting

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
            object.add("remembered", json: String(live.remembers))
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
            return try redactionChange(Array(parts.dropFirst(2)), request, session)
        }
        if parts == ["api", "watches"] { return try watchAnswer(request) }
        guard parts.count == 4, parts[0] == "api", parts[1] == "sources", parts[3] == "forget" else {
            throw PageProblem(405, "Nothing can be sent here.", headers: [("Allow", "GET, HEAD")])
        }
        return try await forgetAnswer(try SourceNumber.id(parts[2]))
    }

    /// `POST /api/watches`: other words for all sources, searched for at once.
    private func watchAnswer(_ request: PageRequest) throws -> PageResponse {
        struct Given: Decodable {
            var q: [String]
            var regex, exact, `case`, words, all, meaning: Bool?
        }
        guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
            throw PageProblem(400, "What to search for is sent as {\"q\": [\"EXIT\"]}.")
        }
        guard given.meaning != true || given.regex != true && given.exact != true else {
            throw PageProblem(
                400, "meaning asks for other words than those given, exact and regex for these; give one of them.")
        }
        guard given.regex != true || given.exact != true else {
            throw PageProblem(400, "exact and regex search in different ways; give one of them.")
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
        live.search(for: ViewerCommand.Words(words, manner))
        return PageResponse(status: 204)
    }

    /// `POST /api/sources/{id}/forget`: takes a recording out of the index for good; its file stays as it is.
    private func forgetAnswer(_ id: SourceID) async throws -> PageResponse {
        guard let source = try view.snapshot().source(id) else {
            throw PageProblem(404, "There is no such recording in the index.")
        }
        let folder = view.folder
        try await Blocking.run { _ in
            do {
                let index = try TextIndex.forWriting(folder)
                // A file may have been read in several manners; the hours of a camera have one name.
                let ids = try index.sources().filter { $0.id == id || source.stamp != nil && $0.name == source.name }
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
