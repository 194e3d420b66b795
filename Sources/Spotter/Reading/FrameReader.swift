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
    /// - Parameter see: told of each line as soon as it is read, in pixels of the frame as stored, on any thread.
    /// - Throws: `CancellationError` when nobody waits for the reading any more, else why there is none.
    mutating func read(
        _ frame: consuming LiveFrame, seeing see: @escaping @Sendable (TextLine, FrameTime) -> Void
    ) async throws -> LiveFindings.Reading? {
        var sample = frame.sample?.retained()
        guard let info = sample?.info else { return nil }
        let (time, arrival, isFrozen) = (frame.time, frame.arrival, frame.isFrozen)
        let geometry = try FrameGeometry(info, region: nil)
        let region = try settings.region?.rect(width: info.width, height: info.height)
        let origin = Point(region?.x ?? 0, region?.y ?? 0)
        // The small pictures show the whole frame; of a part of it nothing is known to be unchanged.
        let small = region == nil ? trail.picture(at: time.index) : nil
        let begun = ContinuousClock.now
        _ = consume frame
        var reading = LiveFindings.Reading(
            lines: [], time: time, arrival: arrival, geometry: geometry, origin: origin,
            picture: trail.picture(at: time.index))
        // A camera has few buffers: the frame goes back before the reading begins.
        let keepsPictures = settings.keepsPictures
        if isFrozen,
            let close = try await closely.lines(
                ofFrame: time.index, while: { [source] in source.isFrozen },
                { [converter] in
                    guard let frame = sample.take() else { throw CancellationError() }
                    if keepsPictures { reading.shown = try converter.picture(from: frame, format: .rgb) }
                    return try converter.picture(from: frame, format: $0, region: region)
                })
        {
            reading.lines = close
        } else {
            let (found, wasRead) = try await sparing.lines(of: small, at: time) { line in
                see(origin == Point(0, 0) ? line : line.moved(by: origin), time)
            } _: { [converter, format = reader.pictureFormat] in
                guard let frame = sample.take() else { throw CancellationError() }
                if keepsPictures { reading.shown = try converter.picture(from: frame, format: .rgb) }
                return try converter.picture(from: frame, format: format, region: region)
            }
            (reading.lines, reading.tracks) = (found.map(\.line), found)
            if wasRead { measurements.read(in: .now - begun) } else { measurements.foundUnchanged() }
        }
        return reading
    }
}
