/// Reads a picture of a running sequence with as little work as its changes allow.
struct IncrementalReading: Sendable {
    let detector: any TextDetector
    let recognizer: any LineRecognizer

    /// Searches only where something changed, and reads only lines that the tracks do not know already.
    ///
    /// - Parameter see: called with each line as soon as it is read.
    func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void = { _ in }
    ) async throws -> TextTracker {
        if previous.isRereading { return try await reread(picture, at: time, after: previous, seeing: see) }
        let (carried, plan) = try await carry(in: picture, after: previous)
        // The expensive part does not need the previously read lines, which may still be in progress.
        var found: [Quad]
        if let plan {
            found = try await detect(plan, in: picture)
        } else {
            found = try await detector.detect(in: picture).map(\.quad)
        }
        found = picture.places(toRead: found)
        var tracker = try await previous.tracker()
        let motion = plan?.offset(of: previous.displacement) ?? Point(0, 0)
        var request = tracker.look(
            at: found, in: picture, at: time, isChanged: { plan?.isChanged($0) ?? true }, motion: motion,
            carried: carried)
        let regions = request.regions
        var read = regions.isEmpty ? [] : try await recognizer.recognize(regions, in: picture) { see($1) }
        let isOther = previous.displacement != .none || plan?.isEverywhere ?? false
        var places: [Rect] = []
        if let plan, !isOther, let appeared = appeared(plan, in: picture, tracker, request, besides: read) {
            places = appeared.places
            let found = try await detect(plan, in: appeared.picture)
            let lines = found.isEmpty ? [] : try await recognizer.recognize(found, in: appeared.picture)
            for case (let region, let line?) in zip(found, lines) where line.isClear {
                if tracker.add(line, at: region, to: &request, &read) { see(line) }
            }
        }
        tracker.take(read, of: request, in: picture, at: time)
        tracker.noteGround(of: picture, isOther: isOther, appeared: places, at: time)
        return tracker
    }

    /// Returns what appeared on a rough ground, where nothing was read clearly in the picture as it is.
    private func appeared(
        _ plan: ReadingPlan, in picture: Picture, _ tracker: TextTracker, _ request: TextTracker.Request,
        besides read: [TextLine?]
    ) -> AppearedText? {
        let clear = read.compactMap { $0 }.filter(\.isClear).map(\.quad.bounds)
        let places = tracker.placesOfChange(plan.changedPlaces, request).filter { place in
            !clear.contains { !$0.intersection(place).isEmpty }
        }
        return tracker.ground.flatMap { AppearedText(in: picture, over: $0, at: places) }
    }

    /// Reads known lines again where their places changed, without searching for lines: a tenth of the work.
    private func reread(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker {
        var tracker = try await previous.tracker()
        guard let changed = previous.changed,
            let places = previous.changedPlaces(scale: ReadingPlan(for: picture, changed: changed).scale)
        else { return tracker }
        let request = tracker.lookAgain(in: picture, at: time, places)
        guard !request.regions.isEmpty else { return tracker }
        let read = try await recognizer.recognize(request.regions, in: picture) { see($1) }
        tracker.take(read, of: request, in: picture, at: time)
        return tracker
    }

    /// Returns the lines that only moved since the previous reading, and where else to search; no plan if nothing is
    /// known about that.
    ///
    /// Waits for the previous reading if that may save a detection.
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
        let others = touched.filter { track in !carried.contains { $0.track == track.id } }.map(\.region)
        // Without any motion nothing is explained.
        guard !carried.isEmpty || background != .none else { return ([], plan.holding(others, in: picture)) }
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
        let rest = ReadingPlan(for: picture, changed: expected.unexplained(changed, lost: lost))
        return (carried, rest.holding(others, in: picture))
    }

    /// Returns the motion of everything except the lines, in pixels of the thumbnails; nil if the whole picture must be
    /// searched.
    private func background(_ previous: PreviousReading, _ changed: TileMask) -> PlanarMotion? {
        guard previous.displacement == .none else { return PlanarMotion(shift: previous.displacement.point) }
        guard changed.share > Self.everywhere else { return PlanarMotion.none }
        return BackgroundMotion.through(previous.frames) ?? (changed.share > ReadingPlan.most ? nil : PlanarMotion.none)
    }

    /// The share of changed tiles from which the whole picture may have moved.
    private static let everywhere = 0.25

    /// Returns the lines in the plan's bands, or in the whole picture if a band turns out to cut one.
    private func detect(_ plan: ReadingPlan, in picture: Picture) async throws -> [Quad] {
        guard let bands = plan.bands else { return try await detector.detect(in: picture).map(\.quad) }
        // A display is searched for in whole pictures.
        let inBands = (detector as? SegmentDetector)?.usual ?? detector
        var found: [Quad] = []
        for band in bands {
            let regions = try await inBands.detect(in: picture.cropped(to: band))
            let quads = regions.map { $0.quad.moved(by: Point(band.x, band.y)) }
            if quads.contains(where: { plan.isChanged($0) && plan.isCut($0, by: band, in: picture) }) {
                return try await detector.detect(in: picture).map(\.quad)
            }
            found += quads.filter { quad in !found.contains { $0.bounds.covers(quad.bounds) } }
        }
        return found
    }
}

/// The parts of a picture that must be searched again, given what changed since it was last read.
///
/// The parts are bands with the full width and a fraction of the height of the picture: the full width, so that no line
/// is cut at their sides; one height, because an engine prepares separately for each size of picture.
struct ReadingPlan: Sendable, Hashable {
    /// The bands of the picture to search; nil for all of it.
    private(set) var bands: [Rect]?
    /// The changed tiles, in pixels of the grid's picture.
    private let changed: TileMask
    /// The number of grid pixels per picture pixel.
    private let scaleX: Double
    private let scaleY: Double

    /// The height of a band as a share of the picture's.
    static let bandShare = 0.25
    /// If a larger share of the tiles changed, the whole picture is searched.
    static let most = 0.5

    init(for picture: Picture, changed: TileMask) {
        self.changed = changed
        scaleX = Double(changed.grid.width) / Double(max(1, picture.width))
        scaleY = Double(changed.grid.height) / Double(max(1, picture.height))
        bands = changed.share > Self.most ? nil : Self.bands(over: changed.rowRanges, in: picture, scaleY)
    }

    /// Returns one or two bands that hold all changed rows with a margin; nil if that is not possible.
    private static func bands(over ranges: [ClosedRange<Double>], in picture: Picture, _ scaleY: Double) -> [Rect]? {
        let height = Double(picture.height)
        let bandHeight = (height * bandShare).rounded(.up)
        // A changed tile may contain only the corner of a letter: the rest of its line is above or below.
        let margin = height / 24
        var bands: [(top: Double, bottom: Double)] = []
        for range in ranges {
            let (top, bottom) = (range.lowerBound / scaleY - margin, range.upperBound / scaleY + margin)
            if let last = bands.last, bottom - last.top <= bandHeight {
                bands[bands.count - 1].bottom = bottom
            } else {
                bands.append((top, bottom))
            }
        }
        guard bands.count <= 2, bands.allSatisfy({ $0.bottom - $0.top <= bandHeight }) else { return nil }
        return bands.map { band in
            let top = min(height - bandHeight, max(0, ((band.top + band.bottom - bandHeight) / 2).rounded()))
            return Rect(x: 0, y: max(0, top), width: Double(picture.width), height: min(height, bandHeight))
        }
    }

    /// Returns the plan that searches the whole picture if a band would cut one of these known lines: the parts of large
    /// letters in it may look like no text.
    func holding(_ lines: [Quad], in picture: Picture) -> ReadingPlan {
        let isCut = bands?.contains { band in
            lines.contains { !$0.bounds.intersection(band).isEmpty && self.isCut($0, by: band, in: picture) }
        }
        guard isCut == true else { return self }
        var plan = self
        plan.bands = nil
        return plan
    }

    /// Whether most of the picture changed.
    var isEverywhere: Bool { changed.share > Self.most }

    /// The bounds of all groups of adjacent changed tiles, in pixels of the picture.
    var changedPlaces: [Rect] {
        changed.groups.map {
            Rect(x: $0.x / scaleX, y: $0.y / scaleY, width: $0.width / scaleX, height: $0.height / scaleY)
        }
    }

    /// Returns whether something changed at the quad, which is in pixels of the picture.
    func isChanged(_ quad: Quad) -> Bool { changed.intersects(quad.scaled(x: scaleX, y: scaleY).bounds) }

    /// The size of the grid's picture divided by that of the picture.
    var scale: Double { scaleX }

    /// Converts a displacement of the grid's picture to pixels of the picture.
    func offset(of displacement: Displacement) -> Point {
        Point(Double(displacement.dx) / scaleX, Double(displacement.dy) / scaleY)
    }

    /// Returns whether the quad crosses the edge of a band inside the picture, so that part of it may be missing.
    func isCut(_ quad: Quad, by band: Rect, in picture: Picture) -> Bool {
        let bounds = quad.bounds
        return (band.minY > 0 && bounds.minY <= band.minY + 2)
            || (band.maxY < Double(picture.height) && bounds.maxY >= band.maxY - 2)
    }
}

/// Knowledge from earlier pictures of the same size, for reading the next one.
public struct PreviousReading: Sendable {
    /// Returns the lines that were in view before, and their look; waits until the previous reading is done.
    public let tracker: @Sendable () async throws -> TextTracker
    /// The tiles that changed since then. The grid's picture shows the same as the one to be read, perhaps smaller. Nil
    /// if unknown: everything may have changed.
    public let changed: TileMask?
    /// The motion of everything else since then, in pixels of the same grid's picture.
    public let displacement: Displacement
    /// The frame that was read before, those since, and last the one to be read, as thumbnails of the same grid; empty
    /// if lines are not followed through them.
    public let frames: [FrameHistory.Frame]

    /// Whether only known lines at changed places are read and no others are searched for. ``frames`` are then the
    /// frame before, the one to be read and, if it is known, the next.
    public let isRereading: Bool

    /// The thumbnails of the previous reading and of the coming one.
    var ends: (first: Picture, last: Picture)? {
        guard let first = frames.first?.picture, let last = frames.last?.picture else { return nil }
        return (first, last)
    }

    public init(
        changed: TileMask?, displacement: Displacement = .none, frames: [FrameHistory.Frame] = [],
        isRereading: Bool = false, tracker: @escaping @Sendable () async throws -> TextTracker
    ) {
        self.tracker = tracker
        self.changed = changed
        self.displacement = displacement
        self.frames = frames
        self.isRereading = isRereading
    }
}

/// The motion of a whole picture between two readings (a shift, rotation, zoom or tilt), as far as one affine motion
/// describes it.
///
/// A coarse version of the picture is followed from frame to frame and then aligned exactly with the last one. Words
/// that move differently hardly matter, because they cover little of the picture.
enum BackgroundMotion {
    /// The interval, in frames, at which the picture is located.
    private static let pace = 2
    /// The size of the averaged squares, in pixels of the thumbnail: while following, and at the end.
    private static let coarse = 8
    private static let fine = 3
    /// The correlation from which one motion describes the change.
    private static let alike = 0.85
    /// Pixels closer to the edge than this share of the picture may have left it.
    private static let margin = 0.06

    /// Returns the motion from the first frame to the last, in pixels of the thumbnails; nil if no motion describes it.
    static func through(_ frames: [FrameHistory.Frame]) -> PlanarMotion? {
        guard let first = frames.first?.picture, let last = frames.last?.picture else { return nil }
        let inside = first.bounds.grown(by: -margin * Double(min(first.width, first.height)))
        guard let template = PlanarTemplate(first, in: Quad(inside), coarseness: coarse) else { return nil }
        var (motion, step) = (PlanarMotion.none, PlanarMotion.none)
        for (number, frame) in frames.enumerated().dropFirst()
        where (frames.count - 1 - number).isMultiple(of: pace) {
            guard let fit = template.fit(in: frame.picture, near: step.after(motion)), fit.correlation >= alike,
                let back = motion.inverse
            else { return nil }
            step = fit.motion.after(back)
            motion = fit.motion
        }
        guard let exact = PlanarTemplate(first, in: Quad(inside), coarseness: fine),
            let fit = exact.fit(in: last, near: motion), fit.correlation >= alike
        else { return nil }
        return fit.motion
    }
}

extension PreviousReading {
    /// Returns where known lines must be read again in the coming picture; nil if lines are searched for, or nothing is
    /// known.
    func changedPlaces(scale: Double) -> ChangedPlaces? {
        guard isRereading, let changed else { return nil }
        return ChangedPlaces(changed, in: frames, scale: scale)
    }

    /// Returns whether some line must be read again.
    ///
    /// - Parameter scale: the size of the thumbnails divided by that of the picture.
    package func concerns(_ tracker: TextTracker, scale: Double) -> Bool {
        changedPlaces(scale: scale).map { tracker.tracks.contains(where: $0.concern) } ?? false
    }
}
