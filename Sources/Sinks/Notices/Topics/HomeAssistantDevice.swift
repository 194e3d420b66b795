import Foundation
public import TextSpotting

/// The document from which Home Assistant learns of a source and all its entities (MQTT device discovery).
///
/// The conventions are those of Home Assistant's documentation of the MQTT integration: `dev` the device, `o` the origin, `cmps` the
/// components by keys of their own, each with its platform `p` and a `unique_id`. Events must not be retained and carry an
/// `event_type`; a component that has nothing but its platform is taken away.
public struct HomeAssistantDevice: Sendable {
    private let topics: NoticeTopics
    private let version: String
    private let prefix: String

    /// - Parameters:
    ///   - version: of this program.
    ///   - prefix: under which Home Assistant looks: `homeassistant`, unless it is set up otherwise.
    public init(_ topics: NoticeTopics, version: String, prefix: String = "homeassistant") {
        (self.topics, self.version, self.prefix) = (topics, version, prefix)
    }

    /// Where the document is published, retained; an empty one there removes the device.
    public var topic: String { "\(prefix)/device/\(identifier)/config" }
    /// Where Home Assistant publishes `online` when it has started, and then needs the document again. By default the topic does not depend on the
    /// prefix of devices, but is often changed along with it.
    public var statusTopics: [String] { Self.statusTopics(prefix: prefix) }

    /// The same for devices under a prefix.
    public static func statusTopics(prefix: String) -> [String] {
        ["homeassistant/status"] + (prefix == "homeassistant" ? [] : ["\(prefix)/status"])
    }

    private var identifier: String {
        "framegrep_" + TopicName.identifier(topics.node) + "_" + TopicName.identifier(topics.source)
    }

    /// A component that an earlier run announced; the document is retained and outlives the program.
    public struct Component: Sendable, Hashable {
        public var key: String
        public var platform: String
        /// Where its state is retained; nil if that is not below the topics of this source.
        public var topic: String?
    }

    /// The components that a document announces and that are not among those of these patterns.
    ///
    /// - Parameter document: a document that a broker has retained; it may come from anyone.
    public func staleComponents(in document: [UInt8], patterns: [String]) -> [Component] {
        let object = (try? JSONSerialization.jsonObject(with: Data(document))) as? [String: Any]
        let ours = Set(
            ["sighting"] + patterns.flatMap { name in Self.platforms.map { "\(TopicName.identifier(name))_\($0.0)" } })
        return (object?["cmps"] as? [String: Any] ?? [:]).compactMap { key, value in
            guard !ours.contains(key), let component = value as? [String: Any], component["unique_id"] != nil,
                let platform = component["p"] as? String
            else { return nil }
            let topic = (component["state_topic"] ?? component["image_topic"]) as? String
            let isOurs = topic?.hasPrefix(topics.root) == true && !(topic ?? "").contains { "+#".contains($0) }
            return Component(key: key, platform: platform, topic: isOurs ? topic : nil)
        }.sorted { $0.key < $1.key }
    }

    /// - Parameters:
    ///   - patterns: the current patterns.
    ///   - gone: earlier patterns that are no longer searched for.
    ///   - staleComponents: what an earlier run announced.
    public func document(patterns: [String], gone: [String] = [], staleComponents: [Component] = []) -> String {
        var components = JSONObject()
        components.add("sighting", json: sightings)
        for (key, platform) in removals(patterns, gone, staleComponents) {
            var nothing = JSONObject()
            nothing.add("p", platform)
            components.add(key, json: nothing.text)
        }
        for pattern in patterns { add(pattern, to: &components) }
        return Announcement.text(
            identifier, source: topics.source, model: "text in a picture", version: version,
            availability: [topics.status, topics.available], components)
    }

    /// The components that must be removed, each key once.
    private func removals(_ patterns: [String], _ gone: [String], _ staleComponents: [Component]) -> [(String, String)]
    {
        func components(of names: [String]) -> [(String, String)] {
            names.flatMap { name in Self.platforms.map { ("\(TopicName.identifier(name))_\($0.0)", $0.1) } }
        }
        var taken = Set(components(of: patterns).map(\.0))
        return (components(of: gone) + staleComponents.map { ($0.key, $0.platform) }).filter {
            taken.insert($0.0).inserted
        }
    }

    private static let platforms = [("present", "binary_sensor"), ("text", "sensor"), ("picture", "image")]

    private var sightings: String {
        var event = JSONObject()
        event.add("p", "event")
        event.add("unique_id", identifier + "_sighting")
        event.add("name", "sighting")
        event.add("state_topic", topics.sighting)
        let kinds = SightingNotice.Kind.allCases.map { JSONObject.quoted($0.rawValue) }
        event.add("event_types", list: kinds)
        return event.text
    }

    private func add(_ pattern: String, to components: inout JSONObject) {
        for (key, platform) in Self.platforms {
            var component = JSONObject()
            component.add("p", platform)
            component.add("unique_id", "\(identifier)_\(TopicName.identifier(pattern))_\(key)")
            component.add("name", "\(pattern) \(key)")
            switch key {
            case "present": component.add("state_topic", topics.present(pattern))
            case "text": component.add("state_topic", topics.text(pattern))
            default:
                component.add("image_topic", topics.picture(pattern))
                component.add("content_type", "image/jpeg")
            }
            components.add("\(TopicName.identifier(pattern))_\(key)", json: component.text)
        }
    }
}

/// Names as one level of an MQTT topic, and as the identifiers of Home Assistant.
///
/// Names come from command lines and addresses, patterns too; nothing that was read in a picture ever becomes a part of a topic.
public enum TopicName {
    /// Longer names are cut: a topic has 65,535 bytes at most, and people look at them.
    static let longest = 64

    /// A name as one level of a topic: without `+`, `#`, `/`, control and formatting characters.
    ///
    /// Two names that differ stay different: a changed name gets a few digits at its end, computed from the original.
    public static func level(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse]
                .contains(scalar.properties.generalCategory)
            if isHidden || "+#/".unicodeScalars.contains(scalar) {
                text += "-"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        text = String(text.prefix(longest))
        // A character may have any number of accents.
        while text.utf8.count > 4 * longest { text.removeLast() }
        // `$` begins the broker's own topics, and an empty level looks like a mistake.
        if text.isEmpty || text.hasPrefix("$") { text = "-" + text.dropFirst() }
        return text == name ? text : text + "~" + digits(of: name)
    }

    /// A name of letters, digits, dots, dashes and underscores: `rtsp://camera/stream` is `camera-stream`. Others may be called the same.
    public static func plain(_ name: String) -> String {
        var rest = name[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        if let end = rest.firstIndex(where: { "?#".contains($0) }), name.contains("://") { rest = rest[..<end] }
        var text = ""
        for character in rest {
            let isPlain = character.isLetter || character.isNumber || "._".contains(character)
            if isPlain { text.append(character) } else if !text.hasSuffix("-") { text.append("-") }
        }
        let trimmed = text.drop { $0 == "-" }.prefix(longest)
        let end = trimmed.lastIndex { $0 != "-" }
        guard let end else { return "source" }
        return level(String(trimmed[...end]))
    }

    /// Letters without accents, digits and underscores only, as Home Assistant wants an identifier (`[a-zA-Z0-9_-]`); names that differ stay
    /// two.
    public static func identifier(_ name: String) -> String {
        let text = String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(longest).map {
                    $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) ? $0 : "_"
                }))
        return text == name ? text : text + "_" + digits(of: name)
    }

    /// Eight digits that are practically unique to the name (FNV-1a of 32 bits), the same on every machine and in every run.
    static func digits(of name: String) -> String {
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}

/// The topics under which one source of one node publishes (docs/NOTICES.md).
public struct NoticeTopics: Sendable, Hashable {
    public let node: String
    public let source: String
    private let hasOwnStatus: Bool

    /// - Parameters:
    ///   - node: the machine's name; cleaned here.
    ///   - source: the source's name, without passwords; cleaned here.
    ///   - hasOwnStatus: the source comes and goes by itself, beside others of the same node.
    public init(node: String, source: String, hasOwnStatus: Bool = false) {
        self.hasOwnStatus = hasOwnStatus
        self.node = TopicName.level(node)
        self.source = TopicName.plain(source)
    }

    /// `online`, or `offline`, which the broker publishes if the program disappears. Retained.
    public var status: String { hasOwnStatus ? "framegrep/\(node)/\(source)/status" : "framegrep/\(node)/status" }
    /// `online` while the source brings pictures, else `offline`. Retained.
    public var available: String { "framegrep/\(node)/\(source)/available" }
    /// The two notices of each sighting. Not retained.
    public var sighting: String { "framegrep/\(node)/\(source)/sighting" }
    /// New words come here, one a line.
    public var newPatterns: String { "framegrep/\(node)/\(source)/patterns/set" }

    /// `ON` while the pattern is in view, else `OFF`. Retained.
    public func present(_ pattern: String) -> String { watch(pattern) + "/present" }
    /// The words as they were read last. Retained.
    public func text(_ pattern: String) -> String { watch(pattern) + "/text" }
    /// The best picture of the last sighting, a JPEG file. Retained.
    public func picture(_ pattern: String) -> String { watch(pattern) + "/picture" }

    /// The prefix of all topics of this source, except the status of the node.
    var root: String { "framegrep/\(node)/\(source)/" }

    private func watch(_ pattern: String) -> String {
        // These names are taken, so a pattern with such a name gets digits at its end.
        let isTaken = ["sighting", "patterns", "values"].contains(pattern)
        let name = isTaken ? "\(pattern)~\(TopicName.digits(of: pattern))" : TopicName.level(pattern)
        return "framegrep/\(node)/\(source)/\(name)"
    }
}

/// The topics under which one value of a source is published as a state that is always known, and its device for Home Assistant
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

    /// The number, or the text if it is not one; `None` where nothing is read there. Retained.
    public var state: String { root + "/state" }
    /// The row as JSON: text, unit, score, since when. Retained.
    public var attributes: String { root + "/attributes" }
    /// `online` while the source brings pictures, else `offline`. Retained.
    public var available: String { root + "/available" }
    /// `online`, or `offline`, which the broker publishes if the program disappears. Retained.
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
        var components = JSONObject()
        components.add("value", json: sensor.text)
        return Announcement.text(
            identifier, source: shownName, model: "value in a picture", version: version,
            availability: [status, available], components)
    }

    /// The payload of a row.
    ///
    /// - Returns: nil where a number is expected and the row has none.
    public static func payload(of row: ValueRow, isNumber: Bool) -> String? {
        if let value = row.value, isNumber { return JSONObject.number(value, decimals: 6) }
        return isNumber ? nil : WatchStates.short(row.text)
    }
}

/// The document that announces a device and its components.
private enum Announcement {
    /// - Parameters:
    ///   - availability: the topics that say so: of the program and of the source, because either may be gone.
    static func text(
        _ identifier: String, source: String, model: String, version: String, availability: [String],
        _ components: JSONObject
    ) -> String {
        var device = JSONObject()
        device.add("ids", identifier)
        device.add("name", "framegrep \(source)")
        device.add("mf", "framegrep")
        device.add("mdl", model)
        device.add("sw", version)
        var origin = JSONObject()
        origin.add("name", "framegrep")
        origin.add("sw", version)
        var object = JSONObject()
        object.add("dev", json: device.text)
        object.add("o", json: origin.text)
        let topics = availability.map { "{\"t\":\(JSONObject.quoted($0))}" }
        object.add("avty", list: topics)
        object.add("avty_mode", "all")
        object.add("cmps", json: components.text)
        return object.text
    }
}
