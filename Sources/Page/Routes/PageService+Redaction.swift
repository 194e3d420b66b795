import Foundation
import TextIndex
import TextSpotting

/// The routes of what is hidden in a recording (``RedactionManager``).
extension PageService {
    /// `GET /api/redactions/{id}`, `…/plan` and `…/copy`.
    func redactionAnswer(_ parts: [String], _ request: PageRequest, _ session: String) throws -> PageResponse {
        let redaction = try redactions.redaction(parts.first ?? "", session: session)
        switch parts.dropFirst().first {
        case nil: return Self.answer(redaction)
        case "plan" where parts.count == 2: return LineChunks.response(try redactions.lines(redaction))
        case "copy" where parts.count == 2: return try copyAnswer(redaction, request)
        default: throw Self.notFound
        }
    }

    /// `POST /api/redactions`, `…/{id}/hide` and `…/{id}/end`.
    func redactionChange(_ parts: [String], _ request: PageRequest, _ session: String) throws -> PageResponse {
        switch (parts.first, parts.dropFirst().first, parts.count) {
        case (nil, nil, 0): return Self.answer(try beginRedaction(request, session))
        case (let id?, "hide", 2):
            struct Given: Decodable { var without: [Int] }
            guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
                throw PageProblem(
                    400, "What stays visible is sent as {\"without\": [2, 5]}, with the numbers of the plan.")
            }
            return Self.answer(try redactions.hide(id, without: Set(given.without), session: session))
        case (let id?, "end", 2):
            _ = try redactions.redaction(id, session: session)
            redactions.end(of: session)
            return PageResponse(status: 204)
        default: throw Self.notFound
        }
    }

    private func beginRedaction(_ request: PageRequest, _ session: String) throws -> RedactionManager.Redaction {
        struct Given: Decodable { var source, query: String }
        guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
            throw PageProblem(
                400,
                "What to hide is sent as {\"source\": \"12\", \"query\": \"q=EXIT\"}: a recording, and a search as in /api/search."
            )
        }
        let question = try SearchQuestion(try QueryItems(given.query))
        guard let source = try view.snapshot().source(try SourceNumber.id(given.source)) else {
            throw PageProblem(404, "There is no such recording in the index.")
        }
        // Opened only to find errors: it is the file that was read.
        _ = try RecordingFile(source)
        return try redactions.begin(question, in: source.name, isStill: source.isStill, session: session)
    }

    private static func answer(_ redaction: RedactionManager.Redaction) -> PageResponse {
        var object = JSONObject(type: "redaction")
        object.add("id", redaction.id)
        object.add("state", redaction.stage.rawValue)
        object.add("message", redaction.message)
        return .json(object.text)
    }

    private func copyAnswer(
        _ redaction: RedactionManager.Redaction, _ request: PageRequest
    ) throws -> PageResponse {
        guard redaction.stage == .ready else { throw PageProblem(409, "The clean copy is not there yet.") }
        let file = try CopyChunks(redaction.copy)
        let name = redaction.copyName.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "copy"
        let headers = [
            ("Content-Type", MediaType.of(fileNamed: redaction.copyName)),
            ("Content-Disposition", "attachment; filename*=UTF-8''\(name)"), ("Cache-Control", "no-store"),
        ]
        return PageResponse(
            status: 200, headers: headers,
            body: request.method == "GET" ? .chunks(file, length: file.length) : .bytes([]))
    }
}

/// A file of ours, piece by piece.
private final class CopyChunks: ChunkSource {
    let length: Int64
    private let descriptor: Int32

    init(_ path: String) throws(PageProblem) {
        var status = stat()
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw PageProblem(404, "The clean copy is gone.")
        }
        length = Int64(status.st_size)
    }

    func next() async throws -> [UInt8]? {
        let descriptor = descriptor
        return try await Blocking.run { _ in
            var bytes = [UInt8](repeating: 0, count: 256 << 10)
            let count = read(descriptor, &bytes, bytes.count)
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
