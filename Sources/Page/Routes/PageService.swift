import Errors
import Foundation
import GStreamerMedia
public import TextIndex
public import TextMatching

/// Answers the page's requests, independent of the server: first checks the sender, then handles the request.
///
/// No request names a file, a command or a pipeline: recordings are called by their numbers in the catalog. Thread-safe.
public final class PageService: Sendable {
    let view: IndexView
    let search: IndexSearch
    let pictures: PictureManager
    let counters = PageCounters()
    let clips = Slots(3, mostWaiting: 12)
    let clipManager: ClipManager
    let live: LiveManager
    let redactions: RedactionManager
    let meaning: MeaningSource
    private let keys: SessionKeys
    /// It is reached by TLS only.
    public let isEncrypted: Bool
    private let gate: RequestGate
    /// Opens sessions too; nil if only keys do.
    private let password: PagePassword?

    /// - Parameters:
    ///   - decoder: the program that is started with ``MediaWork/option`` to decode.
    ///   - password: opens sessions too.
    ///   - meaning: what tells meanings.
    ///   - watch: cameras that are watched from ``start()`` on.
    public init(
        index: IndexFolder, hosts: HostList, keys: SessionKeys, decoder: String, password: PagePassword? = nil,
        meaning: MeaningSource = ServeSettings().meaningSource, watch: WatchSettings = WatchSettings()
    ) {
        self.password = password
        live = LiveManager(watch, index: index.path)
        redactions = RedactionManager(program: watch.program)
        view = IndexView(index)
        search = IndexSearch(view, meaning)
        self.meaning = meaning
        pictures = PictureManager(program: decoder)
        gate = RequestGate(hosts: hosts)
        isEncrypted = hosts.isEncrypted
        clipManager = ClipManager(program: decoder)
        self.keys = keys
    }

    /// The answer, with the headers of every answer. Never throws: errors are answers too.
    public func answer(_ request: PageRequest) async -> PageResponse {
        var response: PageResponse
        do {
            try gate.check(request)
            response = try await route(request)
        } catch {
            response = PageProblem(of: error).response
        }
        SecurityHeaders.complete(&response.headers, isEncrypted: isEncrypted)
        counters.noteAnswer(response.status)
        return response
    }

    /// The request comes from a browser that may see the page.
    public func hasSession(_ request: PageRequest) -> Bool { keys.session(of: request) != nil }

    /// Where the index is.
    public var place: String { view.folder.path }

    /// To be called now and then: ends idle processes, and returns freed memory to the system.
    public func rest() {
        MediaRuntime.returnFreeMemory()
        pictures.rest()
        redactions.rest()
        clipManager.rest()
    }

    /// Begins to watch. For a process that serves for days: what many browsers take at once is given back when they have it.
    public func start() {
        MediaRuntime.shareHeaps()
        MediaRuntime.returnPicturesAtOnce()
        live.start()
    }

    /// Ends all streams and asks the jobs to end in good order, with their readings in the index; blocks for at most this long.
    public func finish(within patience: Duration) {
        redactions.end()
        live.finish(within: patience)
    }

    // MARK: Who gets where

    private func route(_ request: PageRequest) async throws -> PageResponse {
        if request.method == "POST", request.path == "/api/session" { return try await openSession(request) }
        if request.method != "POST", let answer = try openAnswer(request) { return answer }
        guard let session = keys.session(of: request) else {
            throw PageProblem(
                401, "Open the address that 'framegrep serve' printed: its key opens the page in this browser.",
                headers: password == nil ? [] : [("Framegrep-Session", "password")])
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard request.method != "POST" else { return try await postAnswer(parts, request, session) }
        switch parts.first {
        case "api" where parts.count > 2 && parts[1] == "redactions":
            return try redactionAnswer(Array(parts.dropFirst(2)), request, session)
        case "api": return try await apiAnswer(Array(parts.dropFirst()), try QueryItems(request.query), session)
        case "media": return try await mediaAnswer(Array(parts.dropFirst()), request)
        default: throw Self.notFound
        }
    }

    /// Answers requests that need no session: the page's own files, and the health check.
    private func openAnswer(_ request: PageRequest) throws -> PageResponse? {
        switch request.path {
        case "/healthz": return .text("ok\n")
        case "/metrics":
            let count = (try? view.snapshot().sources.count) ?? 0
            return .text(
                counters.text(recordings: count, pictures: pictures.made, live),
                type: "text/plain; version=0.0.4; charset=utf-8")
        default: return PageAssets.answer(request)
        }
    }

    private func openSession(_ request: PageRequest) async throws -> PageResponse {
        struct Given: Decodable { var key, password: String? }
        guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)),
            (given.key == nil) != (given.password == nil)
        else {
            throw PageProblem(400, "A session is opened with {\"key\": \"...\"}, or with {\"password\": \"...\"}.")
        }
        if let text = given.password {
            guard let password, try await password.allows(text) else {
                throw PageProblem(403, password == nil ? "No password opens this page." : "This is not the password.")
            }
            return PageResponse(status: 204, headers: [("Set-Cookie", keys.open())])
        }
        guard let cookie = keys.open(with: given.key ?? "") else {
            throw PageProblem(
                403,
                "This address was used before, or is of a server that has ended; 'framegrep serve' prints a new one each time."
            )
        }
        return PageResponse(status: 204, headers: [("Set-Cookie", cookie)])
    }

    /// `POST /api/session/end`: ends the session and all its streams.
    func endSession(_ session: String) -> PageResponse {
        let cookie = keys.end(session)
        live.dismissViewers()
        redactions.end(of: session)
        return PageResponse(status: 204, headers: [("Set-Cookie", cookie)])
    }

    /// Tells whether a session is still open.
    func watch(over session: String) -> @Sendable () -> Bool { { [keys] in keys.isOpen(session) } }

    static let notFound = PageProblem(404, "There is nothing at this address.")
}
