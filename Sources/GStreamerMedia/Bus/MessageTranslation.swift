import CGStreamer
import TextSpotting

extension BusMessage {
    /// Copies the contents of a GStreamer message; nil if nothing here handles it.
    ///
    /// - Parameters:
    ///   - message: stays the caller's.
    ///   - pipeline: whose changes of state count.
    ///   - missingPlugin: the last message about a missing plugin: the error that follows it does not name the plugin.
    init?(_ message: UnsafeMutablePointer<GstMessage>, pipeline: UnsafeMutableRawPointer, missingPlugin: String?) {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR:
            let report = MediaReport(message, parsedBy: gst_message_parse_error, missingPlugin: missingPlugin)
            self = report.isClosedWindow ? .windowClosed : .error(report)
        case GST_MESSAGE_WARNING:
            // That a slow sink leaves frames out is counted where it matters; nothing has failed.
            guard !MediaReport.isAboutLateness(message) else { return nil }
            self = .warning(MediaReport(message, parsedBy: gst_message_parse_warning, missingPlugin: missingPlugin))
        case GST_MESSAGE_EOS:
            self = .endOfStream
        case GST_MESSAGE_ASYNC_DONE:
            self = .asyncDone
        case GST_MESSAGE_LATENCY:
            self = .latency
        case GST_MESSAGE_STATE_CHANGED:
            guard UnsafeMutableRawPointer(message.pointee.src) == pipeline else { return nil }
            var old = GST_STATE_NULL
            var new = GST_STATE_NULL
            gst_message_parse_state_changed(message, &old, &new, nil)
            self = .stateChanged(from: PipelineState(old), to: PipelineState(new))
        case GST_MESSAGE_BUFFERING:
            var percent: Int32 = 0
            gst_message_parse_buffering(message, &percent)
            self = .buffering(percent: Int(percent))
        case GST_MESSAGE_TAG:
            guard let orientation = Self.orientation(message) else { return nil }
            self = .orientation(orientation)
        case GST_MESSAGE_ELEMENT:
            guard let told = Self.elementMessage(message) else { return nil }
            self = told
        default:
            return nil
        }
    }

    private static func elementMessage(_ message: UnsafeMutablePointer<GstMessage>) -> BusMessage? {
        if gst_is_missing_plugin_message(message) != 0 {
            return .missingPlugin(
                description: String(takingOwnershipOf: gst_missing_plugin_message_get_description(message))
                    ?? "a plugin",
                installerDetail: String(takingOwnershipOf: gst_missing_plugin_message_get_installer_detail(message))
                    ?? "")
        }
        if gst_navigation_message_get_type(message) != GST_NAVIGATION_MESSAGE_INVALID {
            return NavigationEvent(message).map { .navigation($0) }
        }
        let text = gst_message_get_structure(message).flatMap { String(takingOwnershipOf: gst_structure_to_string($0)) }
        let name = fgst_message_element(message).map(elementName) ?? ""
        return .element(name: name, structure: redacted(text ?? ""))
    }

    private static func orientation(_ message: UnsafeMutablePointer<GstMessage>) -> String? {
        var tags: UnsafeMutablePointer<GstTagList>?
        gst_message_parse_tag(message, &tags)
        guard let tags else { return nil }
        defer { gst_mini_object_unref(&tags.pointee.mini_object) }
        var text: UnsafeMutablePointer<CChar>?
        guard gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text) != 0 else { return nil }
        return String(takingOwnershipOf: text)
    }
}

extension PipelineState {
    fileprivate init(_ state: GstState) {
        switch state {
        case GST_STATE_READY: self = .ready
        case GST_STATE_PAUSED: self = .paused
        case GST_STATE_PLAYING: self = .playing
        default: self = .null
        }
    }
}

extension NavigationEvent {
    /// The mouse event in a window's message; nil for any other message.
    fileprivate init?(_ message: UnsafeMutablePointer<GstMessage>) {
        guard gst_navigation_message_get_type(message) == GST_NAVIGATION_MESSAGE_EVENT else { return nil }
        var carried: UnsafeMutablePointer<GstEvent>?
        guard gst_navigation_message_parse_event(message, &carried) != 0, let event = carried else { return nil }
        defer { gst_mini_object_unref(&event.pointee.mini_object) }
        self.init(event)
    }

    /// Copies the contents of a mouse event; nil for any other. Keys are reported by ``SinkKeyboards``.
    ///
    /// - Parameter event: stays the caller's.
    init?(_ event: UnsafeMutablePointer<GstEvent>) {
        var x = 0.0
        var y = 0.0
        switch gst_navigation_event_get_type(event) {
        case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
            var button: Int32 = 0
            guard gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y) != 0 else { return nil }
            self = .mouseButtonPress(button: Int(button), x: x, y: y)
        case GST_NAVIGATION_EVENT_MOUSE_MOVE:
            guard gst_navigation_event_parse_mouse_move_event(event, &x, &y) != 0 else { return nil }
            self = .mouseMove(x: x, y: y)
        default:
            return nil
        }
    }
}
