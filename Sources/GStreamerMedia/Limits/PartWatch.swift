import CGStreamer
import Synchronization

/// Bounds the memory of a `multipartdemux`, which keeps a picture until it is whole: a server may announce one of any length, or
/// send one that never ends.
///
/// The element's pads hold this, and this holds the ``DecoderWatch``. Thread-safe.
final class PartWatch: Sendable {
    private let decoders: DecoderWatch
    /// How many bytes have come since the last picture went out.
    private let count = Mutex(0)
    /// A head of a picture is shorter.
    private static let longestHead = 2048

    init(_ decoders: DecoderWatch) {
        self.decoders = decoders
    }

    func watch(_ demuxer: UnsafeMutablePointer<GstElement>) {
        guard let pad = gst_element_get_static_pad(demuxer, "sink") else { return }
        defer { gst_object_unref(pad) }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, bytesCame, Unmanaged.passRetained(self).toOpaque(), releaseParts)
        fgst_on_pad_added(demuxer, outputAdded, Unmanaged.passRetained(self).toOpaque(), releasePartsOfSignal)
    }

    /// Counts bytes that came; false if they are too many.
    fileprivate func lets(
        _ buffer: UnsafeMutablePointer<GstBuffer>, through pad: UnsafeMutablePointer<GstPad>
    ) -> Bool {
        if decoders.refusal != nil { return false }
        let size = Int(clamping: gst_buffer_get_size(buffer))
        let before = count.withLock { count in
            defer { count += size }
            return count
        }
        var total = before + size
        if before < Self.longestHead {
            total = max(total, Self.announced(in: DecoderWatch.head(of: buffer, count: Self.longestHead)) ?? 0)
        }
        guard total > PictureLimit.encodedBytes else { return true }
        decoders.refuse(decoders.refusal(ofPart: total), on: pad)
        return false
    }

    fileprivate func partWentOut() { count.withLock { $0 = 0 } }

    /// The number behind `Content-Length:` (RFC 9110, 8.6), in any case.
    static func announced(in head: [UInt8]) -> Int? {
        let text = String(decoding: head, as: UTF8.self).lowercased()
        guard let match = text.firstMatch(of: #/content-length:\s*(\d+)/#) else { return nil }
        return Int(match.output.1) ?? Int.max / 2
    }

    fileprivate func follow(_ pad: UnsafeMutablePointer<GstPad>) {
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, partCame, Unmanaged.passRetained(self).toOpaque(), releaseParts)
    }
}

/// `GstPadProbeCallback` of the input, on a streaming thread.
private func bytesCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let context, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self) else {
        return GST_PAD_PROBE_OK
    }
    let isFine = Unmanaged<PartWatch>.fromOpaque(context).takeUnretainedValue().lets(buffer, through: pad)
    return isFine ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
}

/// `GstPadProbeCallback` of an output, on a streaming thread.
private func partCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    if let context { Unmanaged<PartWatch>.fromOpaque(context).takeUnretainedValue().partWentOut() }
    return GST_PAD_PROBE_OK
}

/// `GstElement::pad-added`, on a streaming thread.
private func outputAdded(
    _ element: UnsafeMutablePointer<GstElement>?, _ pad: UnsafeMutablePointer<GstPad>?, _ context: gpointer?
) {
    guard let pad, let context else { return }
    Unmanaged<PartWatch>.fromOpaque(context).takeUnretainedValue().follow(pad)
}

/// `GDestroyNotify`: a pad releases its probe.
private func releaseParts(_ context: gpointer?) {
    if let context { Unmanaged<PartWatch>.fromOpaque(context).release() }
}

/// `GClosureNotify`: the element releases its handler.
private func releasePartsOfSignal(_ context: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    releaseParts(context)
}
