import ArgumentParser
import Errors
import Foundation
import Mosquitto
import Spotter
import TextSpotting
import Webhooks

/// Options on receivers over the network: shared by `live` and `run`.
struct NoticeTargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Tell a broker of MQTT, mqtt://host[:port] or mqtts://host[:port], of each sighting: when it appears and when it is over.",
            valueName: "url"))
    var mqtt: String?

    @Option(help: ArgumentHelp("What this machine is called in topics (default: its host name).", valueName: "name"))
    var mqttNode: String?

    @Option(
        help: ArgumentHelp(
            "A file with user:password for the broker (default: $FRAMEGREP_MQTT_USER, $FRAMEGREP_MQTT_PASSWORD).",
            valueName: "file"))
    var mqttCredentials: FileArgument?

    @Option(
        help: ArgumentHelp("Certificates to trust in place of the system's, for mqtts.", valueName: "file"))
    var mqttCa: FileArgument?

    @Option(
        help: ArgumentHelp("Where Home Assistant looks for devices; 'none' announces nothing.", valueName: "prefix"))
    var mqttDiscovery = "homeassistant"

    @Flag(help: "Messages to the topic patterns/set change what is searched for: words, one a line.")
    var mqttPatterns = false

    @Flag(
        help:
            "At the end, take back what the broker retains: the device of Home Assistant, and all states but 'offline'."
    )
    var mqttForget = false

    @Option(
        help: ArgumentHelp(
            "POST the JSON of each sighting to an address, when it appears and when it is over (repeatable).",
            valueName: "url"))
    var webhook: [String] = []

    @Option(help: ArgumentHelp("How long a webhook may take to answer.", valueName: "time"))
    var webhookTimeout = DurationArgument(seconds: 10)

    @Option(
        help: ArgumentHelp(
            "The folder in which notices wait that were not taken yet (default: framegrep/outbox in the user's folder for state).",
            valueName: "folder"))
    var outbox: String?

    var isAsked: Bool { mqtt != nil || !webhook.isEmpty }

    func validate() throws {
        do {
            _ = try mqtt.map { try BrokerAddress($0) }
            for address in webhook { _ = try WebhookAddress(address) }
        } catch {
            throw ValidationError("\(error)")
        }
        if let twice = Set(webhook).first(where: { address in webhook.count(where: { $0 == address }) > 1 }) {
            throw ValidationError("--webhook names \(WebhookAddress.shown(twice)) twice.")
        }
        guard webhookTimeout.time.seconds >= 0.1, webhookTimeout.time.seconds <= 300 else {
            throw ValidationError("--webhook-timeout must be between 0.1 and 300 seconds.")
        }
        if mqtt == nil {
            let needing = [
                ("--mqtt-node", mqttNode != nil), ("--mqtt-credentials", mqttCredentials != nil),
                ("--mqtt-ca", mqttCa != nil),
                ("--mqtt-patterns", mqttPatterns), ("--mqtt-forget", mqttForget),
            ]
            if let (name, _) = needing.first(where: \.1) { throw ValidationError("\(name) needs --mqtt URL.") }
        }
        let isTopic =
            !mqttDiscovery.isEmpty
            && !mqttDiscovery.contains { "+#".contains($0) || $0.asciiValue.map { $0 < 32 } == true }
        guard isTopic else {
            throw ValidationError("--mqtt-discovery takes the beginning of a topic, without + and #.")
        }
    }

    /// Where Home Assistant looks; nil if nothing is announced.
    var discoveryPrefix: String? { mqttDiscovery == "none" ? nil : mqttDiscovery }

    /// The user name and password for the broker.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    func credentials() throws(FramegrepError) -> (user: String, password: String?)? {
        guard let path = mqttCredentials?.path else {
            let environment = ProcessInfo.processInfo.environment
            guard let user = environment["FRAMEGREP_MQTT_USER"], !user.isEmpty else { return nil }
            return (user, environment["FRAMEGREP_MQTT_PASSWORD"])
        }
        guard let text = try? TextFile.text(of: path, limit: 1 << 12) else {
            throw FramegrepError(
                .badArgument,
                "The file \(path) of --mqtt-credentials cannot be read; it holds one line, user:password.")
        }
        let line = text.split(separator: "\n").first ?? ""
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
            throw FramegrepError(
                .badArgument, "The file \(path) of --mqtt-credentials has no line of the form user:password."
            )
        }
        return (String(line[..<colon]), String(line[line.index(after: colon)...]))
    }

    /// Looks whether there are certificates where they are said to be.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    func checkCertificates() throws(FramegrepError) {
        guard let path = mqttCa?.path else { return }
        var reason = "it holds no certificate (PEM)"
        do {
            let bytes = try TextFile.bytes(ofFile: path, limit: 16 << 20)
            if String(decoding: bytes, as: UTF8.self).contains("-----BEGIN") { return }
        } catch .unreadable(let why) {
            reason = why
        } catch {}
        throw FramegrepError(.badArgument, "The file \(path) of --mqtt-ca cannot be used: \(reason).")
    }

    /// The key that signs webhooks; nil if there is none.
    var webhookKey: [UInt8]? {
        let key = ProcessInfo.processInfo.environment["FRAMEGREP_WEBHOOK_KEY"] ?? ""
        return key.isEmpty ? nil : Array(key.utf8)
    }
}
