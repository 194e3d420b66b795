import CGstFramegrep
import Dispatch
import Engines
import Errors
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// The Swift half of one element: the values of its properties, the running search, and its results. Thread-safe.
///
/// A stage of Spotter's searches the frames. The job gives it the stream's frames, and creates a new stage after a seek
/// and for settings that need one.
final class Job: Sendable {
    /// The current state of the element and its search.
    private struct State {
        var settings = ElementSettings()
        var matcher: Matcher?
        /// The engines; nil unless the element is started.
        var engineHandle: EngineHandle?
        var loading: ReaderLoading?
        var mode = ElementMode.auto
        var stage: ElementStage?
        /// Whether the next frame begins a new stage.
        var isStale = false
        /// The region that the last stage searches; nil before the first.
        var searched: String??
        /// Whether frames are refused until the stream begins anew.
        var isInterrupted = false
        var failure: FramegrepError?
    }

    /// Engines are shared by all elements of the process.
    private static let cache = EngineCache()

    private let element: ElementHandle
    private let results: Results
    private let state = Mutex(State())
    private let stream: StreamSide
    /// Entered by each stage that was interrupted, until it is completely gone. Such a stage is not kept: it holds
    /// seconds of pictures.
    private let ending = DispatchGroup()

    init(_ element: ElementHandle) {
        self.element = element
        results = Results(element)
        stream = StreamSide(element)
    }

    // MARK: Properties

    var settings: ElementSettings { state.withLock { $0.settings } }

    /// Sets a property, whatever the state of the element.
    func set(_ property: FgeProperty, _ change: (inout ElementSettings) -> Void) {
        let (settings, isStarted, refusal) = state.withLock { state in
            let before = state.settings
            change(&state.settings)
            let refusal = state.engineHandle == nil ? nil : state.settings.regionRefusal
            if refusal != nil { state.settings.region = before.region }
            let isOfStage = property.isOfStage || state.settings.carriesBoxes != before.carriesBoxes
            if isOfStage, state.settings != before { state.isStale = true }
            return (state.settings, state.engineHandle != nil, refusal)
        }
        results.postsMessages = settings.postsMessages
        if let refusal { warn(refusal) }
        if isStarted, property.isOfPatterns { search(settings) }
    }

    /// Warns that a region that was set while running cannot be searched.
    private func warn(_ refusal: FramegrepError) {
        element.warn(FramegrepError(refusal.code, "\(refusal.message) The search continues as before."))
    }

    /// Starts a search with the current properties; invalid ones are reported as warnings.
    private func search(_ settings: ElementSettings) {
        do {
            let matcher = try settings.matcher()
            let stage = state.withLock { state in
                state.matcher = matcher
                return state.stage
            }
            guard let stage, !stage.search.search(for: matcher) else { return }
            state.withLock { $0.isStale = true }
        } catch let error as FramegrepError {
            element.warn(FramegrepError(error.code, "\(error.message) The search continues as before."))
        } catch {}
    }

    /// The least delay with which frames are pushed downstream.
    var delay: StreamTime { settings.timing.delay }

    /// The figures of the search, and the name of the reader.
    var statistics: ElementStatistics {
        let (stage, loading, mode) = state.withLock { ($0.stage, $0.loading, $0.mode) }
        return ElementStatistics(
            mode: mode, engine: loading?.name, figures: stage?.search.statistics(), sightings: results.count,
            added: stream.added.percentiles, frames: stream.added.count)
    }

    // MARK: Life

    /// READY to PAUSED: reports settings that cannot work before any frame comes.
    ///
    /// - Returns: false if an error was posted.
    func start() -> Bool {
        let settings = settings
        do {
            let matcher = try settings.matcher()
            _ = try settings.stage()
            guard settings.hidingStyle == nil || settings.mode != .live else {
                throw FramegrepError(
                    .badArgument,
                    "redact lets no unread frame pass, but mode=live does; leave one of them out.")
            }
            try ReaderChoice(settings.reader, matcher) { _ in }.check()
            if matcher.patterns.isEmpty, !settings.tellsAllText {
                element.warn(FramegrepError(.badPattern, "Nothing is searched for; set patterns=EXIT, for example."))
            }
            let engineHandle = Self.cache.engineHandle()
            state.withLock { state in
                (state.matcher, state.engineHandle, state.mode) = (matcher, engineHandle, settings.mode)
                (state.isStale, state.isInterrupted, state.failure, state.searched) = (false, false, nil, nil)
            }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// PAUSED to READY, after the stream has ended: nothing of the search is left when this returns.
    func stop() {
        interrupt()
        let (stage, loading) = state.withLock { state in
            defer { (state.stage, state.loading, state.engineHandle, state.matcher) = (nil, nil, nil, nil) }
            return (state.stage, state.loading)
        }
        if let stage { letEnd(stage.search) }
        ending.wait()
        loading?.end()
        stream.forget()
    }

    /// Wakes the stream's thread if it waits for a reading.
    func interrupt() {
        let (stage, loading) = state.withLock { state in
            state.isInterrupted = true
            return (state.stage, state.loading)
        }
        stage?.search.interrupt()
        loading?.wake()
    }

    /// Announces that the stream begins anew, elsewhere.
    func flush() {
        interrupt()
        stream.forget()
        let stage = state.withLock { state in
            defer { (state.stage, state.isInterrupted) = (nil, false) }
            return state.stage
        }
        if let stage { letEnd(stage.search) }
    }

    /// Ends a stage at once, and keeps nothing of it.
    private func letEnd(_ stage: any PassingSearch) {
        ending.enter()
        stage.interrupt()
        stage.whenOver { [ending] in ending.leave() }
    }

    // MARK: The stream

    /// Takes the next frame.
    func put(_ frame: consuming PassingFrame, in segment: UnsafeRawPointer) -> GstFlowReturn {
        stream.added.begin()
        defer { stream.added.pause() }
        guard let sample = frame.sample(in: segment) else {
            stream.hold(HeldPassingFrame(frame, nil))
            return GST_FLOW_OK
        }
        do {
            guard let stage = try currentStage(for: sample) else { return GST_FLOW_FLUSHING }
            let time = try stage.search.put(sample)
            let own = sample.streamTime
            if stage.copiesFrames { frame.copyPixels() }
            stream.hold(HeldPassingFrame(frame, (stage, time), own))
            return GST_FLOW_OK
        } catch {
            fail(error)
            return GST_FLOW_ERROR
        }
    }

    /// Returns the next frame to push downstream; nil if none is due.
    func take(all: Bool) -> UnsafeMutableRawPointer? {
        stream.added.begin()
        defer { stream.added.pause() }
        return stream.next(settings, all: all)
    }

    /// Handles a gap: no frame comes until a time of the stream; nil if that time is unknown.
    ///
    /// - Returns: whether frames stay held over the gap. Hiding needs the frames after them, marking does not.
    func pass(gapUntil end: StreamTime?) -> Bool {
        guard let end, settings.hidingStyle != nil else { return false }
        stream.pass(gapUntil: end)
        return true
    }

    /// Whether frames are still held.
    var holdsFrames: Bool { stream.holdsFrames }

    /// Announces that no frame follows: returns when everything is read and reported.
    func finish() {
        guard let stage = state.withLock({ $0.stage }) else { return }
        stage.finish()
        state.withLock { $0.stage = nil }
    }

    /// Called when a frame was shown too late; returns whether upstream may leave frames out because of it.
    func frameWasShown(late jitter: Int64) -> Bool {
        let (stage, mode) = state.withLock { ($0.stage, $0.mode) }
        if jitter > 0 { stage?.search.frameWasLate() }
        return mode != .complete
    }

    /// Returns the stage for the next frame; nil if the stream was interrupted.
    ///
    /// - Throws: the reason nothing can be searched.
    private func currentStage(for frame: borrowing Sample) throws -> ElementStage? {
        let (stage, isStale) = try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard !state.isInterrupted else { return (nil as ElementStage?, true) }
            defer { state.isStale = false }
            return (state.stage, state.isStale)
        }
        if let stage, !isStale { return stage }
        if let stage { end(stage) }
        return try makeStage(for: frame.info)
    }

    /// Ends a stage that another one follows: a complete one reads everything that it has, unless it is interrupted.
    private func end(_ stage: ElementStage) {
        let isComplete = state.withLock { $0.mode == .complete }
        if isComplete { stage.finish() } else { letEnd(stage.search) }
        // Settings made meanwhile apply to the next stage.
        state.withLock { ($0.stage, $0.isStale) = (nil, false) }
    }

    /// Checks that frames contain the requested region. If not, the previous region is searched, with a warning.
    ///
    /// - Throws: the reason it cannot be searched, if there was no previous one.
    private func keepRegion(inside frame: VideoInfo?) throws {
        let (settings, searched) = state.withLock { ($0.settings, $0.searched) }
        do {
            try settings.checkRegion(inside: frame)
        } catch let refusal as FramegrepError {
            guard let searched, searched != settings.region else { throw refusal }
            state.withLock { state in
                if state.settings.region == settings.region { state.settings.region = searched }
            }
            warn(refusal)
            try self.settings.checkRegion(inside: frame)
        }
        state.withLock { $0.searched = .some($0.settings.region) }
    }

    private func makeStage(for frame: VideoInfo?) throws -> ElementStage? {
        try keepRegion(inside: frame)
        let isSourceLive = element.isSourceLive
        let (settings, matcher, engineHandle) = state.withLock { ($0.settings, $0.matcher, $0.engineHandle) }
        guard let matcher, let engineHandle else { return nil }
        let hiding = try settings.hiding()
        let chosen = settings.mode == .auto ? (isSourceLive ? ElementMode.live : .complete) : settings.mode
        let mode = hiding == nil ? chosen : .complete
        let loading =
            state.withLock { $0.loading }
            ?? ReaderLoading(
                settings: settings.reader, matcher: matcher, use: mode == .live ? .live : .recordings,
                engineHandle: engineHandle, element: element)
        state.withLock { ($0.loading, $0.mode) = (loading, mode) }
        var search = try settings.stage()
        search.rightOfWay = Self.cache.rightOfWay
        let screensLines = ReaderChoice(settings.reader, matcher) { _ in }.noticesOtherScripts
        let told = results.ofStage(source: element.sourceName, screensLines: screensLines) { [weak self] in
            self?.fail($0)
        }
        // A camera's frames cannot wait; a file's can, as they do for everything else that is being opened.
        let needsReader = mode == .complete || !isSourceLive
        if needsReader {
            let isThere = try loading.wait { state.withLock { $0.isInterrupted } } != nil
            guard isThere else { return nil }
        }
        let stage: any PassingSearch
        if let hiding, let reader = try loading.wait(unless: { false }) {
            stage = HidingStage(hiding, matcher, reader: reader, report: told.hear)
        } else {
            var buffer = PushedSession.Buffer.latest { try await loading.reader }
            if mode == .complete, let reader = try loading.wait(unless: { false }) { buffer = .all(reader) }
            stage = PushedSession(search, matcher, buffer: buffer, report: told.hear)
        }
        DebugLog.info(
            "\(element.name) searches: \(mode == .complete ? "complete" : "live"), \(matcher.patterns.count) patterns")
        // A source with few buffers gets its own back while frames are held.
        let copiesFrames = hiding == nil ? settings.isExact && mode == .live : isSourceLive
        return adopt(ElementStage(search: stage, results: told, copiesFrames: copiesFrames))
    }

    /// Makes a stage search from now on, unless the stream was interrupted meanwhile.
    private func adopt(_ stage: ElementStage) -> ElementStage? {
        let isWanted = state.withLock { state in
            if !state.isInterrupted { state.stage = stage }
            return !state.isInterrupted
        }
        if !isWanted { letEnd(stage.search) }
        return isWanted ? stage : nil
    }

    /// Reports once why the element cannot continue.
    private func fail(_ error: any Error) {
        let failure =
            error as? FramegrepError ?? FramegrepError(.pipelineFailed, "The frame cannot be searched: \(error).")
        let isNews = state.withLock { state in
            defer { state.failure = state.failure ?? failure }
            return state.failure == nil
        }
        if isNews { element.fail(failure) }
    }
}
