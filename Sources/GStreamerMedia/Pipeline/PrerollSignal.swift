import CGStreamer
import Synchronization

/// Says when the `appsink` that sets the pace has its first frame, or has learned that none will come.
///
/// The sink holds it; it holds nothing of the pipeline's.
final class PrerollSignal: Sendable {
    private let waiting = Mutex<OneShot<PrerollOutcome>?>(nil)

    /// Has the sink call from now on; without a sink, nothing ever does.
    func connect(to sink: UnsafeMutablePointer<GstAppSink>?) {
        guard let sink else { return }
        fgst_set_new_preroll(
            sink, sinkPrerolled, sinkEnded, Unmanaged.passRetained(self).toOpaque(), releasePrerollSignal)
    }

    /// Has `outcome` resolved by the next first frame; nil ends that.
    func announce(to outcome: OneShot<PrerollOutcome>?) {
        waiting.withLock { $0 = outcome }
    }

    fileprivate func fire() {
        waiting.withLock { $0 }?.resolve(.prerolled)
    }
}

/// How waiting for a first frame ended.
enum PrerollOutcome: Sendable {
    case prerolled
    case failed(any Error)
}

/// `GstAppSinkCallbacks.new_preroll`, on a streaming thread.
private func sinkPrerolled(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) -> GstFlowReturn {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue().fire() }
    return GST_FLOW_OK
}

/// `GstAppSinkCallbacks.eos`, on a streaming thread: an empty stream has no first frame to wait for.
private func sinkEnded(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue().fire() }
}

/// `GDestroyNotify`: the sink lets go of its callbacks.
private func releasePrerollSignal(_ context: gpointer?) {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).release() }
}
