import CGStreamer
import Synchronization

/// Corrects the times of pictures from some of FFmpeg's decoders.
///
/// These decoders change one picture again and again, and GStreamer finds a picture's time by a number in its memory. So if little or nothing
/// has changed, and with GIF always, all pictures come out with the time of the first. None of these decoders waits for a later packet, so a
/// picture belongs to the packet that went in last; a packet that cannot be decoded yields nothing.
enum RepeatedPictures {
    /// GStreamer's names of the decoders. Others have the right times, or reorder pictures.
    private static let decoders = Set(
        [
            "gif", "qtrle", "8bps", "aasc", "cinepak", "camstudio", "cscd", "flashsv", "flashsv2", "flic", "g2m",
            "kmvc", "mscc", "msrle",
            "mss1", "mss2", "msvideo1", "qpeg", "rasc", "rpza", "rscc", "screenpresso", "smc", "tscc", "tscc2",
            "ultimotion", "vmnc", "wcmv",
            "xan_wc3", "zerocodec", "zmbv",
        ].map { "avdec_" + $0 })

    /// Watches for such decoders in a pipeline. Call it once, before the pipeline is prepared.
    static func watch(_ pipeline: UnsafeMutablePointer<GstBin>) {
        let element = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstElement.self)
        AddedElements.listen(to: element) { element in
            guard let factory = gst_element_get_factory(element),
                let name = fgst_factory_name(UnsafeMutableRawPointer(factory)), decoders.contains(String(cString: name))
            else { return }
            mend(element)
        }
    }

    private static func mend(_ element: UnsafeMutablePointer<GstElement>) {
        let times = Times()
        PadProbe.add(to: element, pad: "sink", [GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_FLUSH]) { passing in
            if let buffer = passing.buffer { times.add(buffer) }
            // Times start over after a flush.
            if passing.event != nil { times.forget() }
            return GST_PAD_PROBE_OK
        }
        PadProbe.add(to: element, pad: "src", [GST_PAD_PROBE_TYPE_BUFFER]) { passing in
            guard let buffer = passing.buffer, let time = times.time(insteadOf: buffer.pointee.pts),
                let own = fgst_buffer_make_writable(buffer)
            else { return GST_PAD_PROBE_OK }
            own.pointee.pts = time.start
            own.pointee.duration = time.duration
            passing.replace(byTakingOwnershipOf: own)
            return GST_PAD_PROBE_OK
        }
    }

    /// The time of the last packet that entered, and that of the last picture that came out.
    private final class Times: Sendable {
        private struct State {
            var packet: (start: GstClockTime, duration: GstClockTime)?
            var last: GstClockTime?
        }

        private let state = Mutex(State())

        func add(_ buffer: UnsafeMutablePointer<GstBuffer>) {
            let time = (buffer.pointee.pts, buffer.pointee.duration)
            state.withLock { $0.packet = time }
        }

        func forget() { state.withLock { $0 = State() } }

        /// Returns the time of a picture that came out with the time of another; nil if its own is right, or none is known.
        func time(insteadOf own: GstClockTime) -> (start: GstClockTime, duration: GstClockTime)? {
            state.withLock { state in
                // Each picture is reported once: one with the time of the previous picture is not new.
                guard let packet = state.packet, let last = state.last, own == noClockTime || own <= last,
                    packet.start != noClockTime
                else {
                    if own != noClockTime { state.last = own }
                    return nil
                }
                state.last = packet.start
                return packet
            }
        }
    }
}
