import CGStreamer

/// Tells the bus of mouse events that come up to an `appsrc`. The pad's probe holds it; it holds the bus.
final class PointerReport: Sendable {
    private let bus: Bus

    init(bus: Bus) {
        self.bus = bus
    }

    /// Copies the event's contents; the event stays the caller's.
    fileprivate func receive(_ event: UnsafeMutablePointer<GstEvent>) {
        guard event.pointee.type == GST_EVENT_NAVIGATION, let told = NavigationEvent(event) else { return }
        bus.post(.pointer(told))
    }
}

/// `GstPadProbeCallback`, on whichever thread sends the event up.
func reportPointerEvent(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ context: gpointer?
) -> GstPadProbeReturn {
    if let context, let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self) {
        Unmanaged<PointerReport>.fromOpaque(context).takeUnretainedValue().receive(event)
    }
    return GST_PAD_PROBE_OK
}

/// `GDestroyNotify`: the pad releases its probe.
func releasePointerReport(_ context: gpointer?) {
    if let context { Unmanaged<PointerReport>.fromOpaque(context).release() }
}
