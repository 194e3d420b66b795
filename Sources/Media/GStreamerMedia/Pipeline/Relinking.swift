import CGStreamer
import Synchronization

/// Links a decoder's later outputs to the pad to which its first picture was linked.
///
/// A file may contain several recordings in a row (a chain in Ogg). The decoder then removes its outputs and adds new
/// ones, but a description links an output only once; without this, the second recording would end the search with an
/// error.
enum Relinking {
    /// Elements that add outputs while they run.
    static let kinds: Set<String> = ["uridecodebin", "decodebin"]

    /// Watches the outputs of a decoder. Call it once for each, when the description has been parsed.
    static func watch(_ decoder: UnsafeMutablePointer<GstElement>) {
        fgst_on_pad_added(decoder, padAdded, Unmanaged.passRetained(Memory()).toOpaque(), releaseHandler)
    }

    /// The pad to which the first picture was linked.
    // `peer` is only touched while the mutex is held; GStreamer counts its references atomically.
    fileprivate final class Memory: @unchecked Sendable {
        private let lock = Mutex(())
        private var peer: UnsafeMutablePointer<GstPad>?

        func remember(_ found: UnsafeMutablePointer<GstPad>) {
            lock.withLock { _ in
                if peer == nil { peer = fgst_ref_pad(found) }
            }
        }

        /// Includes a reference for the caller.
        var known: UnsafeMutablePointer<GstPad>? { lock.withLock { _ in peer.map { fgst_ref_pad($0) } } }

        deinit { peer.map { gst_object_unref($0) } }
    }
}

/// `GstElement::pad-added`, on a streaming thread, after the description's own link was made.
private func padAdded(
    _ decoder: UnsafeMutablePointer<GstElement>?, _ pad: UnsafeMutablePointer<GstPad>?, _ context: gpointer?
) {
    guard let pad, let context else { return }
    let memory = Unmanaged<Relinking.Memory>.fromOpaque(context).takeUnretainedValue()
    if let peer = gst_pad_get_peer(pad) {
        memory.remember(peer)
        return gst_object_unref(peer)
    }
    guard let peer = memory.known else { return }
    // Refused if it is of another kind, or while the first picture is still linked there.
    if gst_pad_is_linked(peer) == 0 { _ = gst_pad_link(pad, peer) }
    gst_object_unref(peer)
}

/// Makes `videoflip` pass on frames that need no turning without copying them.
///
/// In GStreamer 1.22 it checks whether there is anything to turn only when its direction changes, not when it starts: until then it copies
/// each upright frame pixel by pixel. Changing the direction there and back makes it check.
enum UnturnedFrames {
    static let kinds: Set = ["videoflip"]

    /// - Parameter element: an element that does not run yet; its direction stays the same.
    static func pass(_ element: UnsafeMutablePointer<GstElement>) {
        let name = "video-direction"
        guard let direction = String(takingOwnershipOf: fgst_take_property_text(element, name)) else { return }
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
        for value in ["90r", direction] { gst_util_set_object_arg(object, name, value) }
    }
}
