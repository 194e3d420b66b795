import CGStreamer

extension Pipeline {
    /// Has nothing of the words that travel beside a stream get past an element: titles and other tags, chapters. They would be written
    /// into a file.
    ///
    /// - Parameter name: of an element with one output; one that is not there is passed over. To be called before the pipeline is
    ///   prepared.
    public func dropWords(behindElementNamed name: String) {
        guard let found = find(name), let pad = gst_element_get_static_pad(found.pointer, "src") else { return }
        defer { gst_object_unref(pad) }
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, eventWithWords, nil, nil)
    }
}

/// `GstPadProbeCallback`, on a streaming thread.
private func eventWithWords(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self) else { return GST_PAD_PROBE_OK }
    let words = [GST_EVENT_TAG, GST_EVENT_TOC]
    return words.contains(event.pointee.type) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
}
