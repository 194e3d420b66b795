import CGStreamer
public import TextSpotting

/// An encoded picture on its way to its decoder.
public struct EncodedPicture: Sendable, Hashable {
    /// When it is shown, in the stream's own time; nil if the stream does not say.
    public var time: StreamTime?
    /// It can be decoded without those before it.
    public var isKey: Bool

    public init(time: StreamTime?, isKey: Bool) {
        self.time = time
        self.isKey = isKey
    }
}

/// Decides which encoded pictures come to the decoders of one pipeline.
///
/// Packets that are stopped cost neither decoding nor memory. The pads of the decoders hold this object, and it holds nothing of theirs.
final class PacketGate: Sendable {
    private let lets: @Sendable (EncodedPicture) -> Bool

    init(_ lets: @escaping @Sendable (EncodedPicture) -> Bool) { self.lets = lets }

    /// Stands before each decoder that is put into a bin from now on.
    func watch(_ bin: UnsafeMutablePointer<GstElement>) {
        AddedElements.listen(to: bin) { self.stand(before: $0) }
    }

    private func stand(before element: UnsafeMutablePointer<GstElement>) {
        // Pictures of a GIF build on one another, and none of them says so.
        guard DecoderWatch.isDecoder(element), factoryName(element) != "avdec_gif",
            let pad = gst_element_get_static_pad(element, "sink")
        else { return }
        defer { gst_object_unref(pad) }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, packetCame, Unmanaged.passRetained(self).toOpaque(), releaseGate)
    }

    fileprivate func lets(
        _ buffer: UnsafeMutablePointer<GstBuffer>, through pad: UnsafeMutablePointer<GstPad>
    ) -> Bool {
        let isKey = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue == 0
        return lets(EncodedPicture(time: Self.time(of: buffer, at: pad), isKey: isKey))
    }

    private static func time(
        of buffer: UnsafeMutablePointer<GstBuffer>, at pad: UnsafeMutablePointer<GstPad>
    ) -> StreamTime? {
        guard buffer.pointee.pts != noClockTime, let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else {
            return nil
        }
        defer { gst_event_unref(event) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        // The segment is the event's.
        guard let segment, segment.pointee.format == GST_FORMAT_TIME else { return nil }
        let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
        return time == noClockTime ? nil : StreamTime(nanoseconds: Int64(clamping: time))
    }
}

extension Pipeline {
    /// Has a function decide which encoded pictures come to the decoders; to be called before the pipeline is prepared.
    ///
    /// - Parameter lets: is asked on streaming threads, in the order in which pictures are decoded. If it stops one, those up to the next
    ///   key picture cannot be decoded without it.
    public func letPackets(_ lets: @escaping @Sendable (EncodedPicture) -> Bool) {
        PacketGate(lets).watch(element.pointer)
    }
}

/// `GstPadProbeCallback`, on a streaming thread.
private func packetCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let context, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self) else {
        return GST_PAD_PROBE_OK
    }
    let gate = Unmanaged<PacketGate>.fromOpaque(context).takeUnretainedValue()
    return gate.lets(buffer, through: pad) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
}

/// `GDestroyNotify`: the pad releases its probe.
private func releaseGate(_ context: gpointer?) {
    if let context { Unmanaged<PacketGate>.fromOpaque(context).release() }
}
