import CGStreamer
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
            debug: debug, factory: element.map(factoryName) ?? "", subject: element.flatMap(Self.subject),
            missingPlugin: missingPlugin)
        self.init(error: failed.asFramegrepError(), element: element.map(elementName) ?? "", debug: debug)
    }

    /// Whether a window's sink ended because a person closed its window.
    var isClosedWindow: Bool { error.message.contains("window was closed") || debug.contains("window was closed") }

    /// What an element works on, as the person named it: its file, address or device.
    private static func subject(of element: UnsafeMutablePointer<GstElement>) -> String? {
        for property in ["location", "uri", "device"] where fgst_property(element, property) != nil {
            if let text = String(takingOwnershipOf: fgst_take_property_text(element, property)), !text.isEmpty,
                text != "NULL"
            {
                return redacted(text)
            }
        }
        return nil
    }
}
