/// A source that was examined: its kind, and how to get its frames.
public struct OpenedSource: Sendable {
    /// How its bytes come in, and what finds its decoder.
    public enum Manner: Sendable {
        /// `uridecodebin` opens it.
        case uri
        /// A still picture that only gdk-pixbuf reads.
        case pixbuf
        /// Open already, and to be read once.
        case pipe(PipeInput)
    }

    public let uri: SourceURI
    public let manner: Manner
    public let info: MediaInfo

    /// Whether it is one picture, so that times mean nothing.
    public let isStill: Bool

    /// It cannot be read a second time.
    public var isReadOnce: Bool { if case .pipe = manner { true } else { false } }

    /// Opens a source, reads its beginning and closes it again; of one that can be read once nothing is read.
    ///
    /// - Parameters:
    ///   - timeout: how long the source may take to answer.
    ///   - patience: how long the writer of a pipe may take to begin; nil for as long as it takes.
    /// - Throws: what ``MediaProbe/examine(_:timeout:)`` throws.
    public static func open(
        _ uri: SourceURI, timeout: Duration = .seconds(15), patience: Duration? = nil
    ) async throws -> OpenedSource {
        try MediaRuntime.initialize()
        try MediaProbe.checkFile(uri)
        if let pipe = try PipeInput(uri) {
            try await pipe.waitForData(atMost: patience)
            return OpenedSource(uri: uri, manner: .pipe(pipe), info: .unknown, isStill: false)
        }
        let info = try await MediaProbe.examine(uri, timeout: timeout)
        let format = uri.path.flatMap { PictureHeader(fileAt: $0)?.format }
        return OpenedSource(
            uri: uri, manner: manner(of: uri), info: info, isStill: info.isImage || format?.isOnePicture ?? false)
    }

    /// How a source is opened that can be opened again and again.
    public static func manner(of uri: SourceURI) -> Manner {
        guard let path = uri.path, MediaProbe.isRegularFile(path),
            PictureHeader(fileAt: path)?.format.decoding == .pixbuf
        else { return .uri }
        return .pixbuf
    }
}
