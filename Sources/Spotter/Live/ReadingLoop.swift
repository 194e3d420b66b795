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
    private var connection: Int?

    init(session: LiveSession, reader: any TextReader, isShown: Bool) {
        self.session = session
        self.reader = reader
        self.isShown = isShown
        sparing = SparingReader(reader, maximumAge: session.settings.maximumReadingAge)
    }

    /// Reads until the frames end or the task is cancelled, then closes the sightings that are still open.
    mutating func run() async throws {
        while let frame = await session.slot.take() {
            startAnew(ifNewIn: frame)
            if frame.sample != nil { try await read(frame) }
            if Task.isCancelled { break }
        }
        for sighting in timeline.finish() { report(over: sighting) }
    }

    /// What was seen through an earlier connection is over, even where the same words are seen again.
    private mutating func startAnew(ifNewIn frame: borrowing LiveFrame) {
        defer { connection = frame.sample == nil ? nil : frame.connection }
        guard let connection, connection != frame.connection || frame.sample == nil else { return }
        restart(revision, geometry, timeline.scale)
        sparing.forget()
    }

    private mutating func read(_ frame: consuming LiveFrame) async throws {
        var sample = frame.sample?.retained()
        guard let info = sample?.info else { return }
        let (time, arrival) = (frame.time, frame.arrival)
        let geometry = try FrameGeometry(info, region: nil)
        let region = try session.settings.region?.rect(width: info.width, height: info.height)
        // The small pictures show the whole frame; of a part of it nothing is known to be unchanged.
        let small = region == nil ? session.trail.picture(at: time.index) : nil
        let begun = ContinuousClock.now
        _ = consume frame
        let lines: [TextLine]
        do {
            let (read, wasRead) = try await sparing.lines(of: small, at: time) {
                [converter, format = reader.pictureFormat] in
                guard let frame = sample.take() else { throw CancellationError() }
                // A camera has few buffers: the frame goes back before the reading begins.
                return try converter.picture(from: frame, format: format, region: region)
            }
            lines = read
            if wasRead { session.read(in: .now - begun) } else { session.foundUnchanged() }
        } catch is CancellationError {
            return
        }
        let (frames, scale) = session.trail.frames(after: lastRead, through: time.index)
        lastRead = time.index
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
    private mutating func restart(_ revision: Int, _ geometry: FrameGeometry?, _ scale: Double) {
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
