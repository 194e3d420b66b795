import Foundation
import TextSpotting

/// How Home Assistant learns of a source by itself: its MQTT device discovery, one document for all that a source has.
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
    /// Where Home Assistant says `online` when it has started, and wants to be told again: by its settings the same whatever the prefix
    /// of devices is, and often changed along with it.
    public var statusTopics: [String] { Self.statusTopics(prefix: prefix) }

    /// The same for devices under a prefix.
    public static func statusTopics(prefix: String) -> [String] {
        ["homeassistant/status"] + (prefix == "homeassistant" ? [] : ["\(prefix)/status"])
    }

    private var identifier: String {
        "framegrep_" + TopicName.identifier(topics.node) + "_" + TopicName.identifier(topics.source)
    }

    /// A component that an earlier run announced: the document is retained, so it outlives the program.
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
        var device = JSONObject()
        device.add("ids", identifier)
        device.add("name", "framegrep \(topics.source)")
        device.add("mf", "framegrep")
        device.add("mdl", "text in a picture")
        device.add("sw", version)
        var origin = JSONObject()
        origin.add("name", "framegrep")
        origin.add("sw", version)
        var components = JSONObject()
        components.add("sighting", json: sightings)
        for (key, platform) in removals(patterns, gone, staleComponents) {
            var nothing = JSONObject()
            nothing.add("p", platform)
            components.add(key, json: nothing.text)
        }
        for pattern in patterns { add(pattern, to: &components) }
        var object = JSONObject()
        object.add("dev", json: device.text)
        object.add("o", json: origin.text)
        // The program and the source: either may be gone.
        let topics = [topics.status, topics.available].map { "{\"t\":\(JSONObject.quoted($0))}" }
        object.add("avty", json: "[" + topics.joined(separator: ",") + "]")
        object.add("avty_mode", "all")
        object.add("cmps", json: components.text)
        return object.text
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
        event.add("event_types", json: "[" + kinds.joined(separator: ",") + "]")
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
