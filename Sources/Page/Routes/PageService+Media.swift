import Spotter
import TextIndex
import TextSpotting

/// The routes below `/media/`, and pictures.
extension PageService {
    func mediaAnswer(_ parts: [String], _ request: PageRequest) async throws -> PageResponse {
        guard let name = parts.first else { throw Self.notFound }
        let id = try SourceNumber.id(name)
        guard let source = try view.snapshot().source(id) else {
            throw PageProblem(404, "There is no such recording in the index.")
        }
        let query = try QueryItems(request.query)
        switch parts.dropFirst().first {
        case nil: return MediaAnswer.answer(try RecordingFile(source), to: request)
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

    private func picture(_ job: MediaJob, _ source: IndexedSource) async throws -> DecodedPicture {
        try await pictures.picture(job, tag: try RecordingFile(source).tag)
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
        // Who sees a picture of it may click on it next.
        if !source.isStill, MediaType.of(fileNamed: source.name) == MediaType.unknown { clipManager.prepare() }
        return PageResponse(status: 200, headers: [("Content-Type", "image/png")], body: .bytes(bytes))
    }

    /// How far a line goes on before and behind a part of it, as multiples of that part: counted in letters.
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
        // Opened only to find errors.
        _ = try RecordingFile(source)
        let headers = [("Content-Type", "video/mp4"), ("Accept-Ranges", "none")]
        guard request.method == "GET" else { return PageResponse(status: 200, headers: headers) }
        counters.noteClip()
        let job = MediaJob(
            path: source.name, time: from, width: try SearchQuestion.number("width", query, in: 16...1920) ?? 1280,
            end: to)
        let chunks = try await SlottedChunks(clips) { [clipManager] in try await ClipChunks(clipManager, job) }
        return PageResponse(status: 200, headers: headers, body: .chunks(chunks, length: nil))
    }
}

/// Chunks that hold a slot until they end or are released.
private final class SlottedChunks: ChunkSource {
    private let chunks: any ChunkSource
    private let release: Slots.Held

    init(_ slots: Slots, _ make: () async throws -> any ChunkSource) async throws {
        release = try await slots.hold()
        chunks = try await make()
    }

    func next() async throws -> [UInt8]? { try await chunks.next() }
}
