import GStreamerMedia
import TextSpotting

/// Reads frames of a running picture: where they changed, and one that stands still more closely. Used by one task.
struct FrameReader {
    /// What never changes while a job runs.
    struct Settings: Sendable {
        /// The part of the picture to search; nil for all of it.
        var region: RegionOfInterest?
        /// Text that seems not to change is read again after this time.
        var maximumAge: StreamTime
        /// Each frame that is read is kept until the next one is, for a picture of what is found in it.
        var keepsPictures = false
    }

    private let settings: Settings
    private let reader: any TextReader
    private let closely: CloseReading
    private let trail: LiveTrail
    private let source: SourceState
    private let measurements: LiveMeasurements
    private let part: SearchedPart
    private let converter = PictureConverter()
    private var sparing: SparingReader

    /// - Parameters:
    ///   - closely: reads frames that stand still, where there is a better reader for them.
    ///   - trail: where the small pictures of the frames are.
    ///   - source: knows whether the picture still stands.
    init(
        _ settings: Settings, _ reader: any TextReader, _ closely: CloseReading, _ trail: LiveTrail,
        _ source: SourceState, _ measurements: LiveMeasurements
    ) {
        self.settings = settings
        part = SearchedPart(settings.region, size: .followed)
        self.reader = reader
        self.closely = closely
        self.trail = trail
        self.source = source
        self.measurements = measurements
        sparing = SparingReader(reader, maximumAge: settings.maximumAge)
    }

    /// The engine's name.
    var name: String { reader.name }

    /// What comes has nothing to do with what was read.
    mutating func startAnew() { sparing = SparingReader(reader, maximumAge: settings.maximumAge) }

    /// What a frame says; nil where its format is not known.
    ///
    /// - Parameter see: told of each line as soon as it is read, in pixels of the searched part, on any thread.
    /// - Throws: `CancellationError` when nobody waits for the reading any more, else why there is none.
    mutating func read(
        _ frame: consuming LiveFrame, seeing see: @escaping @Sendable (TextLine, FrameTime) -> Void
    ) async throws -> LiveFindings.Reading? {
        var sample = frame.sample?.retained()
        guard let info = sample?.info else { return nil }
        let geometry = try part.geometry(of: info)
        let (time, arrival, isFrozen) = (frame.time, frame.arrival, frame.isFrozen)
        let small = trail.picture(at: time.index)
        let begun = ContinuousClock.now
        _ = consume frame
        var reading = LiveFindings.Reading(
            lines: [], time: time, arrival: arrival, geometry: geometry, picture: small)
        // A camera has few buffers: the frame goes back before the reading begins.
        let keepsPictures = settings.keepsPictures
        if isFrozen,
            let close = try await closely.lines(
                ofFrame: time.index, while: { [source] in source.isFrozen },
                { [converter, part] in
                    guard let frame = sample.take() else { throw CancellationError() }
                    if keepsPictures { reading.shown = try converter.picture(from: frame, format: .rgb) }
                    return try part.picture(of: frame, $0, geometry)
                })
        {
            reading.lines = close
        } else {
            let (found, wasRead) = try await sparing.lines(of: small, at: time) { line in
                see(line, time)
            } _: { [converter, part, format = reader.pictureFormat] in
                guard let frame = sample.take() else { throw CancellationError() }
                if keepsPictures { reading.shown = try converter.picture(from: frame, format: .rgb) }
                return try part.picture(of: frame, format, geometry)
            }
            (reading.lines, reading.tracks) = (found.map(\.line), found)
            if wasRead { measurements.read(in: .now - begun) } else { measurements.foundUnchanged() }
        }
        return reading
    }
}
