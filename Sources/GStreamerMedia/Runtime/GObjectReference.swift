import CGStreamer

/// One reference to a GObject, released in `deinit`.
///
/// GObjects count their references atomically and GStreamer's elements lock themselves, so a reference may be shared
/// and used from any thread.
// @unchecked: the pointer never changes, and what it points at locks itself (see above).
final class GObjectReference<Object>: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Object>

    /// Takes over a reference that the caller owns (a C function's `transfer full` result).
    init(takingOwnershipOf pointer: UnsafeMutablePointer<Object>) {
        self.pointer = pointer
    }

    /// Adds a reference of its own.
    init(retaining pointer: UnsafeMutablePointer<Object>) {
        gst_object_ref(pointer)
        self.pointer = pointer
    }

    deinit {
        gst_object_unref(pointer)
    }
}
