import Errors
import Foundation
import Mosquitto
import Notices
import Synchronization
import TextSpotting

/// Publishes the current value of a place in the picture to a broker, as a retained state. Thread-safe; never blocks.
///
/// The sensor is announced to Home Assistant with the first value, because only then its unit is known, and whether it
/// is a number. Neither changes afterward.
final class ValueBroker: Sendable {
    private struct State {
        /// Whether the value is a number; nil before the first one.
        var isNumber: Bool?
    }

    private let topics: ValueTopics
    private let prefix: String?
    private let forgets: Bool
    private let sender: MQTTSender
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the name of the value.
    ///   - warn: reports failures.
    ///
    /// - Returns: nil if no broker is set.
    init?(
        _ options: BrokerOptions, sourceName: String, name: String, warn: @escaping NoticeWarning
    ) throws(FramegrepError) {
        guard let text = options.mqtt else { return nil }
        try options.checkCertificates()
        let address = try BrokerAddress(text)
        let topics = ValueTopics(node: options.node, source: sourceName, name: name)
        var settings = try options.settings(for: address, statusTopic: topics.status, warn: warn)
        let prefix = options.discoveryPrefix
        settings.subscriptions = prefix.map { HomeAssistantDevice.statusTopics(prefix: $0) } ?? []
        (self.topics, self.prefix, forgets) = (topics, prefix, options.mqttForget)
        sender = try MQTTSender(to: settings, outbox: nil, shownName: address.name) { sender, _, payload in
            // Home Assistant has just started.
            guard payload.elementsEqual("online".utf8), let prefix else { return }
            sender.repeatState(at: topics.discovery(prefix: prefix))
        } warn: {
            warn($0)
        }
        source(isThere: false)
    }

    /// Records that the source has begun or stopped to deliver pictures.
    func source(isThere: Bool) { sender.set([WatchStates.State(topics.available, isThere ? "online" : "offline")]) }

    /// Publishes a value.
    ///
    /// - Parameter object: the row as JSON.
    func tell(_ row: ValueRow, _ object: String) {
        let (isNumber, isFirst) = state.withLock { state in
            defer { state.isNumber = state.isNumber ?? (row.value != nil) }
            return (state.isNumber ?? (row.value != nil), state.isNumber == nil)
        }
        var states: [WatchStates.State] = []
        if isFirst, let prefix {
            let document = topics.document(version: ProgramVersion.text, unit: row.unit, isNumber: isNumber)
            states.append(WatchStates.State(topics.discovery(prefix: prefix), document))
        }
        if let payload = ValueTopics.payload(of: row, isNumber: isNumber) {
            states += [WatchStates.State(topics.attributes, object), WatchStates.State(topics.state, payload)]
        }
        sender.set(states)
    }

    /// Publishes that no value is shown.
    func tellUnknown() {
        guard state.withLock({ $0.isNumber != nil }) else { return }
        sender.set([WatchStates.State(topics.state, ValueTopics.unknown)])
    }

    func finish(within patience: Duration) async {
        var last = [WatchStates.State(topics.available, "offline")]
        if forgets {
            last = (topics.all + (prefix.map { [topics.discovery(prefix: $0)] } ?? [])).map {
                WatchStates.State($0, [UInt8]())
            }
        }
        await sender.finish(within: patience, saying: last)
    }
}
