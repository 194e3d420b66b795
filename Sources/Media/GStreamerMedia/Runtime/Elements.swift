import CGStreamer

/// Returns the elements of a bin, including those inside its bins; each has its own reference.
func elementsInside(_ bin: UnsafeMutablePointer<GstBin>) -> [GObjectReference<GstElement>] {
    elements(from: gst_bin_iterate_recurse(bin))
}

/// Takes over `iterator` and walks it, starting again if the bin changes meanwhile.
func elements(from iterator: UnsafeMutablePointer<GstIterator>?) -> [GObjectReference<GstElement>] {
    guard let iterator else { return [] }
    defer { gst_iterator_free(iterator) }
    var found: [GObjectReference<GstElement>] = []
    var value = GValue()
    while true {
        switch gst_iterator_next(iterator, &value) {
        case GST_ITERATOR_OK:
            if let element = fgst_as_element(g_value_get_object(&value)) {
                found.append(GObjectReference(retaining: element))
            }
            g_value_reset(&value)
        case GST_ITERATOR_RESYNC:
            found = []
            gst_iterator_resync(iterator)
        default:
            if value.g_type != 0 { g_value_unset(&value) }
            return found
        }
    }
}

/// Returns the outermost bin that contains an element, such as its pipeline; the element itself if none does.
func topElement(above element: UnsafeMutablePointer<GstElement>) -> GObjectReference<GstElement> {
    var top = GObjectReference(retaining: element)
    while let parent = gst_object_get_parent(
        UnsafeMutableRawPointer(top.pointer).assumingMemoryBound(to: GstObject.self))
    {
        top = GObjectReference(
            takingOwnershipOf: UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self))
    }
    return top
}

/// Returns whether buffers can still reach a sink: false if, going up from it, an element's only input is not linked.
///
/// This happens in a pipeline when its source turns out to have no video.
func isFed(_ sink: UnsafeMutablePointer<GstElement>) -> Bool {
    var element = GObjectReference(retaining: sink)
    while true {
        let inputs = element.pointer.pointee.sinkpads
        // A source has no input, and one with several (a muxer, a mixer) is fed when any of them is: those cannot be
        // judged.
        guard let input = inputs, input.pointee.next == nil else { return true }
        guard let peer = gst_pad_get_peer(input.pointee.data.assumingMemoryBound(to: GstPad.self)) else { return false }
        defer { gst_object_unref(peer) }
        guard let upstream = gst_pad_get_parent_element(peer) else { return true }
        element = GObjectReference(takingOwnershipOf: upstream)
    }
}

/// Returns the element that feeds another's only input; nil if there is none, or it is in another bin.
func upstream(of element: UnsafeMutablePointer<GstElement>) -> GObjectReference<GstElement>? {
    guard let input = element.pointee.sinkpads, input.pointee.next == nil,
        let peer = gst_pad_get_peer(input.pointee.data.assumingMemoryBound(to: GstPad.self))
    else { return nil }
    defer { gst_object_unref(peer) }
    return gst_pad_get_parent_element(peer).map { GObjectReference(takingOwnershipOf: $0) }
}

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

    /// Adds its own reference.
    init(retaining pointer: UnsafeMutablePointer<Object>) {
        gst_object_ref(pointer)
        self.pointer = pointer
    }

    deinit {
        gst_object_unref(pointer)
    }
}

extension String {
    /// Copies the text of a newly allocated C string and frees it; returns nil for a null pointer.
    init?(takingOwnershipOf text: UnsafeMutablePointer<CChar>?) {
        guard let text else { return nil }
        self = String(cString: text)
        g_free(text)
    }
}

extension UnsafeMutablePointer<GError> {
    /// The error's own sentence; the caller keeps the error.
    var text: String { pointee.message.map { String(cString: $0) } ?? "" }
}

/// Returns the name of an element inside its pipeline, such as `videoconvert0`.
func elementName(_ element: UnsafeMutablePointer<GstElement>) -> String {
    String(
        takingOwnershipOf: gst_object_get_name(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self))
    )
        ?? ""
}

/// The prefix of the names of guarded factories; see ``GuardedSource``.
let guardedFactoryPrefix = "framegrep"

/// Returns the name of the factory that made an element, such as `videoconvert`, as people know it: for a guarded
/// element, the name of the one that it guards. Empty for an element that no factory made.
func factoryName(_ element: UnsafeMutablePointer<GstElement>) -> String {
    guard let factory = gst_element_get_factory(element) else { return "" }
    let object = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
    let name = String(takingOwnershipOf: gst_object_get_name(object)) ?? ""
    return name.hasPrefix(guardedFactoryPrefix) ? String(name.dropFirst(guardedFactoryPrefix.count)) : name
}

/// Returns whether an element shows video to a user, according to its own class.
func showsVideo(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
    classWords(of: element).isSuperset(of: ["Sink", "Video"])
}

/// Returns what an element is according to its own class, such as `Codec`, `Decoder` and `Video`.
func classWords(of element: UnsafeMutablePointer<GstElement>) -> Set<Substring> {
    guard let factory = gst_element_get_factory(element),
        let words = gst_element_factory_get_metadata(factory, "klass")
    else { return [] }
    return Set(String(cString: words).split(separator: "/"))
}

/// Returns a copy of the bytes of a buffer, at most this many.
func copiedBytes(of buffer: UnsafeMutablePointer<GstBuffer>, atMost most: Int = .max) -> [UInt8] {
    let size = min(gsize(most), gst_buffer_get_size(buffer))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { bytes, count in
        count = Int(gst_buffer_extract(buffer, 0, bytes.baseAddress, size))
    }
}
