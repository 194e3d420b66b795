import CGStreamer
import Errors
import TextSpotting

extension MediaReport {
    /// C's pair of functions that take an error or a warning out of a message.
    typealias Parser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Void

    /// The error or warning in a message, which stays the caller's.
    init(_ message: UnsafeMutablePointer<GstMessage>, parsedBy parse: Parser, missingPlugin: String?) {
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
            missingPlugin: missingPlugin)
        self.init(
            error: failed.asFramegrepError(), element: element.map(elementName) ?? "", debug: debug,
            bins: element.map { Self.ancestors(of: $0).map { elementName($0.pointer) } } ?? [])
    }

    /// Whether a warning says that frames come too late, or that there are too many for the machine, as sinks do at times.
    static func isAboutLateness(_ message: UnsafeMutablePointer<GstMessage>) -> Bool {
        var warning: UnsafeMutablePointer<GError>?
        gst_message_parse_warning(message, &warning, nil)
        defer { g_clear_error(&warning) }
        return warning?.pointee.domain == gst_core_error_quark()
            && warning?.pointee.code == gint(GST_CORE_ERROR_CLOCK.rawValue)
    }

    /// Whether a window's sink ended because a user closed its window: the words of the X sinks and of the GL sink.
    var isClosedWindow: Bool {
        error.message.contains("window was closed") || debug.contains("window was closed")
            || (element.contains("sink") && error.message.contains("Quit requested"))
    }

    /// The file, address or device that an element works on, as the user named it.
    private static func subject(of element: UnsafeMutablePointer<GstElement>) -> String? {
        for property in ["location", "uri", "device"] where fgst_property(element, property) != nil {
            if let text = String(takingOwnershipOf: fgst_take_property_text(element, property)), !text.isEmpty,
                text != "NULL"
            {
                return redacted(text)
            }
        }
        // It has an address, but no property with it.
        guard factoryName(element) == "fdsrc", let handler = fgst_as_uri_handler(element) else { return nil }
        return String(takingOwnershipOf: gst_uri_handler_get_uri(handler)).map { redacted($0) }
    }

    /// The file, address or device of the only source in the element's pipeline; nil if there are several, or if the
    /// element is a sink.
    private static func onlySource(around element: UnsafeMutablePointer<GstElement>) -> String? {
        guard fgst_is_sink(element) == 0 else { return nil }
        guard let bin = fgst_as_bin(topElement(above: element).pointer) else { return nil }
        let subjects = elementsInside(bin).filter { fgst_is_source($0.pointer) != 0 && fgst_as_bin($0.pointer) == nil }
            .compactMap { subject(of: $0.pointer) }
        return subjects.count == 1 ? subjects[0] : nil
    }

    /// The bins around an element, the outermost first.
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
