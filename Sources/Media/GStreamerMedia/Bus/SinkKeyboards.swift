import CGStreamer
import Displays
import Synchronization

/// Reports the keys of a pipeline's windows to its bus, with the text that they type. Thread-safe.
///
/// A sink of X's reports which window it has opened, and that window's keys are then listened to; the sink's own key messages are ignored.
/// OpenGL's sink does not, so the names in its messages are completed. Other sinks' names are complete.
final class SinkKeyboards: Sendable {
    private struct State {
        /// Keyed by the addresses of their sinks, which are only compared.
        var keyboards: [UInt: (window: UInt, keyboard: WindowKeyboard)] = [:]
        var named: NamedKeys?
        var title: String?
        var isClosed = false
    }

    private let bus: Bus
    private let state = Mutex(State())

    init(bus: Bus) {
        self.bus = bus
    }

    /// Handles a message about windows and keys; returns false for any other message. The caller keeps the message.
    func take(_ message: UnsafeMutablePointer<GstMessage>) -> Bool {
        guard let sink = fgst_message_element(message) else { return false }
        if let window = Self.window(in: message) {
            listen(to: window, of: sink)
            return true
        }
        guard let (name, isPress) = Self.key(in: message) else { return false }
        guard state.withLock({ $0.keyboards[UInt(bitPattern: sink)] }) == nil else { return true }
        guard factoryName(sink).hasPrefix("glimagesink") else {
            if isPress { tell(KeyPress(named: name)) }
            return true
        }
        let keys = named(for: sink)
        if !isPress { keys.release(name) } else if let key = keys.press(name) { tell(key) }
        return true
    }

    func has(_ window: UInt) -> Bool { state.withLock { $0.keyboards.values.contains { $0.window == window } } }

    /// Gives the windows a title, including those that are opened later.
    func setTitle(_ title: String) {
        let keyboards = state.withLock { state in
            state.title = title
            return state.keyboards.values.map(\.keyboard)
        }
        keyboards.forEach { $0.setTitle(title) }
    }

    /// Turns full screen of the first window on or off; nil toggles it. Returns whether it is on now; nil if no window
    /// supports it.
    func setFullscreen(_ wanted: Bool?) -> Bool? {
        state.withLock { $0.keyboards.values.first }?.keyboard.setFullscreen(wanted)
    }

    /// Copies a text to the clipboard of the first window's display; returns false if no window can do that.
    func copy(_ text: String) -> Bool {
        guard let keyboard = state.withLock({ $0.keyboards.values.first })?.keyboard else { return false }
        keyboard.copy(text)
        return true
    }

    /// The size of the first window, in pixels; nil if it is not known.
    var windowSize: (width: Int, height: Int)? { state.withLock { $0.keyboards.values.first }?.keyboard.size }

    /// Stops listening.
    func close() {
        let keyboards = state.withLock { state in
            state.isClosed = true
            return state.keyboards.values.map(\.keyboard)
        }
        keyboards.forEach { $0.close() }
    }

    private func listen(to window: UInt, of sink: UnsafeMutablePointer<GstElement>) {
        let display = Self.display(of: sink)
        guard let keyboard = WindowKeyboard(window: window, display: display, press: { [weak self] in self?.tell($0) })
        else { return }
        let (isClosed, earlier, title) = state.withLock { state in
            let earlier = state.keyboards.updateValue((window, keyboard), forKey: UInt(bitPattern: sink))
            return (state.isClosed, earlier, state.title)
        }
        if let title { keyboard.setTitle(title) }
        earlier?.keyboard.close()
        if isClosed { keyboard.close() }
    }

    private func tell(_ key: KeyPress) { bus.post(.navigation(.keyPress(key))) }

    private func named(for sink: UnsafeMutablePointer<GstElement>) -> NamedKeys {
        if let known = state.withLock({ $0.named }) { return known }
        let new = NamedKeys(display: Self.display(of: sink))
        return state.withLock { state in
            state.named = state.named ?? new
            return state.named ?? new
        }
    }

    /// Returns the X server that a sink was set to use; nil for the environment's.
    static func display(of sink: UnsafeMutablePointer<GstElement>) -> String? {
        guard fgst_property(sink, "display") != nil else { return nil }
        return String(takingOwnershipOf: fgst_take_property_text(sink, "display")).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func window(in message: UnsafeMutablePointer<GstMessage>) -> UInt? {
        guard message.pointee.type == GST_MESSAGE_ELEMENT, let structure = gst_message_get_structure(message),
            gst_structure_has_name(structure, "have-window-handle") != 0
        else { return nil }
        var window: guint64 = 0
        return gst_structure_get_uint64(structure, "window-handle", &window) != 0 ? UInt(window) : nil
    }

    private static func key(in message: UnsafeMutablePointer<GstMessage>) -> (name: String, isPress: Bool)? {
        guard gst_navigation_message_get_type(message) == GST_NAVIGATION_MESSAGE_EVENT else { return nil }
        var carried: UnsafeMutablePointer<GstEvent>?
        guard gst_navigation_message_parse_event(message, &carried) != 0, let event = carried else { return nil }
        defer { gst_mini_object_unref(&event.pointee.mini_object) }
        let kind = gst_navigation_event_get_type(event)
        var key: UnsafePointer<CChar>?
        guard [GST_NAVIGATION_EVENT_KEY_PRESS, GST_NAVIGATION_EVENT_KEY_RELEASE].contains(kind),
            gst_navigation_event_parse_key_event(event, &key) != 0, let key
        else { return nil }
        return (String(cString: key), kind == GST_NAVIGATION_EVENT_KEY_PRESS)
    }
}
