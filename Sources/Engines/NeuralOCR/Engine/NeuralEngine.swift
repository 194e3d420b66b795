import Errors
import Glibc
import TextMatching
public import TextSpotting
public import Threads

/// PP-OCRv6 run by OpenVINO on the processor: finds lines of text in color pictures and reads them.
///
/// ```swift
/// guard NeuralEngine.installation().problem == nil else { return }
/// let reader = try await NeuralEngine.load().reader
/// for line in try await reader.read(picture) { print(line.text, line.quad) }
/// ```
///
/// Loading needs what `framegrep setup` installs; none of it is needed to build or start the program. Pictures are
/// `.rgb`. The engine may be used from any number of tasks; it computes on its own threads, at most
/// ``Settings/threads`` at a time. Cancelling a task stops its inferences in the middle.
public struct NeuralEngine: Sendable {
    /// The goal of scheduling: high throughput, or low latency for one picture.
    public enum Mode: Hashable, Sendable {
        /// Each inference runs on one thread, several concurrently: results do not depend on the number of threads.
        case throughput
        /// The detector uses all threads at once. Its sums are added in another order, so a score may differ in the
        /// last digits for another number of threads.
        case latency
    }

    /// Which networks an engine loads, and where and how they compute. Engines of equal settings can be shared.
    public struct Settings: Hashable, Sendable {
        public var level: NeuralLevel = .fast
        /// The number of threads that compute, at least 1.
        public var threads = 2
        /// The device that the networks run on.
        public var device = NeuralDevice.cpu
        /// The number format of the computation; nil for that of `FRAMEGREP_PRECISION`, otherwise the one that is
        /// faster on the processor.
        public var precision: NeuralPrecision?
        public var mode: Mode = .throughput
        /// The longer side that pictures are scaled to for the detector, in pixels; nil for a choice by the picture's
        /// size: ``DetectionSize``.
        public var detectionSide: Int?

        public init() {}

        /// The largest number of pictures of one input that are read at a time. On 16 processors four threads were as
        /// fast as eight and took a quarter less processor time, because the text to recognize depends on the previous
        /// reading (docs/decisions/threads.md).
        public static let mostPictures = 4

        /// See ``DetectingReader/concurrency``.
        public var concurrency: Int { mode == .throughput ? min(threads, Self.mostPictures) : 1 }

        /// The largest number of instances of a network: more concurrent inferences than processors are no faster, and
        /// each takes memory.
        fileprivate var mostForms: Int { min(threads, Processors.usable) }

        /// The number of instances of the detector, which is fewer because its threads also read lines. An instance for
        /// frames of 1080p takes some 55 MiB.
        fileprivate var fewForms: Int { max(1, mostForms / 2) }

        /// - Parameter threads: the number of threads of one inference.
        fileprivate func compileOptions(threads: Int) throws -> CompileOptions {
            CompileOptions(
                threads: threads, device: device, precision: try precision ?? NeuralPrecision.asked() ?? .fastest)
        }
    }

    public let settings: Settings
    /// OpenVINO's version.
    public let runtimeVersion: String
    public let detector: NeuralTextDetector
    public let recognizer: NeuralLineRecognizer
    private let runtime: OpenVINORuntime
    private let cache: NetworkCache?
    private let files: NeuralFiles
    private let threads: WorkerPool<Void>

    /// Returns the recognizer of another level, which reads on the same threads; takes half a second without blocking
    /// Swift's threads.
    ///
    /// - Parameter isOccasional: whether it reads only occasional lines, on at most half of the threads: each instance
    ///   of the accurate network takes some 50 MiB.
    /// - Throws: a `FramegrepError` with the code `.engineUnavailable` that names the missing or damaged file. A
    ///   dictionary that does not belong to it is an error of the first reading.
    public func recognizer(at level: NeuralLevel, isOccasional: Bool = false) async throws -> NeuralLineRecognizer {
        // Do not run on the engine's threads: it would wait there behind lines that are being read.
        let mostForms = isOccasional ? settings.fewForms : settings.mostForms
        return try await DedicatedThread.run(named: "framegrep-load") { [files, settings, runtime, cache, threads] in
            // `check()` would cost as much as reading several lines, and the first line shows the same.
            let recognizer = try Self.recognizer(
                level, mode: settings.mode, files: files, core: try Self.core(of: runtime, settings), cache: cache,
                threads: threads, mostForms: mostForms)
            try recognizer.prepare()
            return recognizer
        }
    }

    /// Returns the detector of another level, which runs on the same threads, without blocking Swift's. It prepares for
    /// a size of picture when the first one arrives.
    ///
    /// - Throws: a `FramegrepError` with the code `.engineUnavailable` that names the missing or damaged file.
    public func detector(at level: NeuralLevel) async throws -> NeuralTextDetector {
        return try await DedicatedThread.run(named: "framegrep-load") { [files, settings, runtime, cache, threads] in
            let model = NeuralModel(files.detector(level), with: try Self.core(of: runtime, settings), cache: cache)
            try model.check()
            return NeuralTextDetector(
                models: CompiledModels(model, limit: 4, mostForms: settings.fewForms), runsAlone: false, side: nil,
                threads: threads)
        }
    }

    /// The pair as one reader: finds the lines and reads them.
    public var reader: DetectingReader {
        DetectingReader(
            name: "PP-OCRv6 \(settings.level.folder) (OpenVINO \(runtimeVersion.prefix { $0 != "-" }))",
            detector: detector,
            recognizer: recognizer, concurrency: settings.concurrency)
    }

    /// Returns whether the networks of this level know a character at all: no Hangul, Cyrillic, Arabic or Hebrew, for
    /// example.
    public func canRead(_ character: Character) -> Bool { recognizer.dictionary.contains(character) }

    /// The installed parts; see ``NeuralInstallation/find()``.
    public static func installation() -> NeuralInstallation { NeuralInstallation.find() }

    /// Loads the networks of `settings.level`, off the calling task's thread; takes up to a second.
    ///
    /// - Parameters:
    ///   - picture: the running picture that is read, if any: reading pauses while it is shown late.
    ///   - waiting: whether to wait for all of it; otherwise the recognizer is prepared while the first picture is
    ///     processed, and a dictionary that does not belong to it is an error of the first reading.
    /// - Throws: a `FramegrepError` with the code `.engineUnavailable` that names the missing or damaged file.
    public static func load(
        settings: Settings = Settings(), givingWayTo picture: RightOfWay? = nil, waiting: Bool = true
    ) async throws -> NeuralEngine {
        let folder = try installedFolder()
        return try await load(
            from: folder, settings: settings, givingWayTo: picture, waiting: waiting,
            cache: NeuralFiles(folder: folder).canImport ? NetworkCache.ofUser() : nil)
    }

    /// Loads from one folder with the layout of ``NeuralFiles``.
    static func load(
        from folder: String, settings: Settings, givingWayTo picture: RightOfWay? = nil, waiting: Bool = true,
        cache: NetworkCache? = nil
    ) async throws -> NeuralEngine {
        var settings = settings
        settings.threads = max(1, settings.threads)
        let chosen = settings
        let threads: WorkerPool<Void>
        do {
            threads = try WorkerPool(name: "neural", width: chosen.threads, givingWayTo: picture) {}
        } catch {
            throw FramegrepError(
                .engineUnavailable,
                "The neural engine could not start \(chosen.threads) threads; use a smaller --threads.")
        }
        let engine = try await threads.run { _, _ in
            try NeuralEngine(files: NeuralFiles(folder: folder), settings: chosen, threads: threads, cache: cache)
        }
        let check = Task { [recognizer = engine.recognizer] in try await threads.run { _, _ in try recognizer.check() }
        }
        if waiting { try await check.value }
        return engine
    }

    /// Makes the networks' library leave its threads on the processors that Linux chooses, in the whole program; a
    /// setting by the user is kept. Call it before a second thread starts.
    ///
    /// OpenVINO asks TBB for one thread per core, even for an inference of one thread. TBB enforces that, with the
    /// hwloc library, by moving the calling thread to the first processor of a core before each inference and releasing
    /// it afterward. Neither has a setting for that; this variable makes hwloc believe that it describes another
    /// machine, to whose processors it does not bind (docs/decisions/threads.md).
    ///
    /// - Returns: the name of the variable, which is for this process only; nil if it was set before.
    public static func leaveThreadsToLinux() -> String? {
        guard getenv("HWLOC_THISSYSTEM") == nil else { return nil }
        setenv("HWLOC_THISSYSTEM", "0", 1)
        return "HWLOC_THISSYSTEM"
    }

    private init(files: NeuralFiles, settings: Settings, threads: WorkerPool<Void>, cache: NetworkCache?) throws {
        if let missing = files.missing(for: settings.level).first {
            throw FramegrepError.neuralUnavailable("There is no file \(missing).")
        }
        runtime = try OpenVINORuntime.shared(at: files.library())
        let core = try Self.core(of: runtime, settings)
        let cache = core.canExport ? cache : nil
        self.files = files
        self.threads = threads
        self.settings = settings
        self.cache = cache
        runtimeVersion = runtime.version
        let runsAlone = settings.mode == .latency
        let model = NeuralModel(
            files.detector(settings.level),
            with: runsAlone
                ? try OpenVINOCore(runtime, try settings.compileOptions(threads: settings.threads)) : core,
            cache: cache)
        try model.check()
        detector = NeuralTextDetector(
            models: CompiledModels(model, limit: 4, mostForms: settings.fewForms), runsAlone: runsAlone,
            side: settings.detectionSide, threads: threads)
        recognizer = try Self.recognizer(
            settings.level, mode: settings.mode, files: files, core: core, cache: cache, threads: threads,
            mostForms: settings.mostForms)
    }

    /// For inferences of one thread each.
    private static func core(of runtime: OpenVINORuntime, _ settings: Settings) throws -> OpenVINOCore {
        try OpenVINOCore(runtime, try settings.compileOptions(threads: 1))
    }

    /// Returns the devices that the networks can run on; none if they are not installed. Takes some 10 ms.
    public static func devices() -> [FoundDevice] { (try? anyCore().devices()) ?? [] }

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) that names the missing device and the existing ones;
    ///   `badArgument` for an unknown precision.
    public static func check(_ device: NeuralDevice) throws {
        _ = try NeuralPrecision.asked()
        guard !device.isCPU else { return }
        _ = try anyCore(device)
    }

    private static func anyCore(_ device: NeuralDevice = .cpu) throws -> OpenVINOCore {
        var settings = Settings()
        settings.device = device
        return try core(of: OpenVINORuntime.shared(at: NeuralFiles(folder: installedFolder()).library()), settings)
    }

    private static func installedFolder() throws(FramegrepError) -> String {
        let installation = NeuralInstallation.find()
        guard let folder = installation.folder, installation.problem == nil else {
            throw FramegrepError(.engineUnavailable, installation.problem ?? "The neural engine is not installed.")
        }
        return folder
    }

    private static func recognizer(
        _ level: NeuralLevel, mode: Mode, files: NeuralFiles, core: OpenVINOCore, cache: NetworkCache?,
        threads: WorkerPool<Void>, mostForms: Int
    ) throws -> NeuralLineRecognizer {
        let model = NeuralModel(files.recognizer(level), with: core, cache: cache)
        try model.check()
        return NeuralLineRecognizer(
            models: CompiledModels(model, limit: 1, mostForms: mostForms),
            dictionary: try CharacterDictionary(reading: files.dictionary(level)), threads: threads,
            source: level == .fast ? .neuralFast : .neuralAccurate, readsShortFirst: mode == .latency)
    }
}

/// The layout of the neural engine's folder, as created by `scripts/setup neural`.
struct NeuralFiles: Hashable, Sendable {
    let folder: String

    func detector(_ level: NeuralLevel) -> String { "\(folder)/models/\(level.folder)/det.onnx" }
    func recognizer(_ level: NeuralLevel) -> String { "\(folder)/models/\(level.folder)/rec.onnx" }
    func dictionary(_ level: NeuralLevel) -> String { "\(folder)/models/\(level.folder)/dictionary.txt" }

    /// The files of a level that are not there.
    func missing(for level: NeuralLevel) -> [String] {
        [detector(level), recognizer(level), dictionary(level)].filter { access($0, R_OK) != 0 }
    }

    /// OpenVINO's C library, whose file name ends in its version.
    func library() throws -> String {
        let found = FileName.names(inFolder: libraries) ?? []
        guard !found.isEmpty else { throw FramegrepError.neuralUnavailable("There is no folder \(libraries).") }
        guard let name = found.filter({ $0.hasPrefix("libopenvino_c.so") }).max() else {
            throw FramegrepError.neuralUnavailable("There is no file \(libraries)/libopenvino_c.so.")
        }
        return "\(libraries)/\(name)"
    }

    /// Whether the parts for importing compiled networks are there; earlier versions of `scripts/setup neural` left
    /// them out.
    var canImport: Bool {
        FileName.names(inFolder: libraries)?.contains { $0.hasPrefix("libopenvino_ir_frontend.so") } ?? false
    }

    private var libraries: String { folder + "/lib" }
}

/// The pair of networks that reads; both are PP-OCRv6.
public enum NeuralLevel: String, Hashable, Sendable, CaseIterable {
    /// The tiny pair: a few times faster.
    case fast
    /// The small pair: better on small, blurred and curved text, and reads kana and more of the Latin letters.
    case accurate

    /// The folder its files stand in, under `models`.
    var folder: String { self == .fast ? "tiny" : "small" }
}
