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
        let regions = try await detector.detect(in: picture)
        guard !regions.isEmpty else { return [] }
        return try await recognizer.recognize(regions.map(\.quad), in: picture).compactMap { $0 }
    }
}
