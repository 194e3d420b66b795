/// A reader that is still being loaded while the first frames are already decoded: the first reading waits for it.
public struct StartingReader: TextReader {
    public let pictureFormat: Picture.Format
    public let concurrency: Int
    private let loading: Task<any TextReader, any Error>

    /// - Parameters:
    ///   - pictureFormat: the format that the reader will want; one that wants another must be able to read this too.
    ///   - load: makes the reader; its error is thrown by every reading.
    public init(
        pictureFormat: Picture.Format, concurrency: Int, load: @escaping @Sendable () async throws -> any TextReader
    ) {
        self.pictureFormat = pictureFormat
        self.concurrency = concurrency
        loading = Task { try await load() }
    }

    public var name: String { "a reader that is being loaded" }

    /// The reader itself, once it is loaded.
    public var loaded: any TextReader {
        get async throws { try await loading.value }
    }

    public func prepare(forWidth width: Int, height: Int) {
        Task { try? await loading.value.prepare(forWidth: width, height: height) }
    }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        try await loading.value.read(picture)
    }

    public func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws
        -> TextTracker
    {
        try await loading.value.read(picture, at: time, after: previous)
    }

    public func read(
        _ picture: Picture, at time: FrameTime, after previous: PreviousReading,
        seeing see: @escaping @Sendable (TextLine) -> Void
    ) async throws -> TextTracker {
        try await loading.value.read(picture, at: time, after: previous, seeing: see)
    }
}
