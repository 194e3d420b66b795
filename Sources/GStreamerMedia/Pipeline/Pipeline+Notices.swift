import CGStreamer

extension Pipeline {
    /// Has `action` called whenever a frame can be pulled at ``framesName``'s sink, and once none will come any more: then
    /// ``AppSink/pull(timeout:)`` need not wait. A later call replaces this one.
    ///
    /// - Parameter action: called on a streaming thread, so it must be quick and must not block. It must not hold the
    ///   pipeline, which holds it. `stop()` does not call it.
    public func whenFramesArrive(_ action: @escaping @Sendable () -> Void) { preroll.listen(action) }

    /// Has `action` called once a video sink (a window, but no `appsink`) has shown its first frame, or thrown it away as too
    /// late. To be asked once the pipeline is prepared: `autovideosink` chooses its sink then.
    ///
    /// - Parameter action: called on a streaming thread, perhaps once for each window, so it must be quick and must not block.
    public func whenWindowHasShown(_ action: @escaping @Sendable () -> Void) {
        for sink in elements where fgst_is_sink(sink.pointer) != 0 && fgst_as_app_sink(sink.pointer) == nil {
            guard fgst_as_bin(sink.pointer) == nil, fgst_property(sink.pointer, "show-preroll-frame") != nil,
                let pad = gst_element_get_static_pad(sink.pointer, "sink")
            else { continue }
            let watch = Unmanaged.passRetained(FirstFrameWatch(action)).toOpaque()
            gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, firstFrameReached, watch, releaseFirstFrameWatch)
            gst_object_unref(pad)
        }
    }
}

/// Tells once that a sink is done with its first frame. The probes of pads hold it.
private final class FirstFrameWatch: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func tell() { action() }
}

/// `GstPadProbeCallback`, on a streaming thread: the first frame has come to the sink, which shows it when this has returned.
/// The pad before it is idle once the sink has come back from that.
private func firstFrameReached(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let context, let before = gst_pad_get_peer(pad) else { return GST_PAD_PROBE_REMOVE }
    let watch = Unmanaged<FirstFrameWatch>.fromOpaque(context).takeUnretainedValue()
    gst_pad_add_probe(
        before, GST_PAD_PROBE_TYPE_IDLE, firstFrameDone, Unmanaged.passRetained(watch).toOpaque(),
        releaseFirstFrameWatch)
    gst_object_unref(before)
    return GST_PAD_PROBE_REMOVE
}

/// `GstPadProbeCallback`, on a streaming thread: the sink has come back from its first frame.
private func firstFrameDone(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    if let context { Unmanaged<FirstFrameWatch>.fromOpaque(context).takeUnretainedValue().tell() }
    return GST_PAD_PROBE_REMOVE
}

/// `GDestroyNotify`: the pad releases its probe.
private func releaseFirstFrameWatch(_ context: gpointer?) {
    if let context { Unmanaged<FirstFrameWatch>.fromOpaque(context).release() }
}
