import TextSpotting

/// Reads a running picture anew only where it changed, and not at all where nothing did.
///
/// Used by one task. What it returns is what the frame shows, as far as the change gate can tell.
struct SparingReader {
    private let reader: any TextReader
    private var gate: ChangeGate
    private var tracker: TextTracker
    private var hasRead = false

    /// - Parameter maximumAge: text that seems not to change is read again after this time.
    init(_ reader: any TextReader, maximumAge: StreamTime) {
        self.reader = reader
        var settings = ChangeGate.Settings()
        // The next frame is read as soon as this one is done: how often is the machine's business here, and what is gone by
        // then is gone.
        settings.minimumInterval = .zero
        settings.motionInterval = .zero
        settings.steadyInterval = .zero
        settings.settlingFrames = .max
        settings.followsMotion = true
        settings.maximumAge = maximumAge
        gate = ChangeGate(settings: settings)
        var tracking = TextTracker.Settings()
        tracking.maximumAge = maximumAge
        tracker = TextTracker(settings: tracking)
    }

    /// The lines of a frame, each with its past.
    ///
    /// - Parameters:
    ///   - small: the frame as a small luma picture; nil where there is none, and then all of it is read.
    ///   - see: told of each line that is read, as soon as it is, on any thread; in pixels of the picture.
    ///   - picture: makes the picture to be read, where one is needed.
    /// - Returns: the lines, and whether anything was read for them.
    mutating func lines(
        of small: Picture?, at time: FrameTime, seeing see: @escaping @Sendable (TextLine) -> Void = { _ in },
        _ picture: () throws -> Picture
    ) async throws -> (tracks: [TextTrack], wasRead: Bool) {
        let decision = small.map { gate.consider($0, at: time) }
        if hasRead, let decision, decision.reads == nil { return (tracker.visible, false) }
        let changed = hasRead ? decision?.reads : nil
        let before = tracker
        let displacement = decision?.displacement ?? .none
        tracker = try await reader.read(
            picture(), at: time, after: PreviousReading(changed: changed, displacement: displacement) { before },
            seeing: see)
        hasRead = true
        return (tracker.visible, true)
    }
}
