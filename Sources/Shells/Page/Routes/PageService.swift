import Foundation
import GStreamerMedia
import Processes
public import TextIndex
public import TextMatching
import TextSpotting

/// Answers the page's requests, independently of the server: first checks the sender, then handles the request.
///
/// No request names a file, a command or a pipeline: recordings are identified by their numbers in the catalog.
/// Thread-safe.
public final class PageService: Sendable {
    let view: IndexView
    let search: IndexSearch
    let pictures: PictureManager
    let counters = PageCounters()
    let clips = Slots(3, mostWaiting: 12)
    /// Limits the threads that examine files of recordings, because their disk may not respond.
    let looks = Slots(8, mostWaiting: 256)
    let clipManager: ClipManager
    let live: LiveManager
    let redactions: RedactionManager
    let meaning: MeaningSource
    let spokenWords: SpokenWords
    private let keys: SessionKeys
    /// Whether the page is reached by TLS only.
    public let isEncrypted: Bool
    private let gate: RequestGate
    /// The password, which opens sessions too; nil if only keys do.
    private let password: PagePassword?

    /// - Parameters:
    ///   - decoder: the program that is started with ``MediaWork/option`` to decode.
    ///   - password: opens sessions too.
    ///   - meaning: the model for search by meaning.
    ///   - voice: the folder of the speech model; nil if there is none.
    ///   - watch: the cameras that are watched from ``start()`` on.
    public init(
        index: IndexFolder, hosts: HostList, keys: SessionKeys, decoder: String, password: PagePassword? = nil,
        meaning: MeaningSource = ServeSettings().meaningSource, voice: String? = nil,
        watch: WatchSettings = WatchSettings()
    ) {
        self.password = password
        live = LiveManager(watch, index: index.path)
        redactions = RedactionManager(program: watch.program)
        view = IndexView(index)
        search = IndexSearch(view, meaning)
        self.meaning = meaning
        spokenWords = SpokenWords(folder: voice, program: watch.program, view: view)
        pictures = PictureManager(program: decoder)
        gate = RequestGate(hosts: hosts)
        isEncrypted = hosts.isEncrypted
        clipManager = ClipManager(program: decoder)
        self.keys = keys
    }

    /// Returns the largest number of bytes that a request to this path may send.
    public static func mostBody(of path: String) -> Int { RequestGate.Body(of: path).most }

    /// Returns the answer, with the headers of every answer. Never throws: errors are answers too.
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

    /// Returns whether the request comes from a browser with access to the page.
    public func hasSession(_ request: PageRequest) -> Bool { keys.session(of: request) != nil }

    /// The folder of the index.
    public var place: String { view.folder.path }

    /// Ends idle processes, and returns freed memory to the system. Call it now and then.
    public func rest() {
        MediaRuntime.returnFreeMemory()
        pictures.rest()
        redactions.rest()
        clipManager.rest()
    }

    /// Begins to watch the cameras. For a process that runs for days, it also sets the allocator to return large blocks
    /// at once.
    public func start() {
        MediaRuntime.shareHeaps()
        MediaRuntime.returnPicturesAtOnce()
        live.start()
    }

    /// Ends all streams and asks the jobs to end cleanly, with their readings in the index; blocks for at most this
    /// long.
    public func finish(within patience: Duration) {
        redactions.end()
        live.finish(within: patience)
    }

    // MARK: Access

    private func route(_ request: PageRequest) async throws -> PageResponse {
        if request.method == "POST", request.path == "/api/session" { return try await openSession(request) }
        if request.method != "POST", let answer = try await openAnswer(request) { return answer }
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
    private func openAnswer(_ request: PageRequest) async throws -> PageResponse? {
        switch request.path {
        case "/healthz": return .text("ok\n")
        case "/metrics":
            let count = (try? await view.current().sources.count) ?? 0
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
                throw PageProblem(403, password == nil ? "This page has no password." : "This is not the password.")
            }
            return PageResponse(status: 204, headers: [("Set-Cookie", keys.open())])
        }
        guard let cookie = keys.open(with: given.key ?? "") else {
            throw PageProblem(
                403,
                "This address was used before, or belongs to a server that has ended; 'framegrep serve' prints a new one each time."
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

    /// Returns a function that determines whether a session is still open.
    func watch(over session: String) -> @Sendable () -> Bool { { [keys] in keys.isOpen(session) } }

    static let notFound = PageProblem(404, "There is nothing at this address.")
}

/// The routes below `/media/`, and pictures.
extension PageService {
    func mediaAnswer(_ parts: [String], _ request: PageRequest) async throws -> PageResponse {
        guard let name = parts.first else { throw Self.notFound }
        let id = try SourceNumber.id(name)
        let source = try await recording(id)
        let query = try QueryItems(request.query)
        switch parts.dropFirst().first {
        case nil: return MediaAnswer.answer(try await file(of: source), to: request)
        case "clip.mp4" where parts.count == 2: return try await clipAnswer(source, query, request)
        case "picture" where parts.count == 2:
            let time = try SearchQuestion.seconds("t", query) ?? 0
            return try await pictureAnswer(source, at: source.isStill ? nil : time, query)
        case "shape" where parts.count == 2:
            let picture = try await picture(
                MediaJob(path: source.name, time: source.isStill ? nil : 0, width: 16), source)
            var object = JSONObject(type: "shape")
            object.add("width", picture.width)
            object.add("height", picture.height)
            return .json(object.text)
        default: throw Self.notFound
        }
    }

    /// - Throws: ``PageProblem`` (404) if there is none of that number.
    func recording(_ id: SourceID) async throws -> IndexedSource {
        guard let source = try await view.current().source(id) else {
            throw PageProblem(404, "There is no such recording in the index.")
        }
        return source
    }

    private func file(of source: IndexedSource) async throws -> RecordingFile {
        try await looks.run { _ in try RecordingFile.opened(source) }
    }

    private func picture(_ job: MediaJob, _ source: IndexedSource) async throws -> DecodedPicture {
        try await pictures.picture(job, tag: try await file(of: source).tag)
    }

    /// - Parameters:
    ///   - time: in seconds; nil for a still.
    ///   - sighting: the sighting, for a box (`box=1`), or for a picture of its surroundings (`around=1`).
    func pictureAnswer(
        _ source: IndexedSource, at time: Double?, _ query: QueryItems, of sighting: Sighting? = nil
    ) async throws -> PageResponse {
        let width = try SearchQuestion.number("width", query, in: 16...4096) ?? 320
        let (isCut, isBoxed) = (try SearchQuestion.flag("around", query), try SearchQuestion.flag("box", query))
        var job = MediaJob(path: source.name, time: time, width: width)
        if let sighting, isCut || isBoxed {
            job.corners = sighting.peak.quad.corners.flatMap { [$0.x, $0.y] }
            job.isCut = isCut
            (job.before, job.behind) = Self.reach(of: sighting.text, in: sighting.line)
            job.isBoxed = isBoxed
        }
        let bytes = try await picture(job, source).bytes
        // A user who sees its picture may click on it next.
        if !source.isStill, MediaType.of(fileNamed: source.name) == MediaType.unknown { clipManager.prepare() }
        return PageResponse(status: 200, headers: [("Content-Type", "image/png")], body: .bytes(bytes))
    }

    /// Returns how far a line extends before and after a part of it, as multiples of that part, counted in letters.
    static func reach(of text: String, in line: String) -> (before: Double, behind: Double) {
        guard !text.isEmpty, let range = line.firstRange(of: text) else { return (0, 0) }
        let length = Double(text.count)
        return (Double(line[..<range.lowerBound].count) / length, Double(line[range.upperBound...].count) / length)
    }

    private func clipAnswer(
        _ source: IndexedSource, _ query: QueryItems, _ request: PageRequest
    ) async throws -> PageResponse {
        let from = try SearchQuestion.seconds("from", query) ?? 0
        let to = try SearchQuestion.seconds("to", query)
        guard to.map({ $0 > from }) ?? true else { throw PageProblem(400, "to lies before from.") }
        guard !source.isStill else { throw PageProblem(404, "A still picture has no clip.") }
        // Opened only to detect errors.
        _ = try await file(of: source)
        let headers = [("Content-Type", "video/mp4"), ("Accept-Ranges", "none")]
        guard request.method == "GET" else { return PageResponse(status: 200, headers: headers) }
        counters.noteClip()
        let job = MediaJob(
            path: source.name, time: from, width: try SearchQuestion.number("width", query, in: 16...1920) ?? 1280,
            end: to)
        let chunks = try await ClipChunks(clipManager, job, in: clips)
        return PageResponse(status: 200, headers: headers, body: .chunks(chunks, length: nil))
    }
}

/// The routes of redactions (``RedactionManager``).
extension PageService {
    /// Handles `GET /api/redactions/{id}`, `…/plan` and `…/copy`.
    func redactionAnswer(_ parts: [String], _ request: PageRequest, _ session: String) throws -> PageResponse {
        let redaction = try redactions.redaction(parts.first ?? "", session: session)
        switch parts.dropFirst().first {
        case nil: return Self.answer(redaction)
        case "plan" where parts.count == 2: return LineChunks.response(try redactions.lines(redaction))
        case "copy" where parts.count == 2: return try copyAnswer(redaction, request)
        default: throw Self.notFound
        }
    }

    /// Handles `POST /api/redactions`, `…/{id}/hide` and `…/{id}/end`.
    func redactionChange(_ parts: [String], _ request: PageRequest, _ session: String) async throws -> PageResponse {
        switch (parts.first, parts.dropFirst().first, parts.count) {
        case (nil, nil, 0): return Self.answer(try await beginRedaction(request, session))
        case (let id?, "hide", 2):
            struct Given: Decodable { var without: [Int] }
            guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
                throw PageProblem(
                    400, "Send what stays visible as {\"without\": [2, 5]}, with the numbers of the plan.")
            }
            return Self.answer(try redactions.hide(id, without: Set(given.without), session: session))
        case (let id?, "end", 2):
            _ = try redactions.redaction(id, session: session)
            redactions.end(of: session)
            return PageResponse(status: 204)
        default: throw Self.notFound
        }
    }

    private func beginRedaction(_ request: PageRequest, _ session: String) async throws -> RedactionManager.Redaction {
        struct Given: Decodable { var source, query: String }
        guard let given = try? JSONDecoder().decode(Given.self, from: Data(request.body)) else {
            throw PageProblem(
                400,
                "Send what to hide as {\"source\": \"12\", \"query\": \"q=EXIT\"}: a recording, and a search as in /api/search."
            )
        }
        let question = try SearchQuestion(try QueryItems(given.query))
        let source = try await recording(try SourceNumber.id(given.source))
        // Opened only to detect errors: it must be the file that was read.
        _ = try await file(of: source)
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

/// A file of the server, in pieces.
private final class CopyChunks: ChunkSource {
    let length: Int64
    private let descriptor: Int32

    init(_ path: String) throws(PageProblem) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0, let status = FileStatus(ofDescriptor: descriptor) else {
            throw PageProblem(404, "The clean copy is gone.")
        }
        length = Int64(status.size)
    }

    func next() async throws -> [UInt8]? {
        let descriptor = descriptor
        return try await Blocking.run { _ in
            PipeBytes.readSome(256 << 10, from: descriptor).flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
