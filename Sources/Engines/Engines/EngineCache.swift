import NeuralOCR
import Synchronization
import TextSpotting
public import Threads

/// Engines that are loaded once for all users of the same one: ten pipelines of one process share one set of networks
/// in memory. Thread-safe.
public final class EngineCache: Sendable {
    /// An engine in use.
    final class Loaded: Sendable {
        let engine: NeuralEngine

        init(_ engine: NeuralEngine) { self.engine = engine }
    }

    private struct Place {
        weak var loaded: Loaded?
        var loading: Task<Loaded, any Error>?
    }

    /// Makes all these engines yield: the display reports when a frame is shown late.
    public let rightOfWay = RightOfWay()
    private let places = Mutex<[NeuralEngine.Settings: Place]>([:])
    private let load: @Sendable (NeuralEngine.Settings, RightOfWay) async throws -> NeuralEngine

    public convenience init() {
        self.init { try await NeuralEngine.load(settings: $0, givingWayTo: $1) }
    }

    init(load: @escaping @Sendable (NeuralEngine.Settings, RightOfWay) async throws -> NeuralEngine) {
        self.load = load
    }

    /// Begins a use of engines: they stay loaded as long as the handle exists.
    public func engineHandle() -> EngineHandle { EngineHandle(self) }

    /// Returns the engine with these settings, loading it if no handle has it.
    ///
    /// - Throws: ``FramegrepError`` naming the missing part.
    func loaded(_ settings: NeuralEngine.Settings) async throws -> Loaded {
        let task = places.withLock { places in
            if let loaded = places[settings]?.loaded { return Task<Loaded, any Error> { loaded } }
            if let loading = places[settings]?.loading { return loading }
            // Wait for all of it: a host that ends while networks are still being prepared crashes in their libraries.
            let task = Task { [rightOfWay, load] in Loaded(try await load(settings, rightOfWay)) }
            places[settings] = Place(loading: task)
            return task
        }
        let result = await task.result
        places.withLock { places in
            // Several callers wait for one load. If it failed, the first of them may have started another by now.
            guard places[settings]?.loading == task else { return }
            places[settings] = Place(loaded: try? result.get())
        }
        return try result.get()
    }
}

/// The engines that one user has from an ``EngineCache``. Thread-safe.
public final class EngineHandle: Sendable {
    private let cache: EngineCache
    private let kept = Mutex<[EngineCache.Loaded]>([])

    init(_ cache: EngineCache) {
        self.cache = cache
    }

    var rightOfWay: RightOfWay { cache.rightOfWay }

    func neural(_ settings: NeuralEngine.Settings) async throws -> NeuralEngine {
        let loaded = try await cache.loaded(settings)
        kept.withLock { $0.append(loaded) }
        return loaded.engine
    }
}

/// The engines loaded by one choice of readers, each once. Thread-safe.
final class OwnEngines: Sendable {
    private let loading = Mutex<[NeuralEngine.Settings: Task<NeuralEngine, any Error>]>([:])

    func engine(
        _ settings: NeuralEngine.Settings, _ load: @escaping @Sendable () async throws -> NeuralEngine
    ) async throws -> NeuralEngine {
        let task = loading.withLock { loading in
            let task = loading[settings] ?? Task { try await load() }
            loading[settings] = task
            return task
        }
        return try await task.value
    }
}

/// A recognizer that is loaded when the first line is given to it: most searches never need it.
struct LazyRecognizer: LineRecognizer {
    let pictureFormat: Picture.Format
    private let recognizer: Lazy<any LineRecognizer>

    init(pictureFormat: Picture.Format, _ load: @escaping @Sendable () async throws -> any LineRecognizer) {
        self.pictureFormat = pictureFormat
        recognizer = Lazy(load)
    }

    /// Starts to load it, if that has not started; returns at once.
    func prepare() { _ = recognizer.task }

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        try await recognizer.task.value.recognize(quads, in: picture)
    }
}

/// A detector that is loaded when the first picture is given to it.
struct LazyDetector: TextDetector {
    let pictureFormat: Picture.Format
    private let detector: Lazy<any TextDetector>

    init(pictureFormat: Picture.Format, _ load: @escaping @Sendable () async throws -> any TextDetector) {
        self.pictureFormat = pictureFormat
        detector = Lazy(load)
    }

    func detect(in picture: Picture) async throws -> [TextRegion] { try await detector.task.value.detect(in: picture) }
}
