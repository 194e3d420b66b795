import GStreamerMedia
import TextSpotting

/// The reader's side of the live job: takes the newest frame, reads it, and says what is where.
struct ReadingLoop {
    let session: LiveSession
    let reader: any TextReader
    /// Boxes are drawn on a picture, so a sighting has appeared only once its box is drawn.
    let isShown: Bool
    private let converter = PictureConverter()
    private var sparing: SparingReader
    private var timeline = SightingTimeline()
    private var known = Set<Int>()
    private var revision = 0
    private var geometry: FrameGeometry?
    private var lastRead = -1

    init(session: LiveSession, reader: any TextReader, isShown: Bool) {
        self.session = session
        self.reader = reader
        self.isShown = isShown
        sparing = SparingReader(reader, maximumAge: session.settings.maximumReadingAge)
    }

    /// Reads until the frames end or the task is cancelled, then closes the sightings that are still open.
    mutating func run() async throws {
        while let frame = await session.slot.take() {
            try await read(frame)
            if Task.isCancelled { break }
        }
        for sighting in timeline.finish() { report(over: sighting) }
    }

    private mutating func read(_ frame: consuming LiveFrame) async throws {
        guard let info = frame.sample.info else { return }
        let (time, arrival, isFrozen) = (frame.time, frame.arrival, frame.isFrozen)
        let geometry = try FrameGeometry(info, region: nil)
        let region = try session.settings.region?.rect(width: info.width, height: info.height)
        // The small pictures show the whole frame; of a part of it nothing is known to be unchanged.
        let small = region == nil ? session.trail.picture(at: time.index) : nil
        let begun = ContinuousClock.now
        var sample: Sample? = frame.sample.retained()
        _ = consume frame
        let lines: [TextLine]
        do {
            let read: [TextLine]
            if isFrozen,
                let close = try await session.linesReadClosely(
                    ofFrame: time.index,
                    { [converter] in
                        guard let frame = sample.take() else { throw CancellationError() }
                        return try converter.picture(from: frame, format: $0, region: region)
                    })
            {
                read = close
            } else {
                let wasRead: Bool
                (read, wasRead) = try await sparing.lines(of: small, at: time) {
                    [converter, format = reader.pictureFormat] in
                    guard let frame = sample.take() else { throw CancellationError() }
                    // A camera has few buffers: the frame goes back before the reading begins.
                    return try converter.picture(from: frame, format: format, region: region)
                }
                if wasRead { session.read(in: .now - begun) } else { session.foundUnchanged() }
            }
            lines = read
        } catch is CancellationError {
            return
        }
        let (frames, scale) = session.trail.frames(after: lastRead, through: time.index)
        lastRead = max(lastRead, time.index)
        session.tellWindow(lines, movedBy: Point(region?.x ?? 0, region?.y ?? 0), at: time)
        let (matcher, revision) = session.words.versioned
        let isNewSearch = revision != self.revision || geometry != self.geometry || scale != timeline.scale
        if isNewSearch { restart(revision, geometry, scale) }
        let origin = Point(region?.x ?? 0, region?.y ?? 0)
        let matches = matcher.matches(in: lines).filter { $0.score >= session.settings.minimumScore }
            .map { $0.moved(by: origin) }
        let over = timeline.add(FrameReading(time: time, matches: matches, frames: frames))
        showBoxes(at: time, isNewSearch: isNewSearch)
        for sighting in timeline.open where known.insert(sighting.id).inserted {
            session.appeared(geometry.displayed(sighting), arrival: arrival, isShown: isShown)
        }
        for sighting in over { report(over: sighting) }
    }

    /// Hands the matches on to be drawn, in pixels of the frame as stored.
    private func showBoxes(at time: FrameTime, isNewSearch: Bool) {
        session.board.post(BoxBoard.Reading(found: timeline.confirmed, time: time, isNewSearch: isNewSearch))
    }

    /// What was searched for, or the picture, is another now: old sightings are over.
    private mutating func restart(_ revision: Int, _ geometry: FrameGeometry, _ scale: Double) {
        for sighting in timeline.finish() { report(over: sighting) }
        var settings = SightingTimeline.Settings()
        settings.pictureMemory = 12 << 20
        timeline = SightingTimeline(settings: settings, scale: scale, firstID: timeline.nextID)
        self.revision = revision
        self.geometry = geometry
    }

    private mutating func report(over sighting: Sighting) {
        known.remove(sighting.id)
        session.disappeared(geometry?.displayed(sighting) ?? sighting)
    }
}
