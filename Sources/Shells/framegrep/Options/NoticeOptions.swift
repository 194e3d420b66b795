import ArgumentParser
import Errors
import Foundation
import Mosquitto
import Notices
import Spotter
import TextSpotting
import Webhooks

/// Options for reacting to sightings, in addition to the results: shared by `find`, `live` and `run`.
struct NoticeOptions: ParsableArguments {
    @Flag(help: "Ring the terminal's bell when a word appears.")
    var bell = false

    @Option(
        help: ArgumentHelp(
            "Run a command for each sighting, with its JSON line on standard input.",
            discussion: """
                The command is run by sh. Text from the picture is never a part of it: it comes on standard input only. \
                The command's output goes to standard error.
                """, valueName: "command"))
    var exec: String?

    @Option(
        name: .customLong("exec-limit"),
        help: ArgumentHelp("How many of these commands may run at once (default: 4).", valueName: "count"))
    var chosenLimit: Int?

    var execLimit: Int { chosenLimit ?? 4 }

    /// Options that have no effect without `--exec`.
    var dependents: [DependentOption] {
        [DependentOption("--exec-limit", isGiven: chosenLimit != nil, about: "--exec", isAsked: exec != nil)]
    }

    func validate() throws {
        guard (1...64).contains(execLimit) else { throw ValidationError("--exec-limit must be between 1 and 64.") }
        if let exec, exec.allSatisfy(\.isWhitespace) {
            throw ValidationError("--exec needs a command, such as --exec 'cat >> seen.jsonl'.")
        }
    }
}

/// Options for receivers over the network: shared by `live` and `run`.
struct NoticeTargetOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Flag(help: "Let messages to the topic patterns/set change the patterns: words, one a line.")
    var mqttPatterns = false

    @Option(
        help: ArgumentHelp(
            "POST the JSON of each sighting to an address, when it appears and when it is over; may be given several times.",
            valueName: "url"))
    var webhook: [String] = []

    @Option(
        name: .customLong("webhook-timeout"),
        help: ArgumentHelp("How long a webhook may take to answer (default: 10s).", valueName: "time"))
    var chosenTimeout: DurationArgument?

    var webhookTimeout: DurationArgument { chosenTimeout ?? DurationArgument(seconds: 10) }

    @Option(
        help: ArgumentHelp(
            "The folder in which undelivered notices wait (default: framegrep/outbox in the user's folder for state).",
            valueName: "folder"))
    var outbox: String?

    var mqtt: String? { broker.mqtt }
    var isAsked: Bool { mqtt != nil || !webhook.isEmpty }

    /// Options that have no effect without a receiver.
    var dependents: [DependentOption] {
        [
            DependentOption(
                "--webhook-timeout", isGiven: chosenTimeout != nil, about: "--webhook", isAsked: !webhook.isEmpty),
            DependentOption("--outbox", isGiven: outbox != nil, about: "--webhook and --mqtt", isAsked: isAsked),
        ] + broker.dependents
    }

    func validate() throws {
        do {
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
        if mqtt == nil, mqttPatterns { throw ValidationError("--mqtt-patterns needs --mqtt URL.") }
    }

    /// The key that signs webhooks; nil if there is none.
    var webhookKey: [UInt8]? {
        let key = ProcessInfo.processInfo.environment["FRAMEGREP_WEBHOOK_KEY"] ?? ""
        return key.isEmpty ? nil : Array(key.utf8)
    }
}

/// Options for the MQTT broker and the program's name there: shared by searches and `values`.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Publish to an MQTT broker, mqtt://host[:port] or mqtts://host[:port], also for Home Assistant.",
            valueName: "url"))
    var mqtt: String?

    @Option(help: ArgumentHelp("The name of this machine in topics (default: its host name).", valueName: "name"))
    var mqttNode: String?

    @Option(
        help: ArgumentHelp(
            "A file with user:password for the broker (default: $FRAMEGREP_MQTT_USER, $FRAMEGREP_MQTT_PASSWORD).",
            valueName: "file"))
    var mqttCredentials: FileArgument?

    @Option(
        help: ArgumentHelp("Certificates to trust instead of the system's, for mqtts.", valueName: "file"))
    var mqttCa: FileArgument?

    @Option(
        name: .customLong("mqtt-discovery"),
        help: ArgumentHelp(
            "Where Home Assistant looks for devices; 'none' announces nothing (default: homeassistant).",
            valueName: "prefix"))
    var chosenDiscovery: String?

    private var mqttDiscovery: String { chosenDiscovery ?? "homeassistant" }

    @Flag(
        help:
            "At the end, remove what the broker retains: the device of Home Assistant, and all states but 'offline'."
    )
    var mqttForget = false

    func validate() throws {
        do { _ = try mqtt.map { try BrokerAddress($0) } } catch { throw ValidationError("\(error)") }
        if mqtt == nil {
            let needing = [
                ("--mqtt-node", mqttNode != nil), ("--mqtt-credentials", mqttCredentials != nil),
                ("--mqtt-ca", mqttCa != nil), ("--mqtt-forget", mqttForget),
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

    /// Options that have no effect without a broker.
    var dependents: [DependentOption] {
        [DependentOption("--mqtt-discovery", isGiven: chosenDiscovery != nil, about: "--mqtt", isAsked: mqtt != nil)]
    }

    /// The prefix that Home Assistant watches; nil if nothing is announced.
    var discoveryPrefix: String? { mqttDiscovery == "none" ? nil : mqttDiscovery }

    /// This machine's name: `camera-3` of `camera-3.example.org`.
    var node: String {
        if let mqttNode { return mqttNode }
        var letters = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&letters, letters.count - 1) == 0
        let bytes = letters.lazy.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }, as: UTF8.self)
        return isKnown && !name.isEmpty ? name : "framegrep"
    }

    /// Returns how a client of this program connects.
    ///
    /// - Parameters:
    ///   - statusTopic: the topic at which the broker publishes `offline` when the program is gone.
    ///   - warn: called for a password that others can read.
    /// - Throws: ``FramegrepError`` (`badArgument`).
    func settings(
        for address: BrokerAddress, statusTopic: String, warn: NoticeWarning
    ) throws(FramegrepError) -> BrokerSettings {
        let client = "framegrep-" + TopicName.identifier(TopicName.level(node)) + "-" + JobName().text.suffix(8)
        var settings = BrokerSettings(address: address, clientName: client, statusTopic: statusTopic)
        if let (user, password) = try credentials() { (settings.user, settings.password) = (user, password) }
        settings.certificates = mqttCa?.path
        if let file = mqttCredentials?.path, Self.isReadByAll(file) {
            warn(
                FramegrepError(
                    .badArgument,
                    "Every user of this machine can read \(file), which contains a password; forbid that (chmod o-r)."))
        }
        return settings
    }

    static func isReadByAll(_ path: String) -> Bool {
        FileStatus(of: path).map { $0.values.st_mode & S_IROTH != 0 } ?? false
    }

    /// Returns the user name and password for the broker.
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
                "The file \(path) of --mqtt-credentials cannot be read; it must have one line, user:password.")
        }
        let line = text.split(whereSeparator: \.isNewline).first ?? ""
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
            throw FramegrepError(
                .badArgument, "The file \(path) of --mqtt-credentials has no line of the form user:password."
            )
        }
        return (String(line[..<colon]), String(line[line.index(after: colon)...]))
    }

    /// Checks that the file of certificates contains some.
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
}
