import ArgumentParser
import Errors
import Foundation
import Spotter
import TextSpotting
import Webhooks

/// Options on receivers over the network: shared by `live` and `run`.
struct NoticeTargetOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Flag(help: "Messages to the topic patterns/set change what is searched for: words, one a line.")
    var mqttPatterns = false

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

    var mqtt: String? { broker.mqtt }
    var isAsked: Bool { mqtt != nil || !webhook.isEmpty }

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
