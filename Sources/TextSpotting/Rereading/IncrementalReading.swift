/// Reads a picture of a running sequence with as little work as its changes allow.
struct IncrementalReading: Sendable {
    let detector: any TextDetector
    let recognizer: any LineRecognizer

    /// Looks only where something changed, and reads only what the tracks known before do not already tell.
    ///
    /// - Parameter see: told of each line that is read, as soon as it is.
    func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void = { _ in }
    ) async throws -> TextTracker {
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
        let request = tracker.look(
            at: found, in: picture, at: time, isChanged: { plan?.isChanged($0) ?? true }, motion: motion)
        let regions = request.regions
        let read = regions.isEmpty ? [] : try await recognizer.recognize(regions, in: picture) { see($1) }
        tracker.take(read, of: request, in: picture, at: time)
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
}
