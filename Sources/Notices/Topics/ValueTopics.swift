public import TextSpotting

/// The topics under which one value of a source is told, as a state that is always known, and what Home Assistant is to know of it
/// (docs/VALUES.md).
///
/// Each value has an availability of its own: several programs may read values of one source, and others look for words in it.
public struct ValueTopics: Sendable, Hashable {
    private let root: String
    private let identifier: String
    private let shownName: String

    /// - Parameters:
    ///   - node: what the machine is called; cleaned here.
    ///   - source: what is read, without passwords; cleaned here.
    ///   - name: the value's, such as the word beside it; cleaned here.
    public init(node: String, source: String, name: String) {
        let (node, source, level) = (TopicName.level(node), TopicName.plain(source), TopicName.level(name))
        root = "framegrep/\(node)/\(source)/values/\(level)"
        identifier =
            "framegrep_" + [node, source, "value", level].map { TopicName.identifier($0) }.joined(separator: "_")
        shownName = name
    }

    /// The number, or the text of what is none; `None` where nothing is read there. Retained.
    public var state: String { root + "/state" }
    /// The row as JSON: text, unit, score, since when. Retained.
    public var attributes: String { root + "/attributes" }
    /// `online` while the source brings pictures, else `offline`. Retained.
    public var available: String { root + "/available" }
    /// `online`, or `offline` by the broker's hand when the program is gone. Retained.
    public var status: String { root + "/status" }

    /// All of it but the status.
    public var all: [String] { [state, attributes, available] }

    /// Home Assistant's payload for "not known".
    public static let unknown = "None"

    /// Where the device is announced, retained.
    public func discovery(prefix: String) -> String { "\(prefix)/device/\(identifier)/config" }

    /// The document of Home Assistant's MQTT device discovery: a sensor.
    ///
    /// - Parameters:
    ///   - version: of this program.
    ///   - unit: of the numbers, as it was read; nil for none.
    ///   - isNumber: states are numbers, which Home Assistant keeps statistics of; otherwise they are texts.
    public func document(version: String, unit: String?, isNumber: Bool) -> String {
        var sensor = JSONObject()
        sensor.add("p", "sensor")
        sensor.add("unique_id", identifier)
        sensor.add("name", shownName)
        sensor.add("state_topic", state)
        sensor.add("json_attributes_topic", attributes)
        if isNumber { sensor.add("state_class", "measurement") }
        if isNumber, let unit { sensor.add("unit_of_measurement", unit) }
        var device = JSONObject()
        device.add("ids", identifier)
        device.add("name", "framegrep \(shownName)")
        device.add("mf", "framegrep")
        device.add("mdl", "value in a picture")
        device.add("sw", version)
        var origin = JSONObject()
        origin.add("name", "framegrep")
        origin.add("sw", version)
        var components = JSONObject()
        components.add("value", json: sensor.text)
        var object = JSONObject()
        object.add("dev", json: device.text)
        object.add("o", json: origin.text)
        // The program and the source: either may be gone.
        let topics = [status, available].map { "{\"t\":\(JSONObject.quoted($0))}" }
        object.add("avty", json: "[" + topics.joined(separator: ",") + "]")
        object.add("avty_mode", "all")
        object.add("cmps", json: components.text)
        return object.text
    }

    /// The payload of a row.
    ///
    /// - Returns: nil where a number is expected and the row has none.
    public static func payload(of row: ValueRow, isNumber: Bool) -> String? {
        if let value = row.value, isNumber { return JSONObject.number(value, decimals: 6) }
        return isNumber ? nil : WatchStates.short(row.text)
    }
}
