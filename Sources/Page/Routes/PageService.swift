import Errors
import Foundation
public import TextIndex

/// Answers the page's requests, whatever brings them: checks first who asks, then looks for what is asked for.
///
/// No request names a file, a command or a pipeline: recordings are called by their numbers in the catalog. Thread-safe.
public final class PageService: Sendable {
    let view: IndexView
    let search: IndexSearch
    let pictures: PictureDesk
    let counters = PageCounters()
    let clips = Slots(3, mostWaiting: 12)
    /// What is started to decode.
    let decoder: String
    private let keys: SessionKeys
    private let gate: RequestGate

    /// - Parameters:
    ///   - decoder: the program that is started with ``MediaWork/option`` to decode.
    public init(index: IndexFolder, hosts: HostList, keys: SessionKeys, decoder: String) {
        view = IndexView(index)
        search = IndexSearch(view)
        pictures = PictureDesk(program: decoder)
        gate = RequestGate(hosts: hosts)
        self.decoder = decoder
        self.keys = keys
    }

    /// The answer, with the headers of every answer. Never throws: what goes wrong is an answer too.
    public func answer(_ request: PageRequest) async -> PageResponse {
        var response: PageResponse
        do {
            try gate.check(request)
            response = try await route(request)
        } catch let problem as PageProblem {
            response = problem.response
        } catch let error as FramegrepError {
            response = PageProblem(500, error.message).response
        } catch is CancellationError {
            response = PageProblem(503, "The request was given up.").response
        } catch {
            response = PageProblem(500, "Something went wrong that should not: \(error).").response
        }
        SecurityHeaders.complete(&response.headers)
        counters.noteAnswer(response.status)
        return response
    }

    /// Where the index is.
    public var place: String { view.folder.path }

    /// To be called now and then: processes that nobody needs end.
    public func rest() { pictures.rest() }

    // MARK: Who gets where

    private func route(_ request: PageRequest) async throws -> PageResponse {
        if request.method == "POST" {
            guard request.path == "/api/session" else {
                throw PageProblem(405, "Nothing can be sent here.", headers: [("Allow", "GET, HEAD")])
            }
            return try openSession(request)
        }
        if let answer = try openAnswer(request) { return answer }
        guard keys.allows(request) else {
            throw PageProblem(
                401, "Open the address that 'framegrep serve' printed: its key opens the page in this browser.")
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch parts.first {
        case "api": return try await apiAnswer(Array(parts.dropFirst()), try QueryItems(request.query))
        case "media": return try await mediaAnswer(Array(parts.dropFirst()), request)
        default: throw Self.notFound
        }
    }

    /// What everybody may see: the page's own files, and that the server is well.
    private func openAnswer(_ request: PageRequest) throws -> PageResponse? {
        switch request.path {
        case "/healthz": return .text("ok\n")
        case "/metrics":
            let count = (try? view.snapshot().sources.count) ?? 0
            return .text(
                counters.text(recordings: count, pictures: pictures.made),
                type: "text/plain; version=0.0.4; charset=utf-8")
        default: return PageAssets.answer(request)
        }
    }

    private func openSession(_ request: PageRequest) throws -> PageResponse {
        struct Given: Decodable { var key: String }
        guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
            throw PageProblem(400, "A session is opened with {\"key\": \"...\"}.")
        }
        guard let cookie = keys.open(with: given.key) else {
            throw PageProblem(
                403,
                "This address was used before, or is of a server that has ended; 'framegrep serve' prints a new one each time."
            )
        }
        return PageResponse(status: 204, headers: [("Set-Cookie", cookie)])
    }

    static let notFound = PageProblem(404, "There is nothing at this address.")
}
