public import Errors
import Foundation
import Glibc
public import Notices
import Synchronization
import Threads

/// Publishes the notices of an outbox, and retained states, at one broker.
///
/// One thread has the connection, connects again with growing pauses, and waits in `poll`. A notice leaves the outbox when the broker has
/// acknowledged it (QoS 1); where the connection breaks before, libmosquitto sends it again. Retained states are published again with each
/// connection, because a broker may have forgotten them.
public final class MQTTSender: Sendable {
    /// How many libmosquitto has under way at once; the others wait on the disk.
    private static let mostUnderWay: Int = 20
    /// A connection is kept alive by messages of libmosquitto's, which looks at its clock when it is asked to; they are due every 30 s.
    private static let longestWait = Duration.seconds(5)
    /// After a connection that held for this long the pauses start over; otherwise a broker that accepts clients and drops them at once would
    /// see one every half second.
    private static let steadyTime = Duration.seconds(5)

    private struct State {
        var states = RetainedStates()
        /// Published before disconnecting.
        var lastStates: [WatchStates.State] = []
    }

    private let settings: BrokerSettings
    private let shownName: String
    private let outbox: Outbox?
    private let warn: NoticeWarning
    private let hear: @Sendable (_ sender: MQTTSender, _ topic: String, _ payload: [UInt8]) -> Void
    private let wake: PollWakeEvent
    private let end = SenderEnd()
    private let state = Mutex(State())

    /// Begins to connect at once.
    ///
    /// - Parameters:
    ///   - outbox: nil if only states are published.
    ///   - shownName: the broker as messages show it.
    ///   - hear: called on the sender's thread with messages for the subscriptions.
    ///   - warn: called once when the broker is lost, and once when it is back; on the sender's thread.
    /// - Throws: ``FramegrepError`` (`noticeFailed`, `badArgument`).
    public init(
        to settings: BrokerSettings, outbox: Outbox?, shownName: String,
        hear: @escaping @Sendable (_ sender: MQTTSender, _ topic: String, _ payload: [UInt8]) -> Void,
        warn: @escaping NoticeWarning
    ) throws(FramegrepError) {
        guard let wake = PollWakeEvent() else {
            throw FramegrepError(
                .noticeFailed,
                "\(shownName): The broker cannot be reached: the program has too many files open; "
                    + "raise the limit that 'ulimit -n' tells.")
        }
        (self.settings, self.outbox, self.shownName, self.hear, self.warn) = (settings, outbox, shownName, hear, warn)
        self.wake = wake
        state.withLock { $0.states.set([WatchStates.State(settings.statusTopic, "online")]) }
        // Unreadable certificates are reported before anything begins.
        _ = try MosquittoClient(settings)
        do {
            try DedicatedThread.start(named: "framegrep-mqtt") { [self] in
                defer { end.reach() }
                do throws(FramegrepError) {
                    let client = try MosquittoClient(settings)
                    run(client)
                } catch {
                    warn(error)
                }
            }
        } catch {
            throw FramegrepError(.noticeFailed, error.description)
        }
    }

    /// Sets states to be retained; the last of each topic counts.
    public func set(_ states: [WatchStates.State]) {
        state.withLock { $0.states.set(states) }
        wake.ring()
    }

    /// Publishes the state of a topic once more.
    public func repeatState(at topic: String) {
        state.withLock { $0.states.repeatState(at: topic) }
        wake.ring()
    }

    /// Something new is in the outbox.
    public func ring() { wake.ring() }

    /// Sends the remaining notices, as long as the broker takes them and for at most `patience`, then stops. Those that are not
    /// acknowledged by then stay in the outbox.
    ///
    /// - Parameter states: published when all notices are acknowledged, before disconnecting.
    public func finish(within patience: Duration, saying states: [WatchStates.State] = []) async {
        state.withLock { $0.lastStates = states + [WatchStates.State(settings.statusTopic, "offline")] }
        end.ask()
        wake.ring()
        await end.wait(within: patience)
    }

    // MARK: The thread

    private func run(_ client: MosquittoClient) {
        var pauses = Backoff.server
        var session = Session()
        var isOut = false
        while true {
            let hadBegun = end.isAsked
            var reason = client.connect()
            if reason == nil {
                let begun = ContinuousClock.now
                reason = serve(client, &session) {
                    if isOut { self.tell(self.outbox == nil ? "It can be told again." : "Notices arrive again.") }
                    isOut = false
                }
                if .now - begun >= Self.steadyTime { pauses.reset() }
            }
            guard let reason else { return }
            let rest = outbox == nil ? "The last value is sent when it can." : "Notices wait, and are sent when it can."
            if !isOut { tell("The broker cannot be reached: \(reason). \(rest)") }
            isOut = true
            // One try more than before the end began.
            if hadBegun { return }
            let over = ContinuousClock.now + pauses.nextJittered()
            while !end.isAsked, ContinuousClock.now < over {
                wake.wait(for: [], atMost: over - .now)
            }
        }
    }

    /// Messages under way; outlives connections, because libmosquitto itself resends what was not acknowledged.
    private struct Session {
        var numbers: [Int32: Int64] = [:]
        var last: Int64 = 0
        /// States that were published and not acknowledged.
        var states = Set<Int32>()
        var isOver = false
    }

    /// Sends until the connection is lost, or everything is published and the program ends.
    ///
    /// - Parameter arrived: called when the broker has acknowledged something.
    /// - Returns: why the connection was lost; nil after disconnecting.
    private func serve(_ client: MosquittoClient, _ session: inout Session, _ arrived: () -> Void) -> String? {
        var wasConnected = false
        while true {
            let canRead = wake.wait(
                for: [client.descriptor], toWrite: client.wantsToWrite,
                atMost: hasWork(client, session) ? .zero : Self.longestWait)
            if let reason = client.work(canRead: canRead) { return reason }
            if client.isConnected, !wasConnected {
                wasConnected = true
                for topic in settings.subscriptions { client.subscribe(to: topic) }
                state.withLock { $0.states.startAnew() }
            }
            let acknowledged = client.takeAcknowledged()
            if !acknowledged.isEmpty { arrived() }
            settle(acknowledged, &session)
            for message in client.takeMessages() { hear(self, message.topic, message.payload) }
            guard client.isConnected else { continue }
            send(client, &session)
            guard end.isAsked, isIdle(session) else { continue }
            if sayLast(client, &session) { return goodbye(client) }
        }
    }

    /// Whether states wait to be published.
    private func hasWork(_ client: MosquittoClient, _ session: Session) -> Bool {
        client.isConnected && session.states.count < Self.mostUnderWay && !state.withLock { $0.states.isEmpty }
    }

    private func isIdle(_ session: Session) -> Bool {
        session.numbers.isEmpty && session.states.isEmpty && state.withLock { $0.states.isEmpty }
            && (outbox?.count ?? 0) == 0
    }

    /// Removes messages that the broker has acknowledged.
    private func settle(_ acknowledged: [Int32], _ session: inout Session) {
        for number in acknowledged { session.states.remove(number) }
        outbox?.remove(acknowledged.compactMap { session.numbers.removeValue(forKey: $0) })
    }

    /// Hands over the waiting messages: first the states, so that a receiver that learns of a sighting finds its
    /// picture.
    private func send(_ client: MosquittoClient, _ session: inout Session) {
        while session.states.count < Self.mostUnderWay, let next = state.withLock({ $0.states.takeNext() }) {
            if let number = client.publish(next.payload, to: next.topic, isRetained: true) {
                session.states.insert(number)
            }
        }
        if let outbox { send(outbox, client, &session) }
    }

    private func send(_ outbox: Outbox, _ client: MosquittoClient, _ session: inout Session) {
        let dropped = outbox.takeDropped()
        if dropped > 0 { tell("\(dropped) notices were dropped: they waited for too long, or were too many.") }
        let room = Self.mostUnderWay - session.numbers.count
        guard room > 0 else { return }
        for entry in outbox.next(after: session.last, limit: room) {
            session.last = entry.number
            if let number = client.publish(entry.notice.body, to: entry.notice.topic, isRetained: false) {
                session.numbers[number] = entry.number
            } else {
                tell("A notice of \(entry.notice.body.count) bytes is refused by libmosquitto, and was dropped.")
                outbox.remove([entry.number])
            }
        }
    }

    /// Publishes the states after the end; true once they are acknowledged.
    private func sayLast(_ client: MosquittoClient, _ session: inout Session) -> Bool {
        if session.isOver { return true }
        session.isOver = true
        state.withLock { state in state.states.set(state.lastStates) }
        send(client, &session)
        return false
    }

    private func goodbye(_ client: MosquittoClient) -> String? {
        client.disconnect()
        while client.wantsToWrite, client.work(canRead: false) == nil {}
        return nil
    }

    private func tell(_ text: String) {
        warn(FramegrepError(.noticeFailed, "\(shownName): \(text)"))
    }
}

/// How a client introduces itself to a broker.
public struct BrokerSettings: Sendable {
    public var address: BrokerAddress
    /// Nil for an anonymous connection.
    public var user: String?
    public var password: String?
    /// Of the certificates that are trusted, besides or in place of the system's; nil for the system's.
    public var certificates: String?
    /// Unique among the broker's clients.
    public var clientName: String
    /// Where `online` is published, retained, and `offline` at the end: by the broker if the program disappears.
    public var statusTopic: String
    /// Topics to subscribe to.
    public var subscriptions: [String] = []

    public init(address: BrokerAddress, clientName: String, statusTopic: String) {
        (self.address, self.clientName, self.statusTopic) = (address, clientName, statusTopic)
    }
}

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
                "--mqtt takes the address of a broker: mqtt://host, mqtt://host:1883 or mqtts://host:8883; this is not one."
            )
        }
        guard parts.user == nil, parts.password == nil else {
            throw FramegrepError(
                .badArgument,
                "An address of --mqtt cannot contain a user and password, because other users could see them in the list of programs; "
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
            throw FramegrepError(.badArgument, "The port \(port) of --mqtt is not valid: ports are 1 to 65535.")
        }
    }

    /// The same for the same broker, however it was written.
    public var name: String { "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)" }
}

/// The values that the broker retains for later subscribers, the last of each topic. A value; used under a lock.
///
/// Pictures are kept up to a limit, to be said again at the next connection; of more the first are forgotten here, and stay as the broker
/// has them.
struct RetainedStates {
    private static let mostBytes = 64 << 20
    /// Smaller entries are never dropped.
    private static let smallest = 4096

    private var payloads: [String: [UInt8]] = [:]
    /// In the order in which they were first said.
    private var order: [String] = []
    private var unsent: [String] = []
    private var bytes = 0

    mutating func set(_ states: [WatchStates.State]) {
        for state in states {
            let last = payloads.updateValue(state.payload, forKey: state.topic)
            if last == nil { order.append(state.topic) }
            bytes += state.payload.count - (last?.count ?? 0)
            unsent.removeAll { $0 == state.topic }
            unsent.append(state.topic)
            keepLimit(sparing: state.topic)
        }
    }

    private mutating func keepLimit(sparing newest: String) {
        while bytes > Self.mostBytes,
            let first = order.firstIndex(where: { $0 != newest && payloads[$0]?.count ?? 0 >= Self.smallest })
        {
            let topic = order.remove(at: first)
            bytes -= payloads.removeValue(forKey: topic)?.count ?? 0
            unsent.removeAll { $0 == topic }
        }
    }

    /// The broker may have forgotten all of them.
    mutating func startAnew() { unsent = order }

    /// Publishes a state once more.
    mutating func repeatState(at topic: String) {
        if payloads[topic] != nil, !unsent.contains(topic) { unsent.append(topic) }
    }

    mutating func takeNext() -> WatchStates.State? {
        while !unsent.isEmpty {
            let topic = unsent.removeFirst()
            guard let payload = payloads[topic] else { continue }
            // A removal is handed over once: libmosquitto repeats it until the broker has it, and then there is nothing to keep.
            if payload.isEmpty { forget(topic) }
            return WatchStates.State(topic, payload)
        }
        return nil
    }

    private mutating func forget(_ topic: String) {
        payloads[topic] = nil
        order.removeAll { $0 == topic }
    }

    var isEmpty: Bool { unsent.isEmpty }
}
