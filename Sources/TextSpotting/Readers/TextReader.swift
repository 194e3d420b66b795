/// Reads all text of a picture: the interface of engines to jobs.
///
/// Either an engine that does both steps at once (Tesseract on a whole page) or a pair of a ``TextDetector`` and a
/// ``LineRecognizer`` joined by ``DetectingReader``.
public protocol TextReader: Sendable {
    /// The reader's name for users, with its version and languages: `Tesseract 5.3.0 (eng)`.
    var name: String { get }
    /// The format that ``read(_:)`` needs its pictures in.
    var pictureFormat: Picture.Format { get }
    /// How many pictures can usefully be read at the same time.
    var concurrency: Int { get }

    /// Announces pictures of this size, so that preparations for them run on the engine's own threads. Returns at once; a failure is
    /// reported by the first reading.
    func prepare(forWidth width: Int, height: Int)

    /// The lines of text in `picture`, in reading order, in its pixels.
    ///
    /// The result depends on the picture alone, never on load, order or what else is being read. Blocking work runs on
    /// the engine's own threads. When the task is cancelled the engine is stopped in the middle of its work.
    /// - Throws: `CancellationError` when the task was cancelled, else an engine's error as a full sentence.
    func read(_ picture: Picture) async throws -> [TextLine]

    /// Reads one picture of a running sequence, with less work where it has not changed.
    ///
    /// The result covers everything in the picture now: read anew, or known to be unchanged. Readers that cannot
    /// separate finding lines from reading them read everything. The result depends on the pictures and their order
    /// alone.
    func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws -> TextTracker

    /// Like ``read(_:at:after:)``, but reports each line as soon as it is read, for callers that cannot wait for all of them: `see` is
    /// called on any thread, in any order, with that line's reading alone. The result is the same.
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
        guard !previous.rereadsOnly else { return try await previous.tracker() }
        let lines = try await read(picture)
        var tracker = try await previous.tracker()
        tracker.add(lines, in: picture, at: time)
        return tracker
    }
}
