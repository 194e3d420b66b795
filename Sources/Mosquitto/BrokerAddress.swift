public import Errors
import Foundation

/// Where a broker of MQTT is, checked: `mqtt://host[:port]` or `mqtts://host[:port]`.
public struct BrokerAddress: Sendable, Hashable {
    public let host: String
    public let port: Int
    public let isEncrypted: Bool

    /// - Throws: ``FramegrepError`` (`badArgument`) if it is not such an address, or has a password or a path in it.
    public init(_ text: String) throws(FramegrepError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["mqtt", "mqtts"].contains(scheme), let host = parts.host, !host.isEmpty
        else {
            throw FramegrepError(
                .badArgument,
                "--mqtt takes the address of a broker: mqtt://host, mqtt://host:1883 or mqtts://host:8883; this is none."
            )
        }
        guard parts.user == nil, parts.password == nil else {
            throw FramegrepError(
                .badArgument,
                "An address of --mqtt takes no user and password, which others would see in the list of programs; "
                    + "set FRAMEGREP_MQTT_USER and FRAMEGREP_MQTT_PASSWORD, or name a file with --mqtt-credentials.")
        }
        guard ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil else {
            throw FramegrepError(
                .badArgument, "An address of --mqtt ends with its port: topics are named by --mqtt-node.")
        }
        // As mosquitto takes it: without the brackets of an address of IPv6.
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        isEncrypted = scheme == "mqtts"
        port = parts.port ?? (isEncrypted ? 8883 : 1883)
        guard (1...65535).contains(port) else {
            throw FramegrepError(.badArgument, "The port \(port) of --mqtt is none: ports are 1 to 65535.")
        }
    }

    /// The same for the same broker, however it was written.
    public var name: String { "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)" }
}
