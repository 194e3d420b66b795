import Synchronization
import TextSpotting

/// A recognizer that is loaded when the first line is given to it: most searches never need it.
///
/// Where it cannot be loaded it reads nothing, and what was read before counts. Thread-safe.
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
        guard let recognizer = try? await loaded.value else { return quads.map { _ in nil } }
        return try await recognizer.recognize(quads, in: picture)
    }
}
