import CGStreamer
import Errors
import Processes
import Synchronization
public import TextSpotting
import Threads

/// A GStreamer pipeline made from a gst-launch description.
///
/// ```swift
/// let pipeline = try Pipeline(parsing: "filesrc location=clip.mp4 ! decodebin ! appsink name=frames")
/// let frames = try pipeline.appSink(named: Pipeline.framesName)
/// _ = try await pipeline.prepare()
/// try await pipeline.play()
/// // Pull samples from `frames` on a dedicated thread, then:
/// await pipeline.stop()
/// ```
///
/// One pipeline runs once: ``prepare(timeout:)``, ``play()``, and at the end ``stop(within:)``. Its methods may be
/// called from any thread and any task; blocking calls to GStreamer run on the pipeline's own thread. Releasing the
/// last reference stops it too, but some time later: to be sure that files and devices are closed, call
/// ``stop(within:)``.
public final class Pipeline: Sendable {
    /// The name of the `appsink` that sets the pace, used by `prepare()`, ``seek(to:accurate:)``, ``duration`` and
    /// ``position``.
    public static let framesName = "frames"

    /// The pipeline's messages; see ``Bus``.
    public let bus = Bus()

    let element: GObjectReference<GstElement>
    let control = SerialQueue("framegrep.pipeline")
    /// Calls on the control thread that a task waits for, or has waited for.
    let calls = BlockingCalls()
    let preroll = PrerollSignal()
    let keyboards: SinkKeyboards
    /// The state after the display of a window is lost; see ``DisplayLoss``.
    let displayLoss = DisplayLoss()
    let editLists = EditLists()
    /// The policy on what its elements may open; nil if that is not checked.
    private let policy: SourcePolicy?

    /// Parses a description; nothing is opened yet.
    ///
    /// - Parameter description: ordinary gst-launch text, without `gst-launch-1.0` at the beginning.
    /// - Throws: `FramegrepError` `.missingPlugin` for an element that is not installed, with the Debian package that
    ///   contains it, if known; `.badPipeline` with GStreamer's message for everything else.
    public init(parsing description: String) throws {
        try MediaRuntime.initialize()
        DescriptionText(description).remember()
        let parsed = try Self.parse(description)
        element = parsed
        policy = try SourceGuard.policy(for: Self.addresses(in: parsed)) { [bus] refusal in
            bus.post(.error(MediaReport(error: refusal, element: "", debug: "")))
        }
        if let policy { SourceGuard.hand(policy, to: parsed.pointer) }
        let origin = Self.addresses(in: parsed).first.map { "'\(redacted($0))'" } ?? "The source"
        DecoderWatch(name: origin) { [bus] refusal in
            bus.post(.error(MediaReport(error: refusal, element: "", debug: "")))
        }.watch(parsed.pointer)
        keyboards = SinkKeyboards(bus: bus)
        DebugLog.info("\(name) made: \(description)")
        let context = BusContext(
            bus: bus, keyboards: keyboards, pipeline: UnsafeMutableRawPointer(element.pointer))
        context.install()
        context.setHousekeeping { [weak self] job in self?.housekeep(job) }
        logFormats()
        for element in elements where Relinking.kinds.contains(factoryName(element.pointer)) {
            Relinking.watch(element.pointer)
        }
        for element in elements where UnturnedFrames.kinds.contains(factoryName(element.pointer)) {
            UnturnedFrames.pass(element.pointer)
        }
        if let bin = fgst_as_bin(element.pointer) { RepeatedPictures.watch(bin) }
        editLists.watch(element.pointer, containing: elements)
        preroll.connect(to: find(Self.framesName).flatMap { fgst_as_app_sink($0.pointer) })
    }

    deinit {
        keyboards.close()
        displayLoss.ignore()
        // Do not stop it here: the last reference may be released on a streaming thread, which would then wait for
        // itself.
        control.start { [element, bus] in
            gst_element_set_state(element.pointer, GST_STATE_NULL)
            bus.finish()
        }
    }

    // MARK: Named elements

    /// Returns the `appsink` of this name.
    /// - Throws: `FramegrepError` `.badPipeline`, with the contract, if there is none.
    public func appSink(named name: String) throws -> AppSink {
        let contract = "the description needs `appsink name=\(name)`"
        guard let found = find(name) else {
            throw FramegrepError(.badPipeline, "Nothing in the pipeline is named '\(name)': \(contract).")
        }
        guard let sink = fgst_as_app_sink(found.pointer) else {
            throw FramegrepError(
                .badPipeline, "The element named '\(name)' is a \(factoryName(found.pointer)): \(contract).")
        }
        return AppSink(retaining: sink)
    }

    /// Returns the `appsrc` of this name, or nil if there is none.
    public func appSource(named name: String) -> AppSource? {
        find(name).flatMap { fgst_as_app_src($0.pointer) }.map { AppSource(retaining: $0) }
    }

    /// Rejects a description in which this is the name of anything but a linked `appsrc`; the name may be missing.
    ///
    /// - Throws: `FramegrepError` `.badPipeline`, with the contract.
    public func checkAppSource(named name: String) throws {
        guard let found = find(name) else { return }
        guard fgst_as_app_src(found.pointer) != nil else {
            throw FramegrepError(
                .badPipeline,
                "The element named '\(name)' is not an appsrc (its kind is \(factoryName(found.pointer))): frames come back into the pipeline at "
                    + "`appsrc name=\(name)`, and no other element may have that name.")
        }
        guard let pad = gst_element_get_static_pad(found.pointer, "src") else { return }
        defer { gst_object_unref(pad) }
        guard gst_pad_is_linked(pad) == 0 else { return }
        throw FramegrepError(
            .badPipeline,
            "Nothing follows `appsrc name=\(name)`: say where its frames go, as in `appsrc name=\(name) ! videoconvert ! autovideosink`, "
                + "or leave it out.")
    }

    /// Whether the pipeline has an element of this name.
    public func hasElement(named name: String) -> Bool { find(name) != nil }

    /// Returns whether it now contains an element of one of these kinds (`tsdemux`), including those in the bins of a
    /// decoder.
    public func hasElement(ofAnyKind kinds: Set<String>) -> Bool {
        elements.contains { kinds.contains(factoryName($0.pointer)) }
    }

    /// Limits the threads of decoders that are added from now on, because others decode at the same time.
    public func limitDecoders(toThreads count: Int) {
        AddedElements.listen(to: element.pointer) { decoder in
            guard factoryName(decoder).hasPrefix("avdec_"), fgst_property(decoder, "max-threads") != nil else { return }
            var setting = PropertySetting(element: decoder)
            setting.set("max-threads", to: String(count))
        }
    }

    /// Sets a property as a description would: `setProperty("pattern", to: "ball", onElementNamed: "source")`.
    /// - Throws: `FramegrepError` `.badPipeline` if there is no such element or property.
    public func setProperty(_ property: String, to text: String, onElementNamed name: String) throws {
        guard let found = find(name) else {
            throw FramegrepError(.badPipeline, "Nothing in the pipeline is named '\(name)'.")
        }
        guard fgst_property(found.pointer, property) != nil else {
            throw FramegrepError(
                .badPipeline, "The element '\(name)' (\(factoryName(found.pointer))) has no property '\(property)'.")
        }
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(found.pointer).assumingMemoryBound(to: GObject.self), property, text)
    }

    /// Returns a property's value as a description would write it; nil if there is no such element, property or text
    /// for it.
    public func propertyString(_ property: String, ofElementNamed name: String) -> String? {
        guard let found = find(name), fgst_property(found.pointer, property) != nil else { return nil }
        return String(takingOwnershipOf: fgst_take_property_text(found.pointer, property))
    }

    func find(_ name: String) -> GObjectReference<GstElement>? {
        gst_bin_get_by_name(fgst_as_bin(element.pointer), name).map { GObjectReference(takingOwnershipOf: $0) }
    }

    /// All elements, including those inside bins.
    var elements: [GObjectReference<GstElement>] { fgst_as_bin(element.pointer).map(elementsInside) ?? [] }

    // MARK: Parsing

    /// The addresses that the description itself names.
    private static func addresses(in pipeline: GObjectReference<GstElement>) -> [String] {
        guard let bin = fgst_as_bin(pipeline.pointer) else { return [] }
        return elementsInside(bin).compactMap { element in
            if let uri = String(takingOwnershipOf: fgst_take_string(element.pointer, "uri")) { return uri }
            guard fgst_is_source(element.pointer) != 0, fgst_as_app_src(element.pointer) == nil,
                let handler = fgst_as_uri_handler(element.pointer)
            else { return nil }
            return String(takingOwnershipOf: gst_uri_handler_get_uri(handler))
        }
    }

    private static func parse(_ description: String) throws -> GObjectReference<GstElement> {
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        let parsed = gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        guard let parsed, error == nil else {
            if let parsed { gst_object_unref(gst_object_ref_sink(parsed)) }
            // GStreamer also lists an element as missing if a property of it was wrong; the code distinguishes the two.
            let isMissing = error?.pointee.code == gint(GST_PARSE_ERROR_NO_SUCH_ELEMENT.rawValue)
            throw parseError(error?.text ?? "it is empty", missing: isMissing ? missingElements(context) : [])
        }
        let element = UnsafeMutableRawPointer(gst_object_ref_sink(parsed)).assumingMemoryBound(to: GstElement.self)
        guard fgst_as_pipeline(element) == nil else { return GObjectReference(takingOwnershipOf: element) }
        // A description of one element is that element: it still needs a pipeline, for its clock and its bus.
        guard let pipeline = gst_pipeline_new(nil) else {
            gst_object_unref(element)
            throw FramegrepError(.pipelineFailed, "GStreamer could not make a pipeline.")
        }
        gst_object_ref_sink(pipeline)
        gst_bin_add(fgst_as_bin(pipeline), element)
        gst_object_unref(element)
        return GObjectReference(takingOwnershipOf: pipeline)
    }

    private static func missingElements(_ context: OpaquePointer?) -> [String] {
        guard let list = gst_parse_context_get_missing_elements(context) else { return [] }
        defer { g_strfreev(list) }
        var names: [String] = []
        while let name = list[names.count] { names.append(String(cString: name)) }
        return names
    }

    private static func parseError(_ text: String, missing: [String]) -> FramegrepError {
        guard let name = missing.first else {
            return FramegrepError(.badPipeline, "The pipeline description is wrong: \(sentence(text))")
        }
        let package = DebianPackages.package(forElement: name)
        let help =
            package.map { PortableArchive.advice("Install the Debian package \($0).") }
            ?? "Check its spelling, or find the plugin that has it with gst-inspect-1.0."
        return FramegrepError(
            .missingPlugin, "GStreamer has no element '\(name)' here. \(help)")
    }
}

extension Pipeline {
    /// Its name, such as `pipeline0`, which distinguishes several.
    var name: String { elementName(element.pointer) }

    /// Logs each format in which frames come out.
    func logFormats() {
        guard DebugLog.isOn, hasElement(named: Self.framesName) else { return }
        try? watchFormat(comingToElementNamed: Self.framesName) { [name] format in
            DebugLog.info("\(name) has frames of \(format)")
        }
    }
}

extension Pipeline {
    /// Calls `action` whenever a frame can be pulled at ``framesName``'s sink, and once when no more will come, so that
    /// ``AppSink/pull(timeout:)`` need not wait. A later call replaces this one.
    ///
    /// - Parameter action: called on a streaming thread, so it must be quick and must not block. It must not hold a
    ///   reference to the pipeline, which owns it. `stop()` does not call it.
    public func whenFramesArrive(_ action: @escaping @Sendable () -> Void) { preroll.listen(action) }

    /// Calls `action` once a video sink (a window, but no `appsink`) has shown its first frame or dropped it as late.
    /// Call this after the pipeline is prepared, when `autovideosink` has chosen its sink.
    ///
    /// - Parameter action: called on a streaming thread, perhaps once for each window, so it must be quick and must not
    ///   block.
    public func whenWindowHasShown(_ action: @escaping @Sendable () -> Void) {
        for sink in elements where fgst_is_sink(sink.pointer) != 0 && fgst_as_app_sink(sink.pointer) == nil {
            guard fgst_as_bin(sink.pointer) == nil, fgst_property(sink.pointer, "show-preroll-frame") != nil
            else { continue }
            // The first frame has reached the sink, which shows it after this returns. The pad before the sink is idle
            // once that is done.
            PadProbe.add(to: sink.pointer, pad: "sink", [GST_PAD_PROBE_TYPE_BUFFER]) { passing in
                guard let before = gst_pad_get_peer(passing.pad) else { return GST_PAD_PROBE_REMOVE }
                defer { gst_object_unref(before) }
                PadProbe.add(to: before, [GST_PAD_PROBE_TYPE_IDLE]) { _ in
                    action()
                    return GST_PAD_PROBE_REMOVE
                }
                return GST_PAD_PROBE_REMOVE
            }
        }
    }
}

extension Pipeline {
    /// Makes it possible to end the stream that leaves an element before its source ends; nil if there is no such
    /// element. Call it once for each element, before the pipeline is prepared.
    ///
    /// - Parameter name: the name of an element with one output.
    public func makeCut(behindElementNamed name: String) -> StreamCut? {
        guard let found = find(name), let pad = gst_element_get_static_pad(found.pointer, "src") else { return nil }
        return StreamCut(takingOwnershipOf: pad, on: control)
    }
}

/// A point at which a stream can be ended for the elements behind it. Thread-safe.
public final class StreamCut: Sendable {
    /// The pad's probe holds it too.
    private final class Limit: Sendable {
        private struct State {
            var limit: GstClockTime?
            var hasPassed = false
            var hasEnded = false
        }

        private let state = Mutex(State())

        var hasPassed: Bool { state.withLock { $0.hasPassed } }

        func set(_ time: GstClockTime) { state.withLock { $0.limit = min(time, $0.limit ?? time) } }

        /// Returns whether to send the end now, which is true only once.
        func end() -> Bool {
            state.withLock { $0.hasEnded.raise() }
        }

        /// Returns whether a buffer that begins at this running time (nil if unknown) is passed on.
        func lets(_ time: GstClockTime?) -> Bool {
            state.withLock { state in
                if let limit = state.limit, let time, time >= limit { return false }
                state.hasPassed = true
                return true
            }
        }
    }

    private let pad: GObjectReference<GstPad>
    private let limit = Limit()
    private let control: SerialQueue

    init(takingOwnershipOf pad: UnsafeMutablePointer<GstPad>, on control: SerialQueue) {
        self.pad = GObjectReference(takingOwnershipOf: pad)
        self.control = control
        PadProbe.add(to: pad, [GST_PAD_PROBE_TYPE_BUFFER]) { [limit] passing in
            guard let start = passing.buffer?.pointee.pts else { return GST_PAD_PROBE_OK }
            // This is nil for a buffer without a time, or outside the segment.
            let running =
                start == noClockTime
                ? nil
                : time(on: passing.pad) {
                    gst_segment_to_running_time($0, GST_FORMAT_TIME, start)
                }
            if limit.lets(running) { return GST_PAD_PROBE_OK }
            if limit.end() { gst_pad_push_event(passing.pad, gst_event_new_eos()) }
            return GST_PAD_PROBE_DROP
        }
    }

    /// Whether any buffer has passed yet.
    public var hasPassed: Bool { limit.hasPassed }

    /// Ends the stream at a running time: buffers that begin then or later are dropped.
    public func cut(at time: StreamTime) { limit.set(GstClockTime(max(0, time.nanoseconds))) }

    /// Ends the stream now, because its source broke off and may never send the end itself.
    public func end() {
        // This waits for a buffer that is passing through the elements after the pad.
        control.start { [pad, limit] in if limit.end() { gst_pad_push_event(pad.pointer, gst_event_new_eos()) } }
    }
}
