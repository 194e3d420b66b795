import CGStreamer

/// Lets `videoflip` hand on frames that need no turning as they are.
///
/// GStreamer's (1.22) asks whether there is anything to turn when its direction changes, not when it begins: until then it copies each
/// frame pixel by pixel into another, upright as it was. A change there and back makes it ask.
enum UnturnedFrames {
    static let kinds: Set = ["videoflip"]

    /// - Parameter element: before it runs; its direction is not changed.
    static func pass(_ element: UnsafeMutablePointer<GstElement>) {
        let name = "video-direction"
        guard let direction = String(takingOwnershipOf: fgst_take_property_text(element, name)) else { return }
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
        for value in ["90r", direction] { gst_util_set_object_arg(object, name, value) }
    }
}
