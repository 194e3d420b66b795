import Errors
import Foundation
import Mosquitto
import Notices
import Synchronization
import TextSpotting

/// Publishes to a broker: sightings through an outbox, states to be retained, and the announcement for Home Assistant.
///
/// Its methods block for small writes to the disk, and are called on one queue; the broker's answers arrive on the
/// sender's thread.
final class BrokerTarget: Sendable {
    private struct State {
        var states: WatchStates
        /// The current patterns, and recent earlier ones.
        var patterns: [String] = []
        var gone: [String] = []
        /// Components that an earlier run announced to Home Assistant.
        var staleComponents: [HomeAssistantDevice.Component] = []
        /// Whether the patterns are known; if the broker answers earlier, its document waits until then.
        var isReady = false
        var early: [UInt8]?
        var change: (@Sendable ([String]) -> Void)?
        /// The last change of words that arrived before the job listened.
        var changedBefore: [String]?
    }

    let outbox: Outbox
    let name: String
    private let topics: NoticeTopics
    private let device: HomeAssistantDevice?
    private let forgets: Bool
    private let sender: MQTTSender
    private let state: Shared

    /// The largest number of former words that an announcement removes; the receivers of earlier announcements know of
    /// those before.
    private static let mostGone = 100

    /// State shared with the sender's callbacks.
    private final class Shared: Sendable {
        let value: Mutex<State>

        init(_ state: sending State) { value = Mutex(state) }
    }

    /// - Returns: nil if no broker is set.
    init?(
        _ options: NoticeTargetOptions, _ folder: OutboxFolder, sourceName: String, hasOwnStatus: Bool,
        patterns: [String], warn: @escaping NoticeWarning
    ) throws(FramegrepError) {
        guard let text = options.mqtt else { return nil }
        let address = try BrokerAddress(text)
        let broker = options.broker
        let topics = NoticeTopics(node: broker.node, source: sourceName, hasOwnStatus: hasOwnStatus)
        let device = broker.discoveryPrefix.map {
            HomeAssistantDevice(topics, version: ProgramVersion.text, prefix: $0)
        }
        var settings = try broker.settings(for: address, statusTopic: topics.status, warn: warn)
        settings.subscriptions = device.map { $0.statusTopics + [$0.topic] } ?? []
        if options.mqttPatterns { settings.subscriptions.append(topics.newPatterns) }
        let outbox = try Outbox(in: folder, for: "mqtt \(address.name)", warn: warn)
        let shared = Shared(State(states: WatchStates(topics)))
        (self.topics, self.device, self.outbox, name, state) = (topics, device, outbox, address.name, shared)
        forgets = broker.mqttForget
        sender = try MQTTSender(to: settings, outbox: outbox, shownName: address.name) { sender, topic, payload in
            Self.hear(topic, payload: payload, from: sender, topics: topics, device: device, shared: shared)
        } warn: {
            warn($0)
        }
        source(isThere: false)
        watch(patterns)
        let early = shared.value.withLock { state in
            state.isReady = true
            return state.early
        }
        if let early, let device { Self.takeBack(early, device, sender, shared) }
    }

    /// Handles a message, on the sender's thread.
    private static func hear(
        _ topic: String, payload: [UInt8], from sender: MQTTSender, topics: NoticeTopics,
        device: HomeAssistantDevice?, shared: Shared
    ) {
        if let device, device.statusTopics.contains(topic) {
            // It has just started, and has only the retained messages.
            guard payload.elementsEqual("online".utf8) else { return }
            sender.repeatState(at: device.topic)
        } else if let device, topic == device.topic {
            takeBack(payload, device, sender, shared)
        } else if topic == topics.newPatterns, let text = String(validating: payload, as: UTF8.self) {
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }.map(
                String.init)
            // Call it within the lock, so that changes are reported in the order in which they arrived.
            shared.value.withLock { state in
                if let change = state.change { change(lines) } else { state.changedBefore = lines }
            }
        }
    }

    /// Withdraws the retained announcement and states of an earlier run that searched for other words.
    ///
    /// The broker also sends this run's own announcement, which contains nothing to withdraw.
    private static func takeBack(
        _ document: [UInt8], _ device: HomeAssistantDevice, _ sender: MQTTSender, _ shared: Shared
    ) {
        let states = shared.value.withLock { state -> [WatchStates.State] in
            guard state.isReady else {
                state.early = document
                return []
            }
            let known = Set(state.staleComponents.map(\.key))
            let new = device.staleComponents(in: document, patterns: state.patterns + state.gone)
                .filter { !known.contains($0.key) }
            // The document may come from anyone, so it is limited.
            guard !new.isEmpty, state.staleComponents.count + new.count <= 10_000 else { return [] }
            state.staleComponents += new
            return [announcement(device, state)] + new.compactMap { $0.topic.map { WatchStates.State($0, [UInt8]()) } }
        }
        if !states.isEmpty { sender.set(states) }
    }

    /// - Parameter change: called with the received words, including those that were received before this call; must
    ///   not block.
    func whenPatternsCome(_ change: @escaping @Sendable ([String]) -> Void) {
        state.value.withLock { state in
            state.change = change
            if let words = state.changedBefore.take() { change(words) }
        }
    }

    /// Records that the source has begun or stopped to deliver pictures.
    func source(isThere: Bool) {
        sender.set([WatchStates.State(topics.available, isThere ? "online" : "offline")])
    }

    /// Announces the new words.
    func watch(_ patterns: [String]) {
        let states = state.value.withLock { state -> [WatchStates.State] in
            state.gone = (state.gone + state.patterns).filter { !patterns.contains($0) }
            state.gone = state.gone.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.suffix(Self.mostGone)
            state.patterns = patterns.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            return [device.map { Self.announcement($0, state) }].compactMap { $0 } + state.states.watch(state.patterns)
        }
        sender.set(states)
    }

    private static func announcement(_ device: HomeAssistantDevice, _ state: borrowing State) -> WatchStates.State {
        WatchStates.State(
            device.topic,
            device.document(patterns: state.patterns, gone: state.gone, staleComponents: state.staleComponents))
    }

    /// - Returns: the reason the notice waits only in memory.
    func appeared(_ sighting: Sighting, _ notice: SightingNotice, _ held: SightingNotice) -> FramegrepError? {
        let isNew = state.value.withLock { !$0.patterns.contains(sighting.pattern) }
        // Words typed in the window are searched for without being announced.
        if isNew { watch(state.value.withLock { $0.patterns } + [sighting.pattern]) }
        sender.set(
            state.value.withLock {
                $0.states.appeared(sighting.id, pattern: sighting.pattern, text: sighting.text)
            })
        let failure = outbox.add(
            notice.notice(topic: topics.sighting), holding: held.notice(topic: topics.sighting))
        sender.ring()
        return failure
    }

    /// - Returns: the reason the notice waits only in memory.
    func disappeared(_ sighting: Sighting, _ notice: SightingNotice, _ picture: [UInt8]?) -> FramegrepError? {
        sender.set(
            state.value.withLock { state in
                // No state of former words may stay at the broker.
                guard state.patterns.contains(sighting.pattern) else { return [] }
                return state.states.disappeared(
                    sighting.id, pattern: sighting.pattern, text: sighting.text, picture: picture)
            })
        let failure = outbox.add(notice.notice(topic: topics.sighting))
        sender.ring()
        return failure
    }

    func finish(within patience: Duration) async {
        let last = state.value.withLock { state -> [WatchStates.State] in
            guard forgets else { return state.states.end() + [WatchStates.State(topics.available, "offline")] }
            let device = device.map { [WatchStates.State($0.topic, [UInt8]())] } ?? []
            return device + [WatchStates.State(topics.available, [UInt8]())]
                + state.states.forget(state.patterns + state.gone)
        }
        await sender.finish(within: patience, saying: last)
        state.value.withLock { $0.change = nil }
    }
}
