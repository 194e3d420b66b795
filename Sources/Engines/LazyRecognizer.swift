import Synchronization
import TextSpotting

/// A recognizer that is loaded when the first line is given to it: most searches never need it.
///
/// Thread-safe.
final class LazyRecognizer: LineRecognizer {
    let pictureFormat: Picture.Format
    private let load: @Sendable () async throws -> any LineRecognizer
    private let loading = Mutex<Task<any LineRecognizer, any Error>?>(nil)

    init(pictureFormat: Picture.Format, _ load: @escaping @Sendable () async throws -> any LineRecognizer) {
        self.pictureFormat = pictureFormat
        self.load = load
    }

    /// Begins to load it, if that has not begun; returns at once.
    func prepare() { _ = loaded }

    private var loaded: Task<any LineRecognizer, any Error> {
        loading.withLock { loading in
            let task = loading ?? Task { [load] in try await load() }
            loading = task
            return task
        }
    }

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        try await loaded.value.recognize(quads, in: picture)
    }
}

/// A reader that is loaded when the first picture is announced or given to it. Thread-safe.
final class LazyReader: TextReader {
    let pictureFormat: Picture.Format
    let concurrency: Int
    private let load: @Sendable () async throws -> any TextReader
    private let loading = Mutex<Task<any TextReader, any Error>?>(nil)

    init(
        pictureFormat: Picture.Format, concurrency: Int,
        _ load: @escaping @Sendable () async throws -> any TextReader
    ) {
        self.pictureFormat = pictureFormat
        self.concurrency = concurrency
        self.load = load
    }

    var name: String { "a reader that is loaded when it is needed" }

    func prepare(forWidth width: Int, height: Int) {
        let task = loaded
        Task { try? await task.value.prepare(forWidth: width, height: height) }
    }

    func read(_ picture: Picture) async throws -> [TextLine] { try await loaded.value.read(picture) }

    private var loaded: Task<any TextReader, any Error> {
        loading.withLock { loading in
            let task = loading ?? Task { [load] in try await load() }
            loading = task
            return task
        }
    }
}
