public import Errors
public import TextMatching
public import TextSpotting

/// Searches a running picture: the `live` job.
///
/// The picture never waits for recognition: the display thread passes every frame on with the current boxes, the reader
/// takes the newest frame whenever it is free, and frames that it cannot keep up with are skipped and counted.
public struct LiveSpotter: Sendable {
    private let task: LiveTask
    public let settings: LiveSettings
    let reader: any TextReader
    let words: SearchedWords
    /// Determines when the job ends; it may be ended before it has begun.
    private let life = JobLife()
    private let report = LiveReport()
    private let zoom = DigitalZoom()
    private let controls: SourceControls?

    /// Hosts a pipeline of the user's own. If its source is lost the job ends, because it is unknown which of its
    /// elements could be recreated.
    ///
    /// - Parameter description: with `appsink name=frames` and optionally `appsrc name=overlay`.
    public init(description: String, settings: LiveSettings, reader: any TextReader, matcher: Matcher) {
        task = .pipeline(description)
        self.settings = settings
        self.reader = reader
        words = SearchedWords(matcher)
        controls = nil
    }

    /// Searches a source that is opened again when it is lost, while the window and the recording continue.
    ///
    /// - Parameter output: begins with `appsrc name=overlay`; nil if the picture is not shown.
    public init(
        source: LiveSource, output: String?, settings: LiveSettings, reader: any TextReader, matcher: Matcher
    ) {
        task = .source(settings.hiding == nil ? source : source.withPlainFrames, output: output)
        self.settings = settings
        self.reader = reader
        words = SearchedWords(matcher)
        controls = SourceControls(zoom: zoom)
    }

    /// The controls for zoom, torch and the like; nil if the description is the user's own.
    public var camera: (any CameraControls)? { controls }

    /// Runs until the source ends, the user quits, ``stop()`` is called or the task is cancelled. Call it once.
    ///
    /// Files being recorded are completed before it returns; the sinks are not finished, because they may serve others
    /// too.
    ///
    /// - Parameter sinks: receive the events, in this order; none before and none after the run.
    /// - Throws: `FramegrepError` if the pipeline cannot be started.
    public func run(_ sinks: [any EventSink]) async throws -> LiveEnd {
        report.begin(sinks)
        defer { report.close() }
        let job = LiveJob(
            task: task, settings: settings, reader: reader, words: words, controls: controls, zoom: zoom,
            report: report,
            life: life)
        // Use a separate task: cancelling this one must stop the job in an orderly way, not interrupt the code that
        // completes its files. The job cancels its parts itself.
        let running = Task { try await job.run() }
        return try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            life.end(.signal)
        }
    }

    /// Runs with one sink that has nothing to finish.
    public func run(_ hear: @escaping @Sendable (LiveEvent) -> Void) async throws -> LiveEnd {
        try await run([EventListener(hear)])
    }

    /// Changes the search from now on, beginning with the last reading. Callable at any time, even before the job runs,
    /// from any thread.
    public func search(for matcher: Matcher) { words.replace(with: matcher) }

    /// The current search.
    public var matcher: Matcher { words.matcher }

    /// Reports a warning among the job's events, from any thread; before the job runs it is dropped.
    public func warn(_ warning: FramegrepError) { report.warn(warning) }

    /// Ends the job cleanly, as Ctrl-C does.
    public func stop() { life.end(.signal) }
}

extension LiveSource {
    /// The same source with frames in the one format that every encoder takes and in which places can be hidden.
    fileprivate var withPlainFrames: LiveSource {
        var source = self
        source.open = { [open] in
            var opening = try await open()
            opening.description = SourceDescription.hiding(opening.description)
            return opening
        }
        return source
    }
}

/// The source of a live job, and the output of its frames.
enum LiveTask: Sendable {
    /// One pipeline of the user's own, with `appsink name=frames` and optionally `appsrc name=overlay`.
    case pipeline(String)
    /// A source that can be opened again, and a pipeline that begins with `appsrc name=overlay`; nil for no picture.
    case source(LiveSource, output: String?)

    /// The recording that is played; nil if the source is not one.
    var recording: LiveSource.Recording? {
        switch self {
        case .pipeline: nil
        case .source(let source, _): source.recording
        }
    }

    /// The reaction when the source is lost.
    var policy: LossPolicy {
        switch self {
        case .pipeline: .none
        case .source(let source, _): source.policy
        }
    }
}
