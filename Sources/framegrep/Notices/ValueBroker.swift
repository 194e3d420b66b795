import Errors
import Foundation
import Mosquitto
import Notices
import Spotter
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

    /// The sender, for what it hears itself.
    private final class Repeater: Sendable {
        let sender = Mutex<MQTTSender?>(nil)
    }
    private let repeater: Repeater

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
        let repeater = Repeater()
        (self.topics, self.prefix, self.repeater, forgets) = (topics, prefix, repeater, options.mqttForget)
        sender = try MQTTSender(to: settings, outbox: nil, shownName: address.name) { _, payload in
            // Home Assistant has just started.
            guard payload.elementsEqual("online".utf8), let prefix else { return }
            repeater.sender.withLock { $0 }?.repeatState(at: topics.discovery(prefix: prefix))
        } warn: {
            warn($0)
        }
        repeater.sender.withLock { [sender] in $0 = sender }
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
        repeater.sender.withLock { $0 = nil }
    }
}

/// Tells of sightings as `--bell` and `--exec` ask. Thread-safe. Words that come while too many commands run are told by none of them, which
/// ``SightingCommands`` says.
struct Notices: EventSink {
    private let bell: Bell?
    private let commands: SightingCommands?
    private let isFinishing = CancellationFlag()

    private let json: (@Sendable (LiveEvent) -> String)?

    /// - Parameters:
    ///   - json: makes of an event of a live job what commands get; nil where there are none.
    ///   - warn: reports failures.
    init(
        _ options: NoticeOptions, json: (@Sendable (LiveEvent) -> String)? = nil,
        warn: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.json = json
        bell = options.bell ? Bell() : nil
        commands = options.exec.map { SightingCommands($0, limit: options.execLimit, warn: warn) }
        if options.bell, !StandardError.isTerminal {
            warn(FramegrepError(.badArgument, "--bell rings on a terminal, and standard error is none."))
        }
    }

    func take(_ event: LiveEvent) {
        if case .appeared = event, let json { tell { json(event) } }
    }

    /// A word appeared.
    ///
    /// - Parameter line: makes the JSON line; asked for only where it is needed.
    func tell(_ line: () -> String) {
        bell?.ring()
        commands?.run(line())
    }

    /// Returns when every command has ended; says so when that takes a while.
    func finish() async {
        guard let commands else { return }
        isFinishing.cancel()
        let notice = Task {
            guard (try? await Task.sleep(for: .seconds(1))) != nil, commands.pending > 0 else { return }
            StandardError.line(
                "framegrep: waiting for \(commands.pending) commands of --exec; Ctrl-C ends them.")
        }
        await commands.finish()
        notice.cancel()
    }

    /// Ctrl-C: when only commands are left, they are ended; as long as the search is ending, they go on.
    func interrupt() { if isFinishing.isCancelled { stop() } }

    /// Ends every command.
    func stop() { commands?.stop() }
}

/// The terminal's bell, rung on standard error where that is a terminal. Thread-safe.
final class Bell: Sendable {
    /// Words that appear together ring once.
    private static let rest = Duration.milliseconds(500)

    private let last = Mutex<ContinuousClock.Instant?>(nil)

    func ring() {
        guard StandardError.isTerminal else { return }
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.rest { return false }
            last = now
            return true
        }
        if isDue { StandardError.write("\u{7}") }
    }
}
