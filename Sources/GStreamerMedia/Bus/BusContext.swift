import CGStreamer
import Synchronization

/// The callback that GStreamer's bus calls for every message.
///
/// The bus holds it; it holds the Swift ``Bus``, the keyboards and, weakly by its closure, the pipeline.
// @unchecked: `pipeline` is only compared, never followed, and never changes.
final class BusContext: @unchecked Sendable {
    /// Work that a pipeline must do about a message, off the streaming threads.
    enum Job {
        case recalculateLatency
        /// Write the graph of the elements, where files of graphs are wanted (`GST_DEBUG_DUMP_DOT_DIR`).
        case drawGraph(at: String)
        case restartClock
    }

    private let bus: Bus
    private let keyboards: SinkKeyboards
    private let pipeline: UnsafeMutableRawPointer
    /// A function by itself would be wrapped anew each time it is taken out of the generic `Mutex`, and put back so.
    private struct Housekeeping {
        var perform: (@Sendable (Job) -> Void)?
    }

    private let housekeeping = Mutex(Housekeeping())

    init(bus: Bus, keyboards: SinkKeyboards, pipeline: UnsafeMutableRawPointer) {
        self.bus = bus
        self.keyboards = keyboards
        self.pipeline = pipeline
    }

    /// Becomes the sync handler of the pipeline's bus.
    func install() {
        guard let bus = gst_element_get_bus(pipeline.assumingMemoryBound(to: GstElement.self)) else { return }
        gst_bus_set_sync_handler(bus, receiveMessage, Unmanaged.passRetained(self).toOpaque(), releaseBusContext)
        gst_object_unref(bus)
    }

    func setHousekeeping(_ perform: @escaping @Sendable (Job) -> Void) {
        housekeeping.withLock { $0.perform = perform }
    }

    /// Copies the message's contents; the message stays the caller's.
    fileprivate func receive(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_LATENCY: housekeeping.withLock { $0.perform }?(.recalculateLatency)
        case GST_MESSAGE_CLOCK_LOST: housekeeping.withLock { $0.perform }?(.restartClock)
        default: break
        }
        if message.pointee.type == GST_MESSAGE_ELEMENT, keyboards.take(message) { return }
        guard let known = BusMessage(message, pipeline: pipeline, missingPlugin: bus.missingPlugin) else {
            return
        }
        note(known)
        bus.post(known)
    }

    /// Writes it to the debug log: see docs/DEBUGGING.md.
    private func note(_ message: BusMessage) {
        guard DebugLog.isOn else { return }
        DebugLog.tell(of: message, by: elementName(pipeline.assumingMemoryBound(to: GstElement.self)))
        guard DebugLog.drawsGraphs, let moment = message.momentOfGraph else { return }
        housekeeping.withLock { $0.perform }?(.drawGraph(at: moment))
    }
}

/// `GstBusSyncHandler`, on whichever thread posts.
private func receiveMessage(
    _ bus: UnsafeMutablePointer<GstBus>?, _ message: UnsafeMutablePointer<GstMessage>?, _ context: gpointer?
) -> GstBusSyncReply {
    guard let message, let context else { return GST_BUS_PASS }
    Unmanaged<BusContext>.fromOpaque(context).takeUnretainedValue().receive(message)
    // GST_BUS_DROP leaves the message to the handler.
    gst_mini_object_unref(&message.pointee.mini_object)
    return GST_BUS_DROP
}

/// `GDestroyNotify`: the bus releases its handler.
private func releaseBusContext(_ context: gpointer?) {
    if let context { Unmanaged<BusContext>.fromOpaque(context).release() }
}
