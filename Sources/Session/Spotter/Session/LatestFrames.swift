import GStreamerMedia
import TextSpotting
import Threads

/// Turns the newest frames of a running picture into requests to read them: only where they changed according to the
/// change gate, and more closely if they stand still. Frames that arrive while one is being read replace the one that
/// waits.
actor LatestFrames {
    private let keepsPictures: Bool
    private let session: LatestSession
    private let startAnew: @Sendable () async -> Void
    private let converter = PictureConverter()
    private var selection: FrameSelection
    /// Whether a frame has been chosen for reading since frames started anew.
    private var hasRead = false
    private var connection: Int?

    /// - Parameters:
    ///   - format: the picture format that the reader needs.
    ///   - keepsPictures: whether each frame that is read is kept until the next one, for pictures of its findings.
    ///   - startAnew: called when coming frames are unrelated to earlier ones.
    init(
        of session: LatestSession, _ plan: ReadingPlan, _ format: Picture.Format, keepsPictures: Bool,
        startAnew: @escaping @Sendable () async -> Void
    ) {
        self.session = session
        self.keepsPictures = keepsPictures
        self.startAnew = startAnew
        selection = FrameSelection(
            SearchedPart(region: plan.region, size: .followed), format, .running(maximumAge: plan.runningAge))
    }

    /// Returns the next frame to read, or one that was found unchanged; nil when no more arrive, or the task is
    /// cancelled.
    ///
    /// - Throws: ``FramegrepError`` if a frame cannot be converted or the region is outside it.
    func next() async throws -> ReadRequest? {
        while let frame = await session.slot.take() {
            await startAnew(ifNewIn: frame)
            do {
                if let request = try await request(for: frame) { return request }
            } catch is CancellationError {
                // The picture moves again, so that frame is no longer needed.
            }
            if Task.isCancelled { break }
        }
        converter.close()
        selection.part.close()
        return nil
    }

    /// Ends sightings of an earlier connection, even if the same words are seen again.
    private func startAnew(ifNewIn frame: borrowing LiveFrame) async {
        let before = connection
        connection = frame.sample == nil ? nil : frame.connection
        guard let before, before != frame.connection || frame.sample == nil else { return }
        selection.startAnew()
        hasRead = false
        await startAnew()
    }

    /// - Returns: nil if the frame's format is not known.
    private func request(for frame: consuming LiveFrame) async throws -> ReadRequest? {
        let begun = ContinuousClock.now
        var sample = frame.sample?.retained()
        guard let info = sample?.info else { return nil }
        let geometry = try selection.part.geometry(of: info)
        let (time, isFrozen) = (frame.time, frame.isFrozen)
        var request = ReadRequest(frames: [], frame: time, geometry: geometry, arrival: frame.arrival, begun: begun)
        _ = consume frame
        request.thumbnail = session.frameHistory.picture(at: time.index)
        var shown: Picture?
        // A camera has few buffers: return the frame before the reading begins.
        let makePicture: (Picture.Format) throws -> Picture = {
            [converter, part = selection.part, keepsPictures] in
            guard let frame = sample.take() else { throw CancellationError() }
            if keepsPictures { shown = try converter.picture(from: frame, format: .rgb) }
            return try part.picture(of: frame, $0, geometry)
        }
        if isFrozen {
            request.closeLines = try await session.closely.lines(
                ofFrame: time.index, while: { [source = session.source] in source.isFrozen }, makePicture)
        }
        if request.closeLines == nil {
            let decision = request.thumbnail.map { selection.decide(on: $0, at: time) }
            request.isUnchanged = hasRead && decision != nil && decision?.reads == nil
            if !request.isUnchanged {
                request.picture = try makePicture(selection.format)
                hasRead = true
                (request.changed, request.displacement) = (decision?.reads, decision?.displacement ?? .none)
            }
        }
        request.shown = shown
        return request
    }
}

extension ChangeGate.Settings {
    /// Returns the gate's settings for a running picture.
    fileprivate static func running(maximumAge: StreamTime) -> ChangeGate.Settings {
        var settings = ChangeGate.Settings()
        // The next frame is read as soon as this one is done: the rate depends on the machine, and text that is gone by
        // then is missed.
        settings.minimumInterval = .zero
        settings.motionInterval = .zero
        settings.steadyInterval = .zero
        settings.settlingFrames = .max
        settings.followsMotion = true
        settings.maximumAge = maximumAge
        return settings
    }
}
