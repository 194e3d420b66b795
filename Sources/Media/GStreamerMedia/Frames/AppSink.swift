import CGStreamer
import Errors
import Synchronization
public import TextSpotting

/// The result of ``AppSink/pull(timeout:)``.
public enum PullResult: ~Copyable, Sendable {
    /// The next frame.
    case sample(Sample)
    /// No frame came in time.
    case timedOut
    /// No frame will come: the stream ended, or the pipeline was stopped.
    case endOfStream
}

/// The element through which frames leave a pipeline (`appsink`).
///
/// Any thread may use it; each frame goes to the first thread that pulls. It may outlive its pipeline, and then returns
/// ``PullResult/endOfStream``.
public final class AppSink: Sendable {
    private let sink: GObjectReference<GstAppSink>
    private let counter = BufferCounter()

    init(retaining sink: UnsafeMutablePointer<GstAppSink>) {
        self.sink = GObjectReference(retaining: sink)
        counter.count(on: asElement)
    }

    var asElement: UnsafeMutablePointer<GstElement> {
        UnsafeMutableRawPointer(sink.pointer).assumingMemoryBound(to: GstElement.self)
    }

    /// Sets the bounds. Call it before the pipeline is prepared.
    ///
    /// - Parameters:
    ///   - maxBuffers: the number of frames that may wait here.
    ///   - drop: whether the oldest frame is dropped when that many wait (live); otherwise the decoder waits
    ///     (recordings).
    ///   - sync: whether frames come at their time on the clock instead of as fast as they are taken.
    /// - Returns: the properties that the description had set to something else.
    /// - Throws: `FramegrepError` `.badPipeline` if the description's own caps are not raw video in main memory.
    @discardableResult
    public func configure(maxBuffers: Int, drop: Bool, sync: Bool) throws -> [PropertyChange] {
        var setting = PropertySetting(element: asElement)
        setting.set("max-buffers", to: String(max(1, maxBuffers)))
        setting.set("drop", to: String(drop))
        setting.set("sync", to: String(sync))
        // Keeping the last sample would hold one more frame, for screenshots that are not used here.
        setting.set("enable-last-sample", to: "false")
        // The end is announced only after every frame was pulled.
        setting.set("wait-on-eos", to: "true")
        setting.set("emit-signals", to: "false")
        try restrictCaps()
        return setting.changes
    }

    /// Accepts frames as they are in the decoder's memory, with padded rows, so that they need not be copied. Call it
    /// before the pipeline is prepared, but not for frames that are sent on, because their receiver may not expect the
    /// padding.
    public func takeFramesAsTheyLie() {
        guard let pad = gst_element_get_static_pad(asElement, "sink") else { return }
        fgst_takes_any_layout(pad)
        gst_object_unref(pad)
    }

    /// Adapts to a source that turned out to be live: from now on the oldest frame is dropped when too many wait, and
    /// each arrives at once.
    public func becomeLive() {
        var setting = PropertySetting(element: asElement)
        setting.set("drop", to: "true")
        setting.set("sync", to: "false")
    }

    /// The changes by ``configure(maxBuffers:drop:sync:)`` that are still in effect; ``becomeLive()`` reverts some of them.
    public func lasting(_ changes: [PropertyChange]) -> [PropertyChange] {
        changes.filter { String(takingOwnershipOf: fgst_take_property_text(asElement, $0.property)) != $0.from }
    }

    /// Blocks the calling thread until the next frame: call it on a dedicated thread, not in a task.
    ///
    /// Frames come only while the pipeline plays. ``Pipeline/stop(within:)`` ends the wait.
    public func pull(timeout: Duration) -> PullResult {
        let parts = timeout.components
        let nanoseconds = max(0, parts.seconds) * 1_000_000_000 + max(0, parts.attoseconds / 1_000_000_000)
        if let sample = gst_app_sink_try_pull_sample(sink.pointer, GstClockTime(nanoseconds)) {
            return .sample(Sample(takingOwnershipOf: sample))
        }
        return gst_app_sink_is_eos(sink.pointer) != 0 ? .endOfStream : .timedOut
    }

    /// Returns the first frame, which can still be pulled; nil if none has come. Call it between
    /// ``Pipeline/prepare(timeout:)`` and ``Pipeline/play()``.
    public func firstSample() -> Sample? {
        gst_app_sink_try_pull_preroll(sink.pointer, 0).map(Sample.init(takingOwnershipOf:))
    }

    /// The number of frames that have arrived since this object was made; those that were not pulled have been dropped.
    public var receivedBuffers: Int { counter.value }

    private func restrictCaps() throws {
        guard let raw = gst_caps_from_string("video/x-raw") else { return }
        defer { gst_caps_unref(raw) }
        guard let own = gst_app_sink_get_caps(sink.pointer) else {
            gst_app_sink_set_caps(sink.pointer, raw)
            return
        }
        defer { gst_caps_unref(own) }
        guard let both = gst_caps_intersect(own, raw), gst_caps_is_empty(both) == 0 else {
            let text = String(takingOwnershipOf: gst_caps_to_string(own)) ?? ""
            throw FramegrepError(
                .badPipeline,
                "The appsink's caps '\(text)' are not raw video in main memory. Leave them out, or write video/x-raw.")
        }
        gst_app_sink_set_caps(sink.pointer, both)
        gst_caps_unref(both)
    }
}

/// Counts the buffers that come through a pad.
private final class BufferCounter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func count(on element: UnsafeMutablePointer<GstElement>) {
        PadProbe.add(to: element, pad: "sink", [GST_PAD_PROBE_TYPE_BUFFER]) { _ in
            self.count.add(1, ordering: .relaxed)
            return GST_PAD_PROBE_OK
        }
    }
}

/// A piece of raw sound as it came out of a pipeline: interleaved samples, in its own memory.
public struct SoundPiece: Sendable {
    public var bytes: [UInt8]
    /// The time at which its first sample is heard, on the pipeline's clock; nil for sound without a timestamp.
    public var runningTime: StreamTime?
}

/// The result of ``AppSink/pullSound(timeout:)``.
public enum SoundPull: Sendable {
    case piece(SoundPiece)
    case timedOut
    case endOfStream
}

extension AppSink {
    /// Sets the bounds of a sink for sound. (The description decides the format.) Call it before the pipeline is
    /// prepared.
    ///
    /// - Parameters:
    ///   - maxBuffers: the number of pieces that may wait here; when that many do, the decoder waits.
    ///   - sync: whether they come at their time on the clock instead of as fast as they are taken.
    public func configureForSound(maxBuffers: Int, sync: Bool) {
        var setting = PropertySetting(element: asElement)
        setting.set("max-buffers", to: String(max(1, maxBuffers)))
        setting.set("drop", to: "false")
        setting.set("sync", to: String(sync))
        // A track that never sends anything must not keep the picture from beginning.
        setting.set("async", to: "false")
        setting.set("enable-last-sample", to: "false")
        // Samples that wait here can be pulled even after its end. The sink must not wait for that: it holds its lock
        // meanwhile, and if all of a short sound passes while the pipeline is being set to play, the thread that does
        // so waits for the lock and none pulls.
        setting.set("wait-on-eos", to: "false")
        setting.set("emit-signals", to: "false")
    }

    /// Blocks the calling thread until the next piece of sound.
    public func pullSound(timeout: Duration) -> SoundPull {
        switch pull(timeout: timeout) {
        case .timedOut: .timedOut
        case .endOfStream: .endOfStream
        case .sample(let sample):
            .piece(
                SoundPiece(
                    bytes: gst_sample_get_buffer(sample.pointer).map { copiedBytes(of: $0) } ?? [],
                    runningTime: sample.runningTime))
        }
    }
}

/// A property whose value in the user's pipeline framegrep has overridden.
public struct PropertyChange: Hashable, Sendable, CustomStringConvertible {
    public let property: String
    /// In GStreamer's notation for descriptions.
    public let from: String
    public let to: String

    public var description: String { "\(property)=\(from) is now \(property)=\(to)" }
}

/// Sets properties of an element and remembers which of them a user had set to something else.
struct PropertySetting {
    let element: UnsafeMutablePointer<GstElement>
    private(set) var changes: [PropertyChange] = []

    /// Sets a property from its text if this version of the element has it.
    mutating func set(_ property: String, to text: String) {
        guard let description = fgst_property(element, property) else { return }
        let before = String(takingOwnershipOf: fgst_take_property_text(element, property))
        let isDefault = fgst_is_default(element, description) != 0
        gst_util_set_object_arg(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), property, text)
        let after = String(takingOwnershipOf: fgst_take_property_text(element, property))
        guard !isDefault, let before, let after, before != after else { return }
        changes.append(PropertyChange(property: property, from: before, to: after))
    }
}
