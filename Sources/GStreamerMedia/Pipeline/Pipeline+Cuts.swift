import CGStreamer
import Synchronization
public import TextSpotting
import Threads

extension Pipeline {
    /// Prepares that the stream leaving an element can be ended before its source ends; nil if there is no such element.
    ///
    /// - Parameter name: of an element with one output. To be called once for each, before the pipeline is prepared.
    public func makeCut(behindElementNamed name: String) -> StreamCut? {
        guard let found = find(name), let pad = gst_element_get_static_pad(found.pointer, "src") else { return nil }
        return StreamCut(takingOwnershipOf: pad, on: control)
    }
}

/// A place where a stream can be cut off, so that the elements behind it get the end there. Thread-safe.
public final class StreamCut: Sendable {
    /// State of the pad's probe; owned by the pad.
    fileprivate final class Limit: Sendable {
        private struct State {
            var limit: GstClockTime?
            var hasPassed = false
            var hasEnded = false
        }

        private let state = Mutex(State())

        var hasPassed: Bool { state.withLock { $0.hasPassed } }

        func set(_ time: GstClockTime) { state.withLock { $0.limit = min(time, $0.limit ?? time) } }

        /// The end is to be said now; true once.
        func end() -> Bool {
            state.withLock { state in
                defer { state.hasEnded = true }
                return !state.hasEnded
            }
        }

        /// Whether a buffer that begins at this running time (nil: unknown) goes on.
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
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, bufferAtCut, Unmanaged.passRetained(limit).toOpaque(), releaseLimit)
    }

    /// Whether anything has come by yet.
    public var hasPassed: Bool { limit.hasPassed }

    /// Ends the stream at a running time: what begins then or later does not go on.
    public func cut(at time: StreamTime) { limit.set(GstClockTime(max(0, time.nanoseconds))) }

    /// Ends the stream now, where its source broke off and may not say so itself.
    public func end() {
        // Waits for a buffer that is on its way through what is behind the pad.
        control.start { [pad, limit] in if limit.end() { gst_pad_push_event(pad.pointer, gst_event_new_eos()) } }
    }
}

/// `GstPadProbeCallback`, on a streaming thread.
private func bufferAtCut(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let context, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self) else {
        return GST_PAD_PROBE_OK
    }
    let limit = Unmanaged<StreamCut.Limit>.fromOpaque(context).takeUnretainedValue()
    if limit.lets(runningTime(of: buffer.pointee.pts, on: pad)) { return GST_PAD_PROBE_OK }
    if limit.end() { gst_pad_push_event(pad, gst_event_new_eos()) }
    return GST_PAD_PROBE_DROP
}

/// The running time that a timestamp means on a pad; nil if it has none, or lies outside the segment.
private func runningTime(of timestamp: GstClockTime, on pad: UnsafeMutablePointer<GstPad>) -> GstClockTime? {
    guard timestamp != noClockTime, let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
    defer { gst_mini_object_unref(&event.pointee.mini_object) }
    var segment: UnsafePointer<GstSegment>?
    gst_event_parse_segment(event, &segment)
    guard let segment, segment.pointee.format == GST_FORMAT_TIME else { return nil }
    let time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, timestamp)
    return time == noClockTime ? nil : time
}

/// `GDestroyNotify`: the pad releases its probe.
private func releaseLimit(_ context: gpointer?) {
    if let context { Unmanaged<StreamCut.Limit>.fromOpaque(context).release() }
}
