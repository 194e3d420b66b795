import CGStreamer
public import TextSpotting

/// An encoded picture on its way to its decoder.
public struct EncodedPicture: Sendable, Hashable {
    /// The time at which it is shown, as stream time; nil if the stream does not say.
    public var time: StreamTime?
    /// Whether it can be decoded without those before it.
    public var isKey: Bool
}

extension Pipeline {
    /// Lets a function decide which encoded pictures reach the decoders. Call it before the pipeline is prepared. Packets that are stopped cost
    /// neither decoding nor memory.
    ///
    /// - Parameter lets: called on streaming threads, in the order in which pictures are decoded. If it stops a picture, those up to the next key
    ///   picture cannot be decoded.
    public func letPackets(_ lets: @escaping @Sendable (EncodedPicture) -> Bool) {
        AddedElements.listen(to: element.pointer) { element in
            // Pictures of a GIF depend on each other, although none is marked so.
            guard DecoderWatch.isDecoder(element), factoryName(element) != "avdec_gif" else { return }
            PadProbe.add(to: element, pad: "sink", [GST_PAD_PROBE_TYPE_BUFFER]) { passing in
                guard let buffer = passing.buffer else { return GST_PAD_PROBE_OK }
                let isKey = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue == 0
                let time = Self.streamTime(of: buffer, on: passing.pad)
                return lets(EncodedPicture(time: time, isKey: isKey)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
        }
    }

    private static func streamTime(
        of buffer: UnsafeMutablePointer<GstBuffer>, on pad: UnsafeMutablePointer<GstPad>
    ) -> StreamTime? {
        guard buffer.pointee.pts != noClockTime else { return nil }
        return time(on: pad) { gst_segment_to_stream_time($0, GST_FORMAT_TIME, buffer.pointee.pts) }
            .map { StreamTime(nanoseconds: Int64(clamping: $0)) }
    }
}
