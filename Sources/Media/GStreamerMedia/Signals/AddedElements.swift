import CGStreamer

/// Reports each element that is added to a bin, at any depth, because `decodebin` and the like add decoders while a pipeline runs.
final class AddedElements: Sendable {
    fileprivate let hear: @Sendable (UnsafeMutablePointer<GstElement>) -> Void

    private init(_ hear: @escaping @Sendable (UnsafeMutablePointer<GstElement>) -> Void) { self.hear = hear }

    /// Reports elements that are added from now on.
    ///
    /// - Parameter hear: called with each element, on the thread that adds it; the bin owns it.
    static func listen(
        to bin: UnsafeMutablePointer<GstElement>, _ hear: @escaping @Sendable (UnsafeMutablePointer<GstElement>) -> Void
    ) {
        fgst_on_deep_element_added(
            bin, elementAdded, Unmanaged.passRetained(AddedElements(hear)).toOpaque(), releaseHandler)
    }
}

/// `GstBin::deep-element-added (bin, sub-bin, element)`, on the thread that adds it.
private func elementAdded(
    _ bin: UnsafeMutablePointer<GstBin>?, part: UnsafeMutablePointer<GstBin>?,
    element: UnsafeMutablePointer<GstElement>?, context: gpointer?
) {
    guard let element, let context else { return }
    Unmanaged<AddedElements>.fromOpaque(context).takeUnretainedValue().hear(element)
}
