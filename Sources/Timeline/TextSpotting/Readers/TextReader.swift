import Synchronization

/// Reads all text of a picture: the interface of engines to jobs.
///
/// Either an engine that does both steps at once (Tesseract on a whole page) or a pair of a ``TextDetector`` and a
/// ``LineRecognizer`` joined by ``DetectingReader``.
public protocol TextReader: Sendable {
    /// The reader's name for users, with its version and languages: `Tesseract 5.3.0 (eng)`.
    var name: String { get }
    /// The picture format that ``read(_:)`` needs.
    var pictureFormat: Picture.Format { get }
    /// The number of pictures that can usefully be read at the same time.
    var concurrency: Int { get }

    /// Announces pictures of this size, so that the engine prepares for them on its own threads. Returns at once; a
    /// failure is reported by the first reading.
    func prepare(forWidth width: Int, height: Int)

    /// Returns the lines of text in `picture`, in reading order, in its pixels.
    ///
    /// The result depends only on the picture, never on load, order or concurrent work. Blocking work runs on the
    /// engine's own threads. If the task is cancelled, the engine is stopped in the middle of its work.
    /// - Throws: `CancellationError` if the task was cancelled, otherwise an error of the engine as a full sentence.
    func read(_ picture: Picture) async throws -> [TextLine]

    /// Reads one picture of a running sequence, with less work where it has not changed.
    ///
    /// The result covers everything in the picture: read again, or known to be unchanged. Readers that cannot separate
    /// finding lines from reading them read everything. The result depends only on the pictures and their order.
    func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws -> TextTracker

    /// Like ``read(_:at:after:)``, but reports each line as soon as it is read, for callers that cannot wait for all of
    /// them: `see` is called on any thread, in any order, with the reading of that line alone. The result is the same.
    ///
    /// Readers that finish all lines at the same time report none early.
    func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker
}

extension TextReader {
    public func prepare(forWidth width: Int, height: Int) {}

    public func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker {
        try await read(picture, at: time, after: previous)
    }

    public func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws
        -> TextTracker
    {
        guard !previous.isRereading else { return try await previous.tracker() }
        let lines = try await read(picture)
        var tracker = try await previous.tracker()
        tracker.add(lines, in: picture, at: time)
        return tracker
    }
}

/// Reads pictures at twice their size: engines made for printed pages find more small text that way, in four times the
/// time.
public struct EnlargingReader: TextReader {
    private let reader: any TextReader

    public init(_ reader: any TextReader) {
        self.reader = reader
    }

    public var name: String { reader.name + ", enlarged" }
    public var pictureFormat: Picture.Format { reader.pictureFormat }
    public var concurrency: Int { reader.concurrency }

    /// Pictures with more pixels than this are not enlarged: small text in them has enough pixels.
    private static let mostPixels = 1920 * 1080

    public func read(_ picture: Picture) async throws -> [TextLine] {
        guard picture.width * picture.height <= Self.mostPixels else { return try await reader.read(picture) }
        return try await reader.read(picture.doubled()).map { $0.mapped { $0.scaled(x: 0.5, y: 0.5) } }
    }
}

extension Picture {
    /// Returns the picture at twice its size, with bilinear interpolation (pixel centers a quarter off).
    func doubled() -> Picture {
        let step = format.bytesPerPixel
        let (newWidth, newHeight) = (width * 2, height * 2)
        let result = bytes.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * step) { target, count in
                for y in 0..<newHeight {
                    // A new row lies a quarter of a pixel above or below the center of its old one.
                    let near = (y / 2) &* width
                    let far = min(max(y / 2 + (y % 2 == 0 ? -1 : 1), 0), height - 1) &* width
                    for x in 0..<newWidth {
                        let left = x / 2
                        let right = min(max(left + (x % 2 == 0 ? -1 : 1), 0), width - 1)
                        for channel in 0..<step {
                            func at(_ row: Int, _ column: Int) -> Int {
                                Int(source[(row &+ column) &* step &+ channel])
                            }
                            let sum =
                                9 &* at(near, left) &+ 3 &* at(near, right) &+ 3 &* at(far, left) &+ at(far, right)
                            target[(y &* newWidth &+ x) &* step &+ channel] = UInt8(truncatingIfNeeded: (sum &+ 8) >> 4)
                        }
                    }
                }
                count = newWidth * newHeight * step
            }
        }
        return Picture(format: format, width: newWidth, height: newHeight, bytes: result)
    }
}

/// Something that is loaded, once, when it is first needed. Thread-safe.
package final class Lazy<Value: Sendable>: Sendable {
    private let load: @Sendable () async throws -> Value
    private let loading = Mutex<Task<Value, any Error>?>(nil)

    package init(_ load: @escaping @Sendable () async throws -> Value) { self.load = load }

    /// The task that loads it, which is started if it has not been; does not wait for it.
    package var task: Task<Value, any Error> {
        loading.withLock { loading in
            let task = loading ?? Task { [load] in try await load() }
            loading = task
            return task
        }
    }
}

/// A reader that is still being loaded while the first frames are already decoded: the first reading waits for it.
public struct StartingReader: TextReader {
    public let pictureFormat: Picture.Format
    public let concurrency: Int
    private let loading: Lazy<any TextReader>

    /// - Parameters:
    ///   - pictureFormat: the format that the reader will need; a reader that needs another must be able to read this
    ///     too.
    ///   - startsWhenNeeded: whether it is loaded only when the first picture is announced or given to it.
    ///   - load: creates the reader; its error is thrown by every reading.
    public init(
        pictureFormat: Picture.Format, concurrency: Int, startsWhenNeeded: Bool = false,
        load: @escaping @Sendable () async throws -> any TextReader
    ) {
        self.pictureFormat = pictureFormat
        self.concurrency = concurrency
        loading = Lazy(load)
        if !startsWhenNeeded { _ = loading.task }
    }

    public var name: String { "a reader that is being loaded" }

    /// The reader itself, once loaded.
    public var loaded: any TextReader {
        get async throws { try await loading.task.value }
    }

    public func prepare(forWidth width: Int, height: Int) {
        let task = loading.task
        Task { try? await task.value.prepare(forWidth: width, height: height) }
    }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        try await loading.task.value.read(picture)
    }

    public func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws
        -> TextTracker
    {
        try await loading.task.value.read(picture, at: time, after: previous)
    }

    public func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker {
        try await loading.task.value.read(picture, at: time, after: previous, seeing: see)
    }
}

/// A reader that combines a `detector`, which finds the lines, with a `recognizer`, which reads them.
public struct DetectingReader: TextReader {
    public let name: String
    public let concurrency: Int
    public let detector: any TextDetector
    public let recognizer: any LineRecognizer

    /// - Precondition: both need the same picture format.
    public init(name: String, detector: any TextDetector, recognizer: any LineRecognizer, concurrency: Int) {
        precondition(detector.pictureFormat == recognizer.pictureFormat, "a pair reads the same pictures")
        self.name = name
        self.detector = detector
        self.recognizer = recognizer
        self.concurrency = concurrency
    }

    /// The same pair, which also reads seven-segment displays; the networks were trained on printed digits.
    public var withDisplays: DetectingReader {
        DetectingReader(
            name: name, detector: SegmentDetector(usual: detector), recognizer: SegmentRecognizer(usual: recognizer),
            concurrency: concurrency)
    }

    /// The same pair without that, for redaction, which needs the networks' own readings.
    public var withoutDisplays: DetectingReader {
        DetectingReader(
            name: name, detector: (detector as? SegmentDetector)?.usual ?? detector,
            recognizer: (recognizer as? SegmentRecognizer)?.usual ?? recognizer, concurrency: concurrency)
    }

    public var pictureFormat: Picture.Format { detector.pictureFormat }

    public func prepare(forWidth width: Int, height: Int) { detector.prepare(forWidth: width, height: height) }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        let found = try await detector.detect(in: picture).map(\.quad)
        return try await recognize(picture.places(toRead: found), in: picture)
    }

    /// Searches only where something changed, and reads only lines that are new there, changed, doubtful or clearer
    /// than before; the others keep their text, and may have moved.
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
