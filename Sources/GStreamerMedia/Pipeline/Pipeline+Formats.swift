import CGStreamer
import Errors
public import TextSpotting

extension Pipeline {
    /// Calls `action` with each format of the raw video that comes to an element, before the first frame of that format does: properties
    /// that it sets then apply to that frame already.
    ///
    /// - Parameters:
    ///   - name: of an element with one input.
    ///   - action: called on a streaming thread, which waits for it. It may set properties; it must not change states. It
    ///     must not hold the pipeline, which holds it.
    /// - Throws: `FramegrepError` `.badPipeline` if there is no such element, or it has no input of that kind.
    public func watchFormat(
        comingToElementNamed name: String, _ action: @escaping @Sendable (VideoInfo) -> Void
    ) throws {
        let pad = try inputPad(ofElementNamed: name)
        defer { gst_object_unref(pad) }
        let context = Unmanaged.passRetained(FormatWatch(action)).toOpaque()
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, formatPassed, context, releaseFormatWatch)
    }

    /// Has `action` called with the timestamp of each frame that comes to an element, before the element sees it; nil for a frame
    /// without one.
    ///
    /// - Parameters:
    ///   - name: of an element with one input.
    ///   - action: called on a streaming thread, which waits for it. It must not hold the pipeline, which holds it.
    /// - Throws: `FramegrepError` `.badPipeline` if there is no such element, or it has no input of that kind.
    public func watchFrames(
        comingToElementNamed name: String, _ action: @escaping @Sendable (StreamTime?) -> Void
    ) throws {
        let pad = try inputPad(ofElementNamed: name)
        defer { gst_object_unref(pad) }
        let context = Unmanaged.passRetained(FrameWatch(action)).toOpaque()
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, framePassed, context, releaseFrameWatch)
    }

    /// The caller owns the reference.
    private func inputPad(ofElementNamed name: String) throws -> UnsafeMutablePointer<GstPad> {
        guard let found = find(name) else {
            throw FramegrepError(.badPipeline, "Nothing in the pipeline is named “\(name)”.")
        }
        guard let pad = gst_element_get_static_pad(found.pointer, "sink") else {
            throw FramegrepError(
                .badPipeline, "The element “\(name)” (\(factoryName(found.pointer))) has no input that is always there."
            )
        }
        return pad
    }
}

/// Tells of the formats that come through a pad. The pad's probe holds it.
private final class FormatWatch: Sendable {
    private let action: @Sendable (VideoInfo) -> Void

    init(_ action: @escaping @Sendable (VideoInfo) -> Void) {
        self.action = action
    }

    /// Copies the event's contents; the event stays the caller's.
    func receive(_ event: UnsafeMutablePointer<GstEvent>) {
        guard event.pointee.type == GST_EVENT_CAPS else { return }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        var info = GstVideoInfo()
        // The caps are the event's.
        guard let caps, gst_video_info_from_caps(&info, caps) != 0 else { return }
        action(VideoInfo(info))
    }
}

/// `GstPadProbeCallback`, on a streaming thread.
private func formatPassed(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    if let context, let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self) {
        Unmanaged<FormatWatch>.fromOpaque(context).takeUnretainedValue().receive(event)
    }
    return GST_PAD_PROBE_OK
}

/// Tells of the frames that come through a pad. The pad's probe holds it.
private final class FrameWatch: Sendable {
    let action: @Sendable (StreamTime?) -> Void

    init(_ action: @escaping @Sendable (StreamTime?) -> Void) {
        self.action = action
    }
}

/// `GstPadProbeCallback`, on a streaming thread.
private func framePassed(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    if let context, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self) {
        let time = buffer.pointee.pts
        Unmanaged<FrameWatch>.fromOpaque(context).takeUnretainedValue().action(
            time == noClockTime ? nil : StreamTime(nanoseconds: Int64(clamping: time)))
    }
    return GST_PAD_PROBE_OK
}

/// `GDestroyNotify`: the pad releases its probe.
private func releaseFrameWatch(_ context: gpointer?) {
    if let context { Unmanaged<FrameWatch>.fromOpaque(context).release() }
}

/// `GDestroyNotify`: the pad releases its probe.
private func releaseFormatWatch(_ context: gpointer?) {
    if let context { Unmanaged<FormatWatch>.fromOpaque(context).release() }
}

extension Pipeline {
    /// Whether the source appears to be a still picture, as far as its beginning tells. To be asked once the pipeline is prepared.
    public var bringsOnePicture: Bool {
        // The name that decodebin gives to what looks at the beginning.
        guard let caps = propertyString("caps", ofElementNamed: "typefind") else { return false }
        return caps.hasPrefix("image/") && !caps.hasPrefix("image/gif") && !caps.hasPrefix("image/webp")
    }
}
