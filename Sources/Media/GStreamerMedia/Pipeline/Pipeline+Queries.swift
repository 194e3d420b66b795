import CGStreamer
import Dispatch
import Errors
public import TextSpotting

extension Pipeline {
    /// The length of the source; nil if it is not known (yet), as with cameras.
    public var duration: StreamTime? { query(gst_element_query_duration).map { max(.zero, $0 - editLists.added) } }

    /// The stream time of the frame that is being shown or read; nil before the first one.
    public var position: StreamTime? { query(gst_element_query_position) }

    /// The time on the pipeline's clock since it began to play; nil if it has none yet.
    public var runningTime: StreamTime? {
        let time = gst_element_get_current_running_time(element.pointer)
        return time == noClockTime ? nil : StreamTime(nanoseconds: Int64(clamping: time))
    }

    /// Delays everything by a fixed time, so that frames that pass through the program still arrive in time.
    public func setLatency(_ latency: StreamTime) {
        gst_pipeline_set_latency(fgst_as_pipeline(element.pointer), GstClockTime(max(0, latency.nanoseconds)))
    }

    /// Ends every source but the `appsrc`s, whose owners end them when they have pushed their last frame.
    ///
    /// The rest of the stream is still played; then the bus reports ``BusMessage/endOfStream``.
    public func sendEndOfStream() {
        let sources = GStreamerMedia.elements(from: gst_bin_iterate_sources(fgst_as_bin(element.pointer)))
        for source in sources where fgst_as_app_src(source.pointer) == nil {
            // A thread that reads the screen of a lost server never returns and holds a lock that this needs.
            if factoryName(source.pointer) == "ximagesrc" {
                DispatchQueue.global().async { gst_element_send_event(source.pointer, gst_event_new_eos()) }
            } else {
                gst_element_send_event(source.pointer, gst_event_new_eos())
            }
        }
    }

    /// The files that its elements read and write, as far as they are known before it runs.
    public var filePaths: (read: [String], written: [String]) {
        var paths: (read: [String], written: [String]) = ([], [])
        for element in elements {
            let isSink = fgst_is_sink(element.pointer) != 0
            for property in ["location", "uri", "playlist-location"]
            where fgst_property(element.pointer, property) != nil {
                guard let text = String(takingOwnershipOf: fgst_take_property_text(element.pointer, property)),
                    !text.isEmpty, text != "NULL", let path = try? SourceURI(text).path
                else { continue }
                if isSink { paths.written.append(path) } else { paths.read.append(path) }
            }
        }
        return paths
    }

    /// Whether a sink other than an `appsink` waits for the time of each frame, as windows do and files do not.
    public var hasPacingSink: Bool {
        elements.contains { sink in
            guard fgst_is_sink(sink.pointer) != 0, fgst_as_app_sink(sink.pointer) == nil,
                fgst_property(sink.pointer, "sync") != nil
            else { return false }
            return String(takingOwnershipOf: fgst_take_property_text(sink.pointer, "sync")) == "true"
        }
    }

    /// Whether a video sink shows frames when they are due and drops late ones, as windows do. Read it after the
    /// pipeline is prepared, when `autovideosink` has chosen its sink.
    public var hasWindow: Bool {
        elements.contains { sink in
            // This distinguishes GStreamer's video sinks from those for files and other data.
            fgst_is_sink(sink.pointer) != 0 && fgst_property(sink.pointer, "show-preroll-frame") != nil
        }
    }

    /// Returns the number of frames that the video sinks (windows, but not `appsink`s) have shown, and of those that
    /// they have dropped as late.
    public func sinkStatistics() -> (rendered: Int, dropped: Int) {
        var rendered: guint64 = 0
        var dropped: guint64 = 0
        for sink in elements where fgst_is_sink(sink.pointer) != 0 && fgst_as_app_sink(sink.pointer) == nil {
            guard fgst_as_bin(sink.pointer) == nil, fgst_property(sink.pointer, "stats") != nil,
                takesVideo(sink.pointer),
                let stats = fgst_take_structure(sink.pointer, "stats")
            else { continue }
            var value: guint64 = 0
            if gst_structure_get_uint64(stats, "rendered", &value) != 0 { rendered += value }
            if gst_structure_get_uint64(stats, "dropped", &value) != 0 { dropped += value }
            gst_structure_free(stats)
        }
        return (Int(clamping: rendered), Int(clamping: dropped))
    }

    private func takesVideo(_ sink: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let pad = gst_element_get_static_pad(sink, "sink") else { return false }
        defer { gst_object_unref(pad) }
        guard let caps = gst_pad_get_current_caps(pad) else { return false }
        defer { gst_caps_unref(caps) }
        guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure) else {
            return false
        }
        return String(cString: name) == "video/x-raw"
    }

    /// Returns the length of the stream as stated by elements of some kinds (`matroskademux`), which is not an estimate
    /// by a parser; nil if the pipeline has no such element, or it states none.
    public func duration(statedByAnyKind kinds: Set<String>) -> StreamTime? {
        for element in elements where kinds.contains(factoryName(element.pointer)) {
            var time: gint64 = -1
            if gst_element_query_duration(element.pointer, GST_FORMAT_TIME, &time) != 0, time > 0 {
                return max(.zero, StreamTime(nanoseconds: Int64(time)) - editLists.added)
            }
        }
        return nil
    }

    private func query(
        _ ask: (UnsafeMutablePointer<GstElement>?, GstFormat, UnsafeMutablePointer<gint64>?) -> gboolean
    ) -> StreamTime? {
        for target in [find(Self.framesName), element].compactMap({ $0 }) {
            var time: gint64 = -1
            if ask(target.pointer, GST_FORMAT_TIME, &time) != 0, time >= 0 {
                return StreamTime(nanoseconds: Int64(time))
            }
        }
        return nil
    }
}

extension Pipeline {
    /// Calls `action` with each format of the raw video that reaches an element, before the first frame of that format
    /// does, so that properties that it sets already apply to that frame.
    ///
    /// - Parameters:
    ///   - name: the name of an element with one input.
    ///   - action: called on a streaming thread, which waits for it. It may set properties; it must not change states.
    ///     It must not hold a reference to the pipeline, which owns it.
    /// - Throws: `FramegrepError` `.badPipeline` if there is no such element, or it has no input of that kind.
    public func watchFormat(
        comingToElementNamed name: String, _ action: @escaping @Sendable (VideoInfo) -> Void
    ) throws {
        let pad = try inputPad(ofElementNamed: name)
        defer { gst_object_unref(pad) }
        PadProbe.add(to: pad, [GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM]) { passing in
            guard let event = passing.event, event.pointee.type == GST_EVENT_CAPS else { return GST_PAD_PROBE_OK }
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            var info = GstVideoInfo()
            // The event owns the caps.
            if let caps, gst_video_info_from_caps(&info, caps) != 0 { action(VideoInfo(info)) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `action` with the timestamp of each frame that reaches an element, before the element sees it; nil for a
    /// frame without one.
    ///
    /// - Parameters:
    ///   - name: the name of an element with one input.
    ///   - action: called on a streaming thread, which waits for it. It must not hold a reference to the pipeline,
    ///     which owns it.
    /// - Throws: `FramegrepError` `.badPipeline` if there is no such element, or it has no input of that kind.
    public func watchFrames(
        comingToElementNamed name: String, _ action: @escaping @Sendable (StreamTime?) -> Void
    ) throws {
        let pad = try inputPad(ofElementNamed: name)
        defer { gst_object_unref(pad) }
        PadProbe.add(to: pad, [GST_PAD_PROBE_TYPE_BUFFER]) { passing in
            guard let time = passing.buffer?.pointee.pts else { return GST_PAD_PROBE_OK }
            action(time == noClockTime ? nil : StreamTime(nanoseconds: Int64(clamping: time)))
            return GST_PAD_PROBE_OK
        }
    }

    /// Returns the input pad of an element; the caller owns the reference.
    private func inputPad(ofElementNamed name: String) throws -> UnsafeMutablePointer<GstPad> {
        guard let found = find(name) else {
            throw FramegrepError(.badPipeline, "Nothing in the pipeline is named '\(name)'.")
        }
        guard let pad = gst_element_get_static_pad(found.pointer, "sink") else {
            throw FramegrepError(
                .badPipeline,
                "The element '\(name)' (\(factoryName(found.pointer))) has no input pad that always exists."
            )
        }
        return pad
    }
}

extension Pipeline {
    /// Whether the source appears to be a still picture, judging by its beginning. Read it after the pipeline is
    /// prepared.
    public var bringsOnePicture: Bool {
        // This is the name that decodebin gives to the element that examines the beginning.
        guard let caps = propertyString("caps", ofElementNamed: "typefind") else { return false }
        return caps.hasPrefix("image/") && !caps.hasPrefix("image/gif") && !caps.hasPrefix("image/webp")
    }
}
