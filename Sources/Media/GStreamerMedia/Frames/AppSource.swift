import CGStreamer
public import TextSpotting

/// The result of pushing a frame.
public enum PushResult: Sendable, Hashable {
    case ok
    /// The pipeline is stopped or seeking, so the frame was discarded.
    case flushing
    /// The stream had already ended, so the frame was discarded.
    case endOfStream
    /// GStreamer did not accept the frame.
    case failed
}

/// The element through which frames enter a pipeline (`appsrc`).
///
/// Any thread may push, one at a time. A push may block (see ``configure(maxBuffers:block:isLive:)``): call it on a
/// dedicated thread, not in a task.
public final class AppSource: Sendable {
    private let source: GObjectReference<GstAppSrc>

    init(retaining source: UnsafeMutablePointer<GstAppSrc>) {
        self.source = GObjectReference(retaining: source)
    }

    /// Sets the bounds. Call it before the pipeline is prepared.
    ///
    /// - Parameters:
    ///   - maxBuffers: the number of frames that may wait here.
    ///   - block: whether `push(_:drawing:)` waits when that many do; otherwise frames queue up without bound.
    ///   - isLive: whether frames belong to the moment at which they are pushed, as a camera's do.
    /// - Returns: the properties that the description had set to something else.
    @discardableResult
    public func configure(maxBuffers: Int, block: Bool, isLive: Bool) -> [PropertyChange] {
        var setting = PropertySetting(
            element: UnsafeMutableRawPointer(source.pointer).assumingMemoryBound(to: GstElement.self))
        setting.set("format", to: "time")
        setting.set("stream-type", to: "stream")
        setting.set("max-buffers", to: String(max(1, maxBuffers)))
        setting.set("max-bytes", to: "0")
        setting.set("max-time", to: "0")
        setting.set("block", to: String(block))
        setting.set("is-live", to: String(isLive))
        setting.set("do-timestamp", to: "false")
        setting.set("emit-signals", to: "false")
        return setting.changes
    }

    /// Sends a frame on, with pixels laid over it, at its running time.
    ///
    /// The frame keeps its format, size and duration; its timestamp becomes the running time that it had when it was
    /// pulled, so that files with edit lists and seeks play correctly. Pixels that others can still see (another branch
    /// of a `tee`, a decoder's reference frame) are copied before they are drawn on; without patches nothing is copied.
    ///
    /// - Parameter time: another running time to show it at, for a picture that was held back; nil for its own.
    public func push(
        _ sample: consuming Sample, drawing patches: [OverlayPatch] = [], at time: StreamTime? = nil
    ) -> PushResult {
        guard let caps = gst_sample_get_caps(sample.pointer), let shared = gst_sample_get_buffer(sample.pointer) else {
            return .failed
        }
        let runningTime = time ?? sample.runningTime
        let info = sample.videoInfo
        guard let buffer = drawableCopy(of: shared) else { return .failed }
        if let info, !patches.isEmpty { blend(patches, onto: buffer, info) }
        buffer.pointee.pts = runningTime.map { GstClockTime(max(0, $0.nanoseconds)) } ?? noClockTime
        buffer.pointee.dts = noClockTime
        return push(takingOwnershipOf: buffer, caps: caps)
    }

    /// Sends a picture that was not pulled from a pipeline.
    ///
    /// - Parameters:
    ///   - bgra: four bytes a pixel (blue, green, red, alpha, which is ignored), rows from the top, no padding.
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - time: the time at which it becomes visible, on the pipeline's clock.
    ///   - duration: how long it is visible; also sets the frame rate that the caps name.
    /// - Precondition: `bgra` has `width * height * 4` elements.
    public func push(bgra: [UInt8], width: Int, height: Int, at time: StreamTime, duration: StreamTime) -> PushResult {
        precondition(bgra.count == width * height * 4, "a frame's bytes must fill it")
        var numerator: Int32 = 0
        var denominator: Int32 = 1
        if gst_video_guess_framerate(GstClockTime(max(0, duration.nanoseconds)), &numerator, &denominator) == 0 {
            (numerator, denominator) = (0, 1)
        }
        let text =
            "video/x-raw,format=BGRx,width=\(width),height=\(height),framerate=\(numerator)/\(denominator),"
            + "pixel-aspect-ratio=1/1,interlace-mode=progressive"
        return push(bgra, caps: text, at: time, lasting: duration)
    }

    /// Sends bytes on, such as a piece of raw sound.
    ///
    /// - Parameters:
    ///   - caps: their format, in the notation of gst-launch.
    ///   - time: the time at which the first of them is seen or heard, on the pipeline's clock.
    public func push(_ bytes: [UInt8], caps: String, at time: StreamTime, lasting duration: StreamTime) -> PushResult {
        guard let caps = gst_caps_from_string(caps), let buffer = gst_buffer_new_memdup(bytes, gsize(bytes.count))
        else {
            return .failed
        }
        defer { gst_caps_unref(caps) }
        buffer.pointee.pts = GstClockTime(max(0, time.nanoseconds))
        buffer.pointee.duration = GstClockTime(max(0, duration.nanoseconds))
        return push(takingOwnershipOf: buffer, caps: caps)
    }

    /// Makes the bus report ``BusMessage/pointer(_:)`` for the mouse in a window that shows these frames, in pixels of
    /// the frame as it was pushed: elements in between that scale, crop or rotate the picture have converted its
    /// position.
    ///
    /// The window's own ``BusMessage/navigation(_:)`` has the position in the picture that its sink got.
    public func reportPointer(to bus: Bus) {
        guard let element = fgst_as_element(source.pointer) else { return }
        // This runs on the thread that sends the event upstream.
        PadProbe.add(to: element, pad: "src", [GST_PAD_PROBE_TYPE_EVENT_UPSTREAM]) { passing in
            if let event = passing.event, event.pointee.type == GST_EVENT_NAVIGATION, let told = NavigationEvent(event)
            {
                bus.post(.pointer(told))
            }
            return GST_PAD_PROBE_OK
        }
    }

    /// Ends the stream after the frames pushed so far; this completes a file that is being recorded.
    public func endOfStream() {
        gst_app_src_end_of_stream(source.pointer)
    }

    func push(
        takingOwnershipOf buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>
    ) -> PushResult {
        // This does nothing if the caps are the same as before.
        gst_app_src_set_caps(source.pointer, caps)
        switch gst_app_src_push_buffer(source.pointer, buffer) {
        case GST_FLOW_OK: return .ok
        case GST_FLOW_FLUSHING: return .flushing
        case GST_FLOW_EOS: return .endOfStream
        default: return .failed
        }
    }
}
