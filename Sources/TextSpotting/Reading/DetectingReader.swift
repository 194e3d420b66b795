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

    /// Looks only where something changed, and reads only lines that did; the others are as they were.
    public func read(_ picture: Picture, after previous: PreviousReading) async throws -> [TextLine] {
        let plan = ReadingPlan(for: picture, changed: previous.changed)
        // The costly part does not need the lines read before, which may still be in work.
        let fresh = try await detect(plan, in: picture).filter(plan.isChanged)
        // A line that grew did not change where it was: what is found now stands for it.
        let known = try await plan.moved(previous.lines(), by: previous.displacement, in: picture).filter { line in
            !plan.isChanged(line.quad) && !fresh.contains { $0.bounds.covers(line.quad.bounds) }
        }
        let lines = known + (try await recognize(fresh, in: picture))
        return lines.sorted { ($0.quad.center.y, $0.quad.center.x) < ($1.quad.center.y, $1.quad.center.x) }
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

extension Rect {
    /// Much of the smaller of the two lies in both: they are places of one line.
    fileprivate func covers(_ other: Rect) -> Bool {
        let smaller = min(area, other.area)
        return smaller > 0 && intersection(other).area > 0.4 * smaller
    }
}
