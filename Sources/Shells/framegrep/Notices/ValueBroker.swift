import Errors
import Foundation
import Mosquitto
import Notices
import Synchronization
import TextSpotting
import Threads

/// Tells a broker what a place of the picture says, as a state that is retained. Thread-safe; nothing of it blocks.
///
/// Home Assistant is told of the sensor with the first value: only then is it known whether it is a number, and of which unit. Neither
/// changes afterwards, whatever is read.
final class ValueBroker: Sendable {
    private struct State {
        /// Nil until there was a value.
        var isNumber: Bool?
    }

    private let topics: ValueTopics
    private let prefix: String?
    private let forgets: Bool
    private let sender: MQTTSender
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: what the value is called.
    ///   - warn: what cannot be told.
    /// - Returns: nil where there is no broker to be told.
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

    /// The source brings pictures, or does not.
    func source(isThere: Bool) { sender.set([WatchStates.State(topics.available, isThere ? "online" : "offline")]) }

    /// This stands there.
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

    /// Nothing is read there.
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
