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
