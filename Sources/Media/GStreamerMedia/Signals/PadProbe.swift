import CGStreamer

/// Examines what passes through a pad, which owns it.
final class PadProbe: Sendable {
    /// A buffer or an event that passes through the pad. It is valid until the closure returns.
    struct Passing {
        let pad: UnsafeMutablePointer<GstPad>
        fileprivate let info: UnsafeMutablePointer<GstPadProbeInfo>

        /// Nil if it is something else.
        var buffer: UnsafeMutablePointer<GstBuffer>? {
            guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 else { return nil }
            return info.pointee.data?.assumingMemoryBound(to: GstBuffer.self)
        }

        /// Nil if it is something else.
        var event: UnsafeMutablePointer<GstEvent>? {
            let events = GST_PAD_PROBE_TYPE_EVENT_BOTH.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
            guard info.pointee.type.rawValue & events != 0 else { return nil }
            return info.pointee.data?.assumingMemoryBound(to: GstEvent.self)
        }

        /// Replaces it with another buffer; the pad takes over the other's reference and does not release this one's.
        func replace(byTakingOwnershipOf other: UnsafeMutablePointer<GstBuffer>) {
            info.pointee.data = UnsafeMutableRawPointer(other)
        }
    }

    typealias Look = @Sendable (Passing) -> GstPadProbeReturn

    fileprivate let look: Look

    private init(_ look: @escaping Look) { self.look = look }

    /// - Parameters:
    ///   - kinds: the kinds of data to examine.
    ///   - look: called on streaming threads, which wait for it. It must not own the pad's owner.
    static func add(to pad: UnsafeMutablePointer<GstPad>, _ kinds: [GstPadProbeType], look: @escaping Look) {
        gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: kinds.reduce(0) { $0 | $1.rawValue }), somethingPassed,
            Unmanaged.passRetained(PadProbe(look)).toOpaque(), releaseContext)
    }

    /// Does the same for a static pad of an element; returns nil if it has no such pad.
    static func add(
        to element: UnsafeMutablePointer<GstElement>, pad name: String, _ kinds: [GstPadProbeType], look: @escaping Look
    ) {
        guard let pad = gst_element_get_static_pad(element, name) else { return }
        defer { gst_object_unref(pad) }
        add(to: pad, kinds, look: look)
    }
}

/// `GstPadProbeCallback`, on a streaming thread.
private func somethingPassed(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let info, let context else { return GST_PAD_PROBE_OK }
    return Unmanaged<PadProbe>.fromOpaque(context).takeUnretainedValue().look(PadProbe.Passing(pad: pad, info: info))
}

/// `GDestroyNotify`: releases the object of Swift's that a C library retained as the context of a callback.
func releaseContext(_ context: gpointer?) {
    if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
}

/// `GClosureNotify`: does the same for the handler of a signal.
func releaseHandler(_ context: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) { releaseContext(context) }

/// Converts a time with the segment of a pad, if that is in time format; returns nil if there is no time.
func time(
    on pad: UnsafeMutablePointer<GstPad>, _ body: (UnsafePointer<GstSegment>) -> GstClockTime
) -> GstClockTime? {
    guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
    defer { gst_mini_object_unref(&event.pointee.mini_object) }
    var segment: UnsafePointer<GstSegment>?
    gst_event_parse_segment(event, &segment)
    // The event owns the segment.
    guard let segment, segment.pointee.format == GST_FORMAT_TIME else { return nil }
    let time = body(segment)
    return time == noClockTime ? nil : time
}

/// `GST_CLOCK_TIME_NONE`: no time.
let noClockTime = GstClockTime.max
