/// A reader made of a pair: `detector` finds the lines and `recognizer` reads them.
public struct DetectingReader: TextReader {
    public let name: String
    public let concurrency: Int
    let detector: any TextDetector
    let recognizer: any LineRecognizer

    /// - Precondition: both halves want the same picture format.
    public init(name: String, detector: any TextDetector, recognizer: any LineRecognizer, concurrency: Int) {
        precondition(detector.pictureFormat == recognizer.pictureFormat, "a pair reads the same pictures")
        self.name = name
        self.detector = detector
        self.recognizer = recognizer
        self.concurrency = concurrency
    }

    public var pictureFormat: Picture.Format { detector.pictureFormat }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        try await recognize(try await detector.detect(in: picture).map(\.quad), in: picture)
    }

    /// Looks only where something changed, and reads only lines that are new there, changed, doubtful or clearer than
    /// before; the others are as they were, and may have moved.
    public func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws
        -> TextTracker
    {
        let plan = previous.changed.map { ReadingPlan(for: picture, changed: $0) }
        // The costly part does not need the lines read before, which may still be in work.
        let found: [Quad]
        if let plan {
            found = try await detect(plan, in: picture)
        } else {
            found = try await detector.detect(in: picture).map(\.quad)
        }
        var tracker = try await previous.tracker()
        let motion = plan?.offset(of: previous.displacement) ?? Point(0, 0)
        let rereading = tracker.look(
            at: found, in: picture, at: time, isChanged: { plan?.isChanged($0) ?? true }, motion: motion)
        let read = rereading.regions.isEmpty ? [] : try await recognizer.recognize(rereading.regions, in: picture)
        tracker.take(read, of: rereading, in: picture, at: time)
        return tracker
    }

    /// The lines in the plan's bands; in the whole picture when a band turns out to cut one.
    private func detect(_ plan: ReadingPlan, in picture: Picture) async throws -> [Quad] {
        guard let bands = plan.bands else { return try await detector.detect(in: picture).map(\.quad) }
        var found: [Quad] = []
        for band in bands {
            let regions = try await detector.detect(in: picture.cropped(to: band))
            let quads = regions.map { $0.quad.moved(by: Point(band.x, band.y)) }
            if quads.contains(where: { plan.isChanged($0) && plan.isCut($0, by: band, in: picture) }) {
                return try await detector.detect(in: picture).map(\.quad)
            }
            found += quads.filter { quad in !found.contains { $0.bounds.covers(quad.bounds) } }
        }
        return found
    }

    private func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine] {
        guard !quads.isEmpty else { return [] }
        return try await recognizer.recognize(quads, in: picture).compactMap { $0 }
    }
}
