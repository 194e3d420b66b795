/// Reads a picture of a running sequence with as little work as its changes allow.
struct IncrementalReading: Sendable {
    let detector: any TextDetector
    let recognizer: any LineRecognizer

    /// Looks only where something changed, and reads only lines that the tracks do not know already.
    ///
    /// - Parameter see: told of each line that is read, as soon as it is.
    func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void = { _ in }
    ) async throws -> TextTracker {
        if previous.rereadsOnly { return try await reread(picture, at: time, after: previous, seeing: see) }
        let (carried, plan) = try await carry(in: picture, after: previous)
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
            at: found, in: picture, at: time, isChanged: { plan?.isChanged($0) ?? true }, motion: motion,
            carried: carried)
        let regions = request.regions
        let read = regions.isEmpty ? [] : try await recognizer.recognize(regions, in: picture) { see($1) }
        tracker.take(read, of: request, in: picture, at: time)
        return tracker
    }

    /// Reads known lines again where a place goes on changing, without looking for lines: a tenth of the work.
    private func reread(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker {
        var tracker = try await previous.tracker()
        guard let changed = previous.changed else { return tracker }
        let plan = ReadingPlan(for: picture, changed: changed)
        let request = tracker.lookAgain(in: picture, isChanged: plan.isChanged)
        guard !request.regions.isEmpty else { return tracker }
        let read = try await recognizer.recognize(request.regions, in: picture) { see($1) }
        tracker.take(read, of: request, in: picture, at: time)
        return tracker
    }

    /// The lines that only moved since the reading before, and where else to look; no plan if nothing is known of that.
    ///
    /// Waits for the reading before where that may spare a detection.
    private func carry(in picture: Picture, after previous: PreviousReading) async throws
        -> ([CarriedLine], ReadingPlan?)
    {
        guard let changed = previous.changed else { return ([], nil) }
        let plan = ReadingPlan(for: picture, changed: changed)
        guard !changed.isEmpty, let (first, last) = previous.ends, previous.frames.count > 1,
            let background = background(previous, changed), let back = background.inverse
        else { return ([], plan) }
        let scale = plan.scale
        let there = background.scaled(by: 1 / scale)
        let touched = try await previous.tracker().tracks.filter {
            $0.isInView && (plan.isChanged($0.region) || plan.isChanged($0.region.mapped(there.apply)))
        }
        let carried = LineCarrier(frames: previous.frames, scale: scale, background: background)
            .carry(touched, in: picture)
        // Nothing is explained where nothing moved along.
        guard !carried.isEmpty || background != .none else { return ([], plan) }
        let steps = Dictionary(uniqueKeysWithValues: carried.map { ($0.track, $0.step.scaled(by: scale)) })
        var lines: [ExpectedPicture.Line] = []
        var lost: [Rect] = []
        for track in touched {
            let quad = track.region.scaled(x: scale, y: scale)
            if let step = steps[track.id] {
                lines.append(ExpectedPicture.Line(quad, movedBy: step))
            } else {
                lost += [quad.bounds, quad.mapped(background.apply).bounds]
            }
        }
        let expected = ExpectedPicture(reference: first, current: last, lines: lines, back: back)
        return (carried, ReadingPlan(for: picture, changed: expected.unexplained(changed, lost: lost)))
    }

    /// How all but the lines moved, in pixels of the thumbnails; nil if the picture is to be looked at as a whole.
    private func background(_ previous: PreviousReading, _ changed: TileMask) -> PlanarMotion? {
        guard previous.displacement == .none else { return PlanarMotion(shift: previous.displacement.point) }
        guard changed.share > Self.everywhere else { return PlanarMotion.none }
        return BackgroundMotion.through(previous.frames) ?? (changed.share > ReadingPlan.most ? nil : PlanarMotion.none)
    }

    /// From this share of changed tiles on the picture may have moved as a whole.
    private static let everywhere = 0.25

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
