import CGStreamer

/// A property that framegrep set over the value a user had written in the pipeline.
public struct PropertyChange: Hashable, Sendable, CustomStringConvertible {
    public let property: String
    /// As GStreamer writes it in a description.
    public let from: String
    /// As GStreamer writes it in a description.
    public let to: String

    public var description: String { "\(property)=\(from) is now \(property)=\(to)" }
}

/// Sets properties of an element and remembers which of them a user had set to something else.
struct PropertySetting {
    let element: UnsafeMutablePointer<GstElement>
    private(set) var changes: [PropertyChange] = []

    init(_ element: UnsafeMutablePointer<GstElement>) {
        self.element = element
    }

    /// Sets a property from its text; one that this version of the element does not have is left out.
    mutating func set(_ property: String, to text: String) {
        guard let description = fgst_property(element, property) else { return }
        let before = String(takingOwnershipOf: fgst_take_property_text(element, property))
        let isDefault = fgst_is_default(element, description) != 0
        gst_util_set_object_arg(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), property, text)
        let after = String(takingOwnershipOf: fgst_take_property_text(element, property))
        guard !isDefault, let before, let after, before != after else { return }
        changes.append(PropertyChange(property: property, from: before, to: after))
    }
}
