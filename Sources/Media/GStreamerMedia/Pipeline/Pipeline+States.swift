import CGStreamer
import Displays
import Errors
import Synchronization
public import TextSpotting
import Threads

/// Whether a pipeline's source sets the pace (a camera) or the reader does (a file).
public enum Liveness: Sendable, Hashable {
    /// Frames come in real time, and are lost if they are not taken.
    case live
    /// Frames wait until they are taken.
    case recorded
}

extension Pipeline {
    /// Opens files, devices and windows, and returns whether the source is live.
    ///
    /// For a recording it returns when ``framesName``'s sink holds the first frame (so the format is known and seeking
    /// works); for a live source it returns at once. Every other sink has its `async` property turned off first: a
    /// window or a muxer behind an `appsrc` gets data only after frames were pulled, so waiting for it would never end.
    ///
    /// A source is live if GStreamer says so: going to PAUSED returned NO_PREROLL.
    /// - Parameter timeout: how long a recording's first frame may take. It is needed for failures that GStreamer does
    ///   not report: `decodebin` can lose the error of a damaged file.
    /// - Throws: the first error on the bus as a `FramegrepError` (`.noDisplay` if a window has no display);
    ///   `.sourceUnavailable` after the timeout; `CancellationError` when the task is cancelled. In all cases `stop()`
    ///   the pipeline.
    public func prepare(timeout: Duration = .seconds(30)) async throws -> Liveness {
        watchDisplays()
        try await running { [windows] in Result { try windows.checkEnvironment() } }.get()
        try await changeState(to: GST_STATE_READY)
        try windows.checkForFakes()
        let outcome = OneShot<PrerollOutcome>()
        let watcher = listen(for: outcome)
        defer { ignore(watcher) }
        let result = try await running { [self] in
            waitForNoOtherSink()
            return gst_element_set_state(element.pointer, GST_STATE_PAUSED)
        }
        switch result {
        case GST_STATE_CHANGE_NO_PREROLL: return .live
        case GST_STATE_CHANGE_FAILURE: throw failure("The pipeline could not be prepared.")
        case GST_STATE_CHANGE_ASYNC:
            control.start(after: timeout) {
                let text =
                    "No frame came from the source within \(timeout.components.seconds) seconds. "
                    + "It may be damaged or unreachable."
                outcome.resolve(.failed(FramegrepError(.sourceUnavailable, text)))
            }
            try await settle(outcome)
        default: break
        }
        return .recorded
    }

    /// Starts the pipeline's clock. Later errors are on the bus.
    /// - Throws: the first error on the bus if GStreamer refuses at once.
    public func play() async throws {
        try await changeState(to: GST_STATE_PLAYING)
    }

    /// Stops the pipeline's clock; ``play()`` continues.
    /// - Throws: the first error on the bus if GStreamer refuses at once.
    public func pause() async throws {
        try await changeState(to: GST_STATE_PAUSED)
    }

    /// Stops the pipeline after `body`, whether that returns or throws.
    public func stopping<Result>(after body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    /// Stops everything, closes files and devices and ends the bus's messages. May be called again.
    ///
    /// A file that is being recorded is complete only if the end of the stream has passed through it first: see
    /// ``sendEndOfStream()`` and ``AppSource/endOfStream()``. Blocked ``AppSource`` and ``AppSink`` calls return. If
    /// the display of a window was lost, the streams are ended here and the elements of the window are left as they
    /// are.
    /// - Parameter patience: how long it may take. A driver or a server that does not answer by then is abandoned.
    public func stop(within patience: Duration = .seconds(10)) async {
        keyboards.close()
        if displayLoss.isLost {
            await endWithoutWindows()
        } else {
            let patience = calls.areUnderWay ? min(patience, Self.shortPatience) : patience
            let stopped = OneShot<Void>()
            control.start { [element] in
                _ = gst_element_set_state(element.pointer, GST_STATE_NULL)
                stopped.resolve(())
            }
            stopped.resolve(after: patience)
            await stopped.value()
        }
        displayLoss.ignore()
        bus.finish()
    }

    /// Seeks to a time, and returns when the frame there has arrived.
    ///
    /// - Parameter accurate: whether to seek to the exact frame (decoding from the key frame before it) rather than
    ///   that key frame.
    /// - Returns: false if the source cannot seek, or failed on the way (then the error is on the bus too).
    public func seek(to time: StreamTime, accurate: Bool) async -> Bool {
        let outcome = OneShot<PrerollOutcome>()
        let watcher = listen(for: outcome)
        defer { ignore(watcher) }
        let precision = accurate ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | precision.rawValue)
        DebugLog.info("\(name) seeks to \(time.seconds) s\(accurate ? ", to the frame" : "")")
        let accepted = await control.run { [self] in
            // An appsrc cannot seek, so a seek on the whole pipeline would be refused by the sinks behind it.
            let target = find(Self.framesName) ?? element
            return gst_element_seek(
                target.pointer, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(max(0, time.nanoseconds)),
                GST_SEEK_TYPE_NONE, -1) != 0
        }
        guard accepted else { return false }
        do {
            try await settle(outcome)
            return true
        } catch {
            return false
        }
    }

    // MARK: Pieces

    /// The time allowed to a driver that has failed to answer in time before, because it may never answer.
    private static let shortPatience = Duration.seconds(2)

    private func changeState(to state: GstState) async throws {
        let result = try await running { [element] in gst_element_set_state(element.pointer, state) }
        guard result != GST_STATE_CHANGE_FAILURE else {
            throw failure("The pipeline could not be started, and GStreamer did not say why.")
        }
    }

    private func failure(_ text: String) -> any Error {
        let reported = bus.firstError
        // Some windows fail silently, and GStreamer then reports only that the change of state failed.
        let isUnexplained = reported?.isUnexplained ?? true
        if isUnexplained, windows.hasAny, case .none(let reason) = DisplayAvailability.current {
            return FramegrepError.noDisplay(reason: reason)
        }
        return reported?.error ?? FramegrepError(.pipelineFailed, text)
    }

    var windows: Windows { Windows(among: elements) }

    /// Runs work that may take a while on the pipeline's own thread.
    ///
    /// - Throws: the error on the bus when the display of a window is lost before it has returned; it then never does.
    ///   `CancellationError` at once when the task is cancelled: a driver that blocks is abandoned.
    private func running<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws -> Value {
        try Task.checkCancellation()
        let outcome = OneShot<Result<Value, any Error>>()
        let watcher = bus.watch { [displayLoss] message in
            if case .error(let report) = message, displayLoss.isLost { outcome.resolve(.failure(report.error)) }
        }
        defer { bus.unwatch(watcher) }
        if displayLoss.isLost, let error = bus.firstFailure { outcome.resolve(.failure(error)) }
        calls.begin()
        control.start { [calls] in
            let value = work()
            calls.end()
            outcome.resolve(.success(value))
        }
        return try await withTaskCancellationHandler {
            try await outcome.value().get()
        } onCancel: {
            outcome.resolve(.failure(CancellationError()))
        }
    }

    private func waitForNoOtherSink() {
        for element in elements where fgst_is_sink(element.pointer) != 0 {
            guard elementName(element.pointer) != Self.framesName || fgst_as_app_sink(element.pointer) == nil else {
                continue
            }
            if fgst_property(element.pointer, "async") != nil { fgst_set_boolean(element.pointer, "async", 0) }
        }
    }

    /// Resolves `outcome` with the first frame, an error, or the discovery that no frame can come.
    private func listen(for outcome: OneShot<PrerollOutcome>) -> Int {
        preroll.announce(to: outcome)
        return bus.watch { [weak self] message in
            switch message {
            case .error(let report): outcome.resolve(.failed(report.error))
            case .asyncDone: outcome.resolve(.prerolled)
            case .warning(let report) where report.error.code == .sourceNotVideo:
                self?.checkForStarvation(outcome)
            default: break
            }
        }
    }

    private func ignore(_ watcher: Int) {
        preroll.announce(to: nil)
        bus.unwatch(watcher)
    }

    private func settle(_ outcome: OneShot<PrerollOutcome>) async throws {
        let result = await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            outcome.resolve(.failed(CancellationError()))
        }
        if case .failed(let error) = result { throw error }
        // The sink reports its first frame a moment before it has settled: until then it does not know its position.
        await control.run { [self] in
            guard let frames = find(Self.framesName) else { return }
            _ = gst_element_get_state(frames.pointer, nil, nil, Self.settlingTime)
        }
    }

    /// In nanoseconds; a sink that has its frame takes microseconds.
    private static let settlingTime: GstClockTime = 1_000_000_000

    /// Resolves `outcome` with an error if the frames' sink turns out not to be linked.
    private func checkForStarvation(_ outcome: OneShot<PrerollOutcome>) {
        control.start { [weak self] in
            guard let self, let frames = find(Self.framesName), !isFed(frames.pointer) else { return }
            outcome.resolve(
                .failed(
                    bus.missingPlugin.map { FramegrepError.missing(plugin: $0) }
                        ?? FramegrepError(
                            .sourceNotVideo, "The source has no picture in it that the pipeline could search.")))
        }
    }

    /// Does work in response to messages that must not be done on the threads that post them.
    func housekeep(_ job: BusContext.Job) {
        control.start { [weak self] in
            guard let self else { return }
            switch job {
            case .drawGraph(let moment):
                gst_debug_bin_to_dot_file_with_ts(
                    fgst_as_bin(element.pointer), GST_DEBUG_GRAPH_SHOW_ALL, "framegrep-\(name)-\(moment)")
            case .recalculateLatency:
                gst_bin_recalculate_latency(fgst_as_bin(element.pointer))
            case .restartClock:
                var state = GST_STATE_NULL
                gst_element_get_state(element.pointer, &state, nil, 0)
                guard state == GST_STATE_PLAYING else { return }
                gst_element_set_state(element.pointer, GST_STATE_PAUSED)
                gst_element_set_state(element.pointer, GST_STATE_PLAYING)
            }
        }
    }
}

/// Reports when the `appsink` that sets the pace has its first frame, or when none will come, and after that each frame
/// that can be taken.
///
/// The sink owns it; it keeps no reference to the pipeline.
final class PrerollSignal: Sendable {
    /// A bare function would be wrapped again each time it is taken out of the generic `Mutex` and put back.
    private struct Listener {
        var arrived: (@Sendable () -> Void)?
    }

    private let waiting = Mutex<OneShot<PrerollOutcome>?>(nil)
    private let listener = Mutex(Listener())

    /// Registers the callbacks with the sink; without a sink, nothing calls them.
    func connect(to sink: UnsafeMutablePointer<GstAppSink>?) {
        guard let sink else { return }
        fgst_set_app_sink_callbacks(
            sink, sinkPrerolled, sampleArrived, sinkEnded, Unmanaged.passRetained(self).toOpaque(),
            releaseContext)
    }

    /// Resolves `outcome` with the next first frame; nil ends that.
    func announce(to outcome: OneShot<PrerollOutcome>?) {
        waiting.withLock { $0 = outcome }
    }

    /// Calls `action` from now on whenever a frame can be taken, and when none will come.
    func listen(_ action: @escaping @Sendable () -> Void) {
        listener.withLock { $0.arrived = action }
    }

    fileprivate func fire() {
        waiting.withLock { $0 }?.resolve(.prerolled)
    }

    fileprivate func tell() {
        listener.withLock { $0.arrived }?()
    }
}

/// The result of waiting for a first frame.
enum PrerollOutcome: Sendable {
    case prerolled
    case failed(any Error)
}

/// `GstAppSinkCallbacks.new_preroll`, on a streaming thread.
private func sinkPrerolled(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) -> GstFlowReturn {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue().fire() }
    return GST_FLOW_OK
}

/// `GstAppSinkCallbacks.new_sample`, on a streaming thread.
private func sampleArrived(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) -> GstFlowReturn {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue().tell() }
    return GST_FLOW_OK
}

/// `GstAppSinkCallbacks.eos`, on a streaming thread: an empty stream has no first frame to wait for.
private func sinkEnded(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) {
    guard let context else { return }
    let signal = Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue()
    signal.fire()
    signal.tell()
}

/// Counts calls that a driver or a server may never answer. Thread-safe.
final class BlockingCalls: Sendable {
    private let count = Atomic<Int>(0)

    var areUnderWay: Bool { count.load(ordering: .acquiring) > 0 }

    func begin() { count.add(1, ordering: .acquiringAndReleasing) }
    func end() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
