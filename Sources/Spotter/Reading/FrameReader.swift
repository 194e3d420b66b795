import GStreamerMedia
import TextSpotting
import Threads

/// Reads frames of a running picture: only where they changed, as far as the change gate can tell, and one that stands still more
/// closely. Used by one task.
struct FrameReader {
    /// Settings that never change while a job runs.
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
    private let frameHistory: LiveFrameHistory
    private let source: SourceState
    private let measurements: LiveMeasurements
    private let part: SearchedPart
    private let converter = PictureConverter()
    private let recognizer: Recognizer
    /// Which of the frames that the reader takes are read, and what of them.
    private var gate: ChangeGate
    /// The latest reading; nil before the first.
    private var known: TextTracker?

    /// - Parameters:
    ///   - closely: reads frames that stand still, where there is a better reader for them.
    ///   - frameHistory: where the thumbnails of the frames are.
    ///   - source: knows whether the picture still stands.
    ///   - see: told of each line as soon as it is read, in pixels of the searched part, on any thread; nil where only whole readings
    ///     count.
    init(
        _ settings: Settings, reader: any TextReader, closely: CloseReading, frameHistory: LiveFrameHistory,
        source: SourceState,
        measurements: LiveMeasurements, seeing see: (@Sendable (TextLine, FrameTime) -> Void)? = nil
    ) {
        self.settings = settings
        part = SearchedPart(settings.region, size: .followed)
        self.reader = reader
        self.closely = closely
        self.frameHistory = frameHistory
        self.source = source
        self.measurements = measurements
        gate = settings.gate
        var tracking = TextTracker.Settings()
        tracking.maximumAge = settings.maximumAge
        recognizer = Recognizer(engine: reader, tracking: tracking, executor: BatchThreads.shared, seeing: see)
    }

    /// The engine's name.
    var name: String { reader.name }

    /// Forgets earlier readings: the next frames have nothing to do with them.
    mutating func startAnew() async {
        gate = settings.gate
        known = nil
        await recognizer.startAnew()
    }

    /// Reads a frame; nil if its format is not known.
    ///
    /// - Throws: `CancellationError` when the reading is no longer needed, else why it failed.
    mutating func read(_ frame: consuming LiveFrame) async throws -> LiveResults.Reading? {
        var sample = frame.sample?.retained()
        guard let info = sample?.info else { return nil }
        let geometry = try part.geometry(of: info)
        let (time, arrival, isFrozen) = (frame.time, frame.arrival, frame.isFrozen)
        let thumbnail = frameHistory.picture(at: time.index)
        let begun = ContinuousClock.now
        _ = consume frame
        var reading = LiveResults.Reading(
            lines: [], time: time, arrival: arrival, geometry: geometry, picture: thumbnail)
        var shown: Picture?
        // A camera has few buffers: the frame goes back before the reading begins.
        let makePicture: (Picture.Format) throws -> Picture = {
            [converter, part, keepsPictures = settings.keepsPictures] in
            guard let frame = sample.take() else { throw CancellationError() }
            if keepsPictures { shown = try converter.picture(from: frame, format: .rgb) }
            return try part.picture(of: frame, $0, geometry)
        }
        if isFrozen,
            let close = try await closely.lines(
                ofFrame: time.index, while: { [source] in source.isFrozen }, makePicture)
        {
            reading.lines = close
        } else {
            let wasRead = try await readChanges(of: thumbnail, at: time, geometry, makePicture)
            let tracks = known?.visible ?? []
            (reading.lines, reading.tracks) = (tracks.map(\.line), tracks)
            if wasRead { measurements.read(in: .now - begun) } else { measurements.foundUnchanged() }
        }
        reading.shown = shown
        return reading
    }

    /// Reads a picture where it changed; false where it did not, as far as the gate can tell.
    ///
    /// - Parameter thumbnail: the frame as a thumbnail; nil where there is none, and then all of it is read.
    private mutating func readChanges(
        of thumbnail: Picture?, at time: FrameTime, _ geometry: FrameGeometry,
        _ picture: (Picture.Format) throws -> Picture
    ) async throws -> Bool {
        let decision = thumbnail.map { gate.consider($0, at: time) }
        if known != nil, let decision, decision.reads == nil { return false }
        known = try await recognizer.read(
            ReadRequest(
                frames: [], frame: time, picture: try picture(reader.pictureFormat), changed: decision?.reads,
                displacement: decision?.displacement ?? .none, geometry: geometry))
        return true
    }
}

extension FrameReader.Settings {
    /// A gate for a running picture.
    fileprivate var gate: ChangeGate {
        var settings = ChangeGate.Settings()
        // The next frame is read as soon as this one is done: how often is the machine's business here, and what is gone by
        // then is gone.
        settings.minimumInterval = .zero
        settings.motionInterval = .zero
        settings.steadyInterval = .zero
        settings.settlingFrames = .max
        settings.followsMotion = true
        settings.maximumAge = maximumAge
        return ChangeGate(settings: settings)
    }
}
