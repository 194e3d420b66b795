import CGStreamer
import Errors

extension BusMessage {
    /// Copies the contents of a GStreamer message; nil if nothing here handles it.
    ///
    /// - Parameters:
    ///   - message: the caller keeps it.
    ///   - pipeline: the pipeline, whose own changes of state are translated, unlike those of its elements.
    ///   - missingPlugin: the last message about a missing plugin: the error that follows it does not name the plugin.
    init?(_ message: UnsafeMutablePointer<GstMessage>, pipeline: UnsafeMutableRawPointer, missingPlugin: MissingPlugin?)
    {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR:
            let report = MediaReport(message, parsedBy: gst_message_parse_error, missingPlugin: missingPlugin)
            self = report.isClosedWindow ? .windowClosed : .error(report)
        case GST_MESSAGE_WARNING:
            // Frames left out by a slow sink are counted elsewhere; nothing has failed.
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
    /// - Parameter event: the caller keeps it.
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

extension MediaReport {
    /// C's pair of functions that take an error or a warning out of a message.
    typealias Parser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Void

    /// Reads the error or warning in a message, which the caller keeps.
    init(_ message: UnsafeMutablePointer<GstMessage>, parsedBy parse: Parser, missingPlugin: MissingPlugin?) {
        var failure: UnsafeMutablePointer<GError>?
        var details: UnsafeMutablePointer<CChar>?
        parse(message, &failure, &details)
        defer { g_clear_error(&failure) }
        let debug = redacted(String(takingOwnershipOf: details) ?? "")
        let element = fgst_message_element(message)
        let failed = ReportedFailure(
            domain: failure?.pointee.domain ?? 0, code: UInt32(bitPattern: failure?.pointee.code ?? 0),
            text: redacted(failure?.text ?? ""),
            debug: debug, factory: element.map(factoryName) ?? "",
            subject: element.flatMap { Self.subject(of: $0) ?? Self.onlySource(around: $0) },
            missingPlugin: missingPlugin, isWindow: element.map(showsVideo) ?? false)
        self.init(
            error: failed.asFramegrepError(), element: element.map(elementName) ?? "", debug: debug,
            isUnexplained: failed.isUnexplained,
            bins: element.map { Self.ancestors(of: $0).map { elementName($0.pointer) } } ?? [])
    }

    /// Returns whether a warning says that frames are late or too many for the machine, as sinks sometimes report.
    static func isAboutLateness(_ message: UnsafeMutablePointer<GstMessage>) -> Bool {
        var warning: UnsafeMutablePointer<GError>?
        gst_message_parse_warning(message, &warning, nil)
        defer { g_clear_error(&warning) }
        return warning?.pointee.domain == gst_core_error_quark()
            && warning?.pointee.code == gint(GST_CORE_ERROR_CLOCK.rawValue)
    }

    /// Whether a window's sink ended because a user closed its window. It is recognized by the messages of the X sinks
    /// and the GL sink, which have the same code as a missing display and are not translated.
    var isClosedWindow: Bool {
        error.message.contains("window was closed") || debug.contains("window was closed")
            || (element.contains("sink") && error.message.contains("Quit requested"))
    }

    /// Returns the file, address or device that an element works on, as the user named it.
    private static func subject(of element: UnsafeMutablePointer<GstElement>) -> String? {
        for property in ["location", "uri", "device"] where fgst_property(element, property) != nil {
            if let text = String(takingOwnershipOf: fgst_take_property_text(element, property)), !text.isEmpty,
                text != "NULL"
            {
                return redacted(text)
            }
        }
        // `fdsrc` has an address, but no property for it.
        guard factoryName(element) == "fdsrc", let handler = fgst_as_uri_handler(element) else { return nil }
        return String(takingOwnershipOf: gst_uri_handler_get_uri(handler)).map { redacted($0) }
    }

    /// Returns the file, address or device of the only source in the element's pipeline; nil if there are several, or
    /// if the element is a sink.
    private static func onlySource(around element: UnsafeMutablePointer<GstElement>) -> String? {
        guard fgst_is_sink(element) == 0 else { return nil }
        guard let bin = fgst_as_bin(topElement(above: element).pointer) else { return nil }
        let subjects = elementsInside(bin).filter { fgst_is_source($0.pointer) != 0 && fgst_as_bin($0.pointer) == nil }
            .compactMap { subject(of: $0.pointer) }
        return subjects.count == 1 ? subjects[0] : nil
    }

    /// Returns the bins around an element, the outermost first.
    private static func ancestors(of element: UnsafeMutablePointer<GstElement>) -> [GObjectReference<GstElement>] {
        var found: [GObjectReference<GstElement>] = []
        var inner = element
        while let parent = gst_object_get_parent(UnsafeMutableRawPointer(inner).assumingMemoryBound(to: GstObject.self))
        {
            inner = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self)
            found.append(GObjectReference(takingOwnershipOf: inner))
        }
        return found.reversed()
    }
}

extension DebugLog {
    /// Writes a pipeline's message to the debug log, at a level that fits its importance.
    static func tell(of message: BusMessage, by pipeline: String) {
        switch message {
        case .error(let report): error("\(pipeline), \(report.element): \(report.error) \(report.debug)")
        case .warning(let report): warning("\(pipeline), \(report.element): \(report.error) \(report.debug)")
        case .stateChanged(let old, let new): info("\(pipeline) went from \(old) to \(new)")
        case .endOfStream: info("\(pipeline) came to its end")
        case .missingPlugin(let description, _): info("\(pipeline) lacks a \(description)")
        case .buffering(let percent): debug("\(pipeline) has filled \(percent) % of its buffers")
        case .asyncDone, .latency, .navigation, .pointer, .windowClosed, .element, .orientation:
            log("\(pipeline): \(message)")
        }
    }
}

extension BusMessage {
    /// A word for the moment, if a graph of the pipeline is worth drawing then; nil otherwise.
    var momentOfGraph: String? {
        switch self {
        case .error: "error"
        case .stateChanged(let old, let new): "\(old)-\(new)"
        default: nil
        }
    }
}
