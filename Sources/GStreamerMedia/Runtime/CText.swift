import CGStreamer

extension String {
    /// The text of a newly allocated C string, which is freed; nil for a null pointer.
    init?(takingOwnershipOf text: UnsafeMutablePointer<CChar>?) {
        guard let text else { return nil }
        self = String(cString: text)
        g_free(text)
    }
}

extension UnsafeMutablePointer<GError> {
    /// The error's own sentence; the error stays the caller's.
    var text: String { pointee.message.map { String(cString: $0) } ?? "" }
}

/// The name of an element inside its pipeline, such as `videoconvert0`.
func elementName(_ element: UnsafeMutablePointer<GstElement>) -> String {
    String(
        takingOwnershipOf: gst_object_get_name(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self))
    )
        ?? ""
}

/// The prefix of the names of guarded factories; see ``GuardedSource``.
let guardedFactoryPrefix = "framegrep"

/// The name of the factory that made an element, such as `videoconvert`, by which people know it: a guarded one is called as the
/// one that it guards. Empty for an element that no factory made.
func factoryName(_ element: UnsafeMutablePointer<GstElement>) -> String {
    guard let factory = gst_element_get_factory(element) else { return "" }
    let object = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
    let name = String(takingOwnershipOf: gst_object_get_name(object)) ?? ""
    return name.hasPrefix(guardedFactoryPrefix) ? String(name.dropFirst(guardedFactoryPrefix.count)) : name
}
