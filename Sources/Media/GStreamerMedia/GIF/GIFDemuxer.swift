import CGStreamer
import Synchronization

/// An element that passes the pictures of a GIF to their decoder, with their times.
///
/// FFmpeg's demuxer for GIFs, which `decodebin` would use, never ends in GStreamer 1.22 with FFmpeg 5: GStreamer's
/// reader signals the end of the file as a read of 0 bytes, and the demuxer then keeps reading forever. This one
/// replaces it; the decoder is still FFmpeg's, see ``RepeatedPictures``.
enum GIFDemuxer {
    static let name = "framegrepgifdemux"

    /// Registers it with GStreamer, once.
    static func register() {
        let type = g_type_register_static_simple(
            gst_element_get_type(), "FramegrepGIFDemux", guint(MemoryLayout<GstElementClass>.size), initializeClass,
            guint(MemoryLayout<GstElement>.size), initializeInstance, GTypeFlags(rawValue: 0))
        gst_element_register(nil, name, guint(GST_RANK_PRIMARY.rawValue) + 1, type)
    }

    /// One element's state. Its streaming thread changes it; other threads query it.
    fileprivate final class Work: Sendable {
        struct State: Sendable {
            var splitter = GIFSplitter()
            var hasBegun = false
            /// The time at which the next picture is shown, in nanoseconds.
            var time: GstClockTime = 0
            /// Whether all pictures have arrived.
            var isWhole = false
        }

        let state = Mutex(State())

        /// Pushes the pictures that are complete.
        func push(to source: UnsafeMutablePointer<GstPad>) -> GstFlowReturn {
            while let packet = state.withLock({ $0.splitter.next() }) {
                let flow = push(packet, to: source)
                guard flow == GST_FLOW_OK else { return flow }
            }
            return GST_FLOW_OK
        }

        func push(_ packet: GIFSplitter.Packet, to source: UnsafeMutablePointer<GstPad>) -> GstFlowReturn {
            begin(source)
            guard let buffer = gst_buffer_new_allocate(nil, gsize(packet.bytes.count), nil) else {
                return GST_FLOW_ERROR
            }
            gst_buffer_fill(buffer, 0, packet.bytes, gsize(packet.bytes.count))
            let duration = GstClockTime(packet.delay) * 10_000_000
            buffer.pointee.duration = duration
            buffer.pointee.pts = state.withLock { state in
                defer { state.time += duration }
                return state.time
            }
            return gst_pad_push(source, buffer)
        }

        /// Announces the stream's format and segment, which begins at 0, once.
        private func begin(_ source: UnsafeMutablePointer<GstPad>) {
            let size = state.withLock { state in
                defer { state.hasBegun = true }
                return state.hasBegun ? nil : state.splitter.size
            }
            guard let size else { return }
            let caps = gst_caps_from_string(
                "\(GIFDemuxer.packets), width=(int)\(size.width), height=(int)\(size.height), framerate=(fraction)0/1")
            gst_pad_push_event(source, gst_event_new_caps(caps))
            gst_caps_unref(caps)
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_push_event(source, gst_event_new_segment(&segment))
        }

        /// Handles the end of the file: a truncated picture is passed on as far as it goes.
        ///
        /// - Returns: false if the file is damaged or cut off.
        func end(_ source: UnsafeMutablePointer<GstPad>) -> Bool {
            _ = push(to: source)
            let (rest, isSound) = state.withLock { state in
                let isSound = !state.splitter.isCutOff && !state.splitter.isDamaged
                return (state.splitter.rest(), isSound)
            }
            if let rest { _ = push(rest, to: source) }
            state.withLock { $0.isWhole = true }
            return isSound
        }

        func forget() { state.withLock { $0 = State() } }
    }

    /// The caps that `avdec_gif` accepts.
    fileprivate static let packets = "image/gst-libav-gif, parsed=(boolean)true"
    fileprivate static let dataKey = "framegrep-gif"

    fileprivate static func work(of element: UnsafeMutableRawPointer?) -> Work? {
        g_object_get_data(element?.assumingMemoryBound(to: GObject.self), dataKey).map {
            Unmanaged<Work>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

/// `GClassInitFunc`.
private func initializeClass(_ type: gpointer?, _ data: gpointer?) {
    guard let type = type?.assumingMemoryBound(to: GstElementClass.self) else { return }
    gst_element_class_set_static_metadata(
        type, "GIF demuxer", "Codec/Demuxer", "Takes the pictures of a GIF apart", "framegrep")
    for (name, direction, format) in [("sink", GST_PAD_SINK, "image/gif"), ("src", GST_PAD_SRC, GIFDemuxer.packets)] {
        let caps = gst_caps_from_string(format)
        gst_element_class_add_pad_template(type, gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps))
        gst_caps_unref(caps)
    }
}

/// `GInstanceInitFunc`.
private func initializeInstance(_ instance: UnsafeMutablePointer<GTypeInstance>?, _ type: gpointer?) {
    guard let instance, let type = type?.assumingMemoryBound(to: GstElementClass.self) else { return }
    let element = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstElement.self)
    g_object_set_data_full(
        UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GObject.self), GIFDemuxer.dataKey,
        Unmanaged.passRetained(GIFDemuxer.Work()).toOpaque(), releaseContext)
    for name in ["sink", "src"] {
        guard let template = gst_element_class_get_pad_template(type, name),
            let pad = gst_pad_new_from_template(template, name)
        else { continue }
        if name == "sink" {
            gst_pad_set_chain_function_full(pad, bytesCame, nil, nil)
            gst_pad_set_event_function_full(pad, eventCame, nil, nil)
        } else {
            gst_pad_set_query_function_full(pad, queryCame, nil, nil)
            // `gst_pad_use_fixed_caps` is a macro.
            gst_pad_set_event_function_full(pad, requestCame, nil, nil)
        }
        gst_element_add_pad(element, pad)
    }
}

/// Returns the element's output, with a reference that the caller owns.
private func output(of parent: UnsafeMutablePointer<GstObject>?) -> UnsafeMutablePointer<GstPad>? {
    gst_element_get_static_pad(UnsafeMutableRawPointer(parent)?.assumingMemoryBound(to: GstElement.self), "src")
}

/// `GstPadChainFunction`: takes over the buffer.
private func bytesCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ parent: UnsafeMutablePointer<GstObject>?,
    _ buffer: UnsafeMutablePointer<GstBuffer>?
) -> GstFlowReturn {
    guard let buffer, let source = output(of: parent), let work = GIFDemuxer.work(of: parent) else {
        return GST_FLOW_ERROR
    }
    defer {
        gst_buffer_unref(buffer)
        gst_object_unref(source)
    }
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return GST_FLOW_ERROR }
    let bytes = UnsafeBufferPointer(start: map.data, count: Int(map.size))
    work.state.withLock { $0.splitter.append(bytes) }
    gst_buffer_unmap(buffer, &map)
    let flow = work.push(to: source)
    // After damage nothing more is requested, because a server may never stop sending.
    return flow == GST_FLOW_OK && work.state.withLock({ $0.splitter.isDamaged }) ? GST_FLOW_EOS : flow
}

/// `GstPadEventFunction` of the input: takes over the event.
private func eventCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ parent: UnsafeMutablePointer<GstObject>?,
    _ event: UnsafeMutablePointer<GstEvent>?
) -> gboolean {
    guard let event, let work = GIFDemuxer.work(of: parent), let source = output(of: parent) else { return 0 }
    defer { gst_object_unref(source) }
    switch event.pointee.type {
    case GST_EVENT_CAPS, GST_EVENT_SEGMENT:
        // These events are about the file; the pictures have their own.
        gst_event_unref(event)
        return 1
    case GST_EVENT_FLUSH_STOP:
        work.forget()
    case GST_EVENT_EOS where !work.end(source):
        gst_element_message_full(
            UnsafeMutableRawPointer(parent)?.assumingMemoryBound(to: GstElement.self), GST_MESSAGE_ERROR,
            gst_stream_error_quark(), gint(GST_STREAM_ERROR_DEMUX.rawValue), g_strdup("The GIF breaks off."), nil,
            "GIFDemuxer", "eventCame", 0)
    default: break
    }
    return gst_pad_push_event(source, event)
}

/// `GstPadEventFunction` of the output: takes over the event.
private func requestCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ parent: UnsafeMutablePointer<GstObject>?,
    _ event: UnsafeMutablePointer<GstEvent>?
) -> gboolean {
    guard let event else { return 0 }
    // Its pictures build on one another from the first one, so it cannot seek.
    if event.pointee.type == GST_EVENT_SEEK {
        gst_event_unref(event)
        return 0
    }
    return gst_pad_event_default(pad, parent, event)
}

/// `GstPadQueryFunction` of the output.
private func queryCame(
    _ pad: UnsafeMutablePointer<GstPad>?, _ parent: UnsafeMutablePointer<GstObject>?,
    _ query: UnsafeMutablePointer<GstQuery>?
) -> gboolean {
    guard let query else { return 0 }
    switch query.pointee.type {
    case GST_QUERY_DURATION:
        var format = GST_FORMAT_UNDEFINED
        gst_query_parse_duration(query, &format, nil)
        let known = GIFDemuxer.work(of: parent)?.state.withLock { $0.isWhole ? $0.time : nil }
        guard format == GST_FORMAT_TIME, let known else { return 0 }
        gst_query_set_duration(query, GST_FORMAT_TIME, gint64(clamping: known))
        return 1
    case GST_QUERY_SEEKING:
        var format = GST_FORMAT_UNDEFINED
        gst_query_parse_seeking(query, &format, nil, nil, nil)
        gst_query_set_seeking(query, format, 0, 0, -1)
        return 1
    default:
        return gst_pad_query_default(pad, parent, query)
    }
}
