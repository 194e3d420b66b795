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

    public func prepare(forWidth width: Int, height: Int) { detector.prepare(forWidth: width, height: height) }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        try await recognize(try await detector.detect(in: picture).map(\.quad), in: picture)
    }

    /// Looks only where something changed, and reads only lines that are new there, changed, doubtful or clearer than
    /// before; the others are as they were, and may have moved.
    public func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws
        -> TextTracker
    {
        try await read(picture, at: time, after: previous) { _ in }
    }

    public func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker {
        try await IncrementalReading(detector: detector, recognizer: recognizer).read(
            picture, at: time, after: previous, seeing: see)
    }

    private func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine] {
        guard !quads.isEmpty else { return [] }
        return try await recognizer.recognize(quads, in: picture).compactMap { $0 }
    }
}
