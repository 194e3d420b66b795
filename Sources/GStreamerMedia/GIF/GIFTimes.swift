import CGStreamer
import Synchronization

/// Gives the decoded pictures of a GIF the times that they came with.
///
/// FFmpeg's decoder changes one picture again and again, and GStreamer takes the number by which it knows a picture's time from
/// the memory of the first: all pictures come out with the time 0. They come out in the order in which they went in, one for
/// one.
enum GIFTimes {
    private static let decoder = "avdec_gif"

    /// Watches for such decoders in a pipeline; to be called once, before it is prepared.
    static func watch(_ pipeline: UnsafeMutablePointer<GstBin>) {
        let element = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstElement.self)
        AddedElements.listen(to: element) { element in
            guard let factory = gst_element_get_factory(element),
                let name = fgst_factory_name(UnsafeMutableRawPointer(factory)), String(cString: name) == decoder
            else { return }
            mend(element)
        }
    }

    private static func mend(_ element: UnsafeMutablePointer<GstElement>) {
        let times = Times()
        for (name, probe) in [("sink", packetPassed), ("src", picturePassed)] as [(String, GstPadProbeCallback)] {
            guard let pad = gst_element_get_static_pad(element, name) else { continue }
            gst_pad_add_probe(
                pad, GST_PAD_PROBE_TYPE_BUFFER, probe, Unmanaged.passRetained(times).toOpaque(), releaseTimes)
            gst_object_unref(pad)
        }
    }

    /// Those of the pictures that went in and have not come out.
    fileprivate final class Times: Sendable {
        private let waiting = Mutex<[(start: GstClockTime, duration: GstClockTime)]>([])

        func add(_ buffer: UnsafeMutablePointer<GstBuffer>) {
            waiting.withLock { $0.append((buffer.pointee.pts, buffer.pointee.duration)) }
        }

        func next() -> (start: GstClockTime, duration: GstClockTime)? {
            waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }
}

/// `GstPadProbeCallback` at the decoder's input, on its streaming thread.
private func packetPassed(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    if let context, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self) {
        Unmanaged<GIFTimes.Times>.fromOpaque(context).takeUnretainedValue().add(buffer)
    }
    return GST_PAD_PROBE_OK
}

/// `GstPadProbeCallback` at the decoder's output, on its streaming thread.
private func picturePassed(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let context, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self),
        let time = Unmanaged<GIFTimes.Times>.fromOpaque(context).takeUnretainedValue().next(),
        let own = fgst_buffer_make_writable(buffer)
    else { return GST_PAD_PROBE_OK }
    own.pointee.pts = time.start
    own.pointee.duration = time.duration
    info?.pointee.data = UnsafeMutableRawPointer(own)
    return GST_PAD_PROBE_OK
}

/// `GDestroyNotify`: a pad releases its probe.
private func releaseTimes(_ context: gpointer?) {
    if let context { Unmanaged<GIFTimes.Times>.fromOpaque(context).release() }
}
