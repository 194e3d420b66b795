import CGStreamer
import Synchronization

/// Says when the `appsink` that sets the pace has its first frame, or has learned that none will come, and after that of each
/// frame that can be taken from it.
///
/// The sink holds it; it holds nothing of the pipeline's.
final class PrerollSignal: Sendable {
    /// A function by itself would be wrapped anew each time it is taken out of the generic `Mutex`, and put back so.
    private struct Listener {
        var arrived: (@Sendable () -> Void)?
    }

    private let waiting = Mutex<OneShot<PrerollOutcome>?>(nil)
    private let listener = Mutex(Listener())

    /// Has the sink call from now on; without a sink, nothing ever does.
    func connect(to sink: UnsafeMutablePointer<GstAppSink>?) {
        guard let sink else { return }
        fgst_set_app_sink_callbacks(
            sink, sinkPrerolled, sampleArrived, sinkEnded, Unmanaged.passRetained(self).toOpaque(),
            releasePrerollSignal)
    }

    /// Has `outcome` resolved by the next first frame; nil ends that.
    func announce(to outcome: OneShot<PrerollOutcome>?) {
        waiting.withLock { $0 = outcome }
    }

    /// Has `action` called from now on whenever a frame can be taken, and when none will come.
    func listen(_ action: @escaping @Sendable () -> Void) {
        listener.withLock { $0.arrived = action }
    }

    fileprivate func fire() {
        waiting.withLock { $0 }?.resolve(.prerolled)
    }

    fileprivate func tell() {
        listener.withLock { $0.arrived }?()
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

/// `GstAppSinkCallbacks.new_sample`, on a streaming thread.
private func sampleArrived(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) -> GstFlowReturn {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue().tell() }
    return GST_FLOW_OK
}

/// `GstAppSinkCallbacks.eos`, on a streaming thread: an empty stream has no first frame to wait for.
private func sinkEnded(_ sink: UnsafeMutablePointer<GstAppSink>?, _ context: gpointer?) {
    guard let context else { return }
    let signal = Unmanaged<PrerollSignal>.fromOpaque(context).takeUnretainedValue()
    signal.fire()
    signal.tell()
}

/// `GDestroyNotify`: the sink releases its callbacks.
private func releasePrerollSignal(_ context: gpointer?) {
    if let context { Unmanaged<PrerollSignal>.fromOpaque(context).release() }
}
