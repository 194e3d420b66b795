import Errors
import Foundation
import GStreamerMedia
import Notices
import Spotter
import Synchronization
import TextSpotting
import Threads
import Webhooks

/// Sends sightings to brokers and webhooks: two notices for each, through outboxes that outlive the program.
/// Thread-safe.
///
/// A thread of its own writes notices to the disk and makes pictures, so that no other part waits. Buffering:
/// ``Outbox`` bounds the notices on the disk; only a few pictures wait, and none are taken beyond that.
final class NoticeTargets: EventSink {
    /// The time for which the end waits for receivers that respond; the rest is sent at the next start.
    private static let patience = Duration.seconds(5)

    private struct Hook {
        var sender: WebhookSender
        var outbox: Outbox
        var name: String
    }

    private let job = JobName()
    private let formatter: LiveEventFormatter
    private let queue = SerialQueue("framegrep.notices")
    private let pictures: BestPictures
    private let hooks: [Hook]
    private let broker: BrokerTarget?
    private let warn: NoticeWarning
    private let hasWarned = Mutex(false)

    /// Begins to send notices that were left from the last run.
    ///
    /// - Parameters:
    ///   - sourceName: the name of the source, without passwords.
    ///   - isOneOfMany: whether other sources of this program send notices too, and end at other times.
    ///   - patterns: the patterns.
    ///   - warn: reports failures.
    /// - Returns: nil if there is no receiver.
    /// - Throws: ``FramegrepError`` for an outbox or a broker that cannot be used.
    init?(
        _ options: NoticeTargetOptions, sourceName: String, isOneOfMany: Bool = false, patterns: [String],
        warn: @escaping NoticeWarning
    ) throws(FramegrepError) {
        guard options.isAsked else { return nil }
        self.warn = warn
        formatter = LiveEventFormatter(sourceName: sourceName)
        pictures = BestPictures(on: queue)
        let folder = try OutboxFolder(options.outbox)
        var hooks: [Hook] = []
        for text in options.webhook {
            let address = try WebhookAddress(text)
            let name = redacted(WebhookAddress.shown(text))
            let outbox = try Outbox(in: folder, for: "webhook \(text)", warn: warn)
            let sender = try WebhookSender(
                to: address, key: options.webhookKey, timeout: .nanoseconds(options.webhookTimeout.time.nanoseconds),
                outbox: outbox,
                shownName: name, warn: warn)
            hooks.append(Hook(sender: sender, outbox: outbox, name: name))
        }
        self.hooks = hooks
        broker = try BrokerTarget(
            options, folder, sourceName: sourceName, hasOwnStatus: isOneOfMany, patterns: patterns, warn: warn)
    }

    var wishes: EventWishes { .pictures }

    func take(_ picture: Picture, of sighting: Sighting) { pictures.keep(sighting, picture) }

    /// Takes an event; returns at once.
    func take(_ event: LiveEvent) {
        let now = Date()
        switch event {
        case .appeared(let sighting, _, _):
            queue.start { [self] in appeared(sighting, formatter.object(for: event, now: now)) }
        case .disappeared(let sighting, _):
            queue.start { [self] in disappeared(sighting, formatter.object(for: event, now: now)) }
        case .state(let state, _):
            queue.start { [self] in broker?.source(isThere: [.running, .paused].contains(state)) }
        default: break
        }
    }

    /// Records that the searched words have changed.
    func watch(_ patterns: [String]) {
        queue.start { [self] in broker?.watch(patterns) }
    }

    /// - Parameter change: called with the words received for `patterns/set`, if that is allowed.
    func whenPatternsCome(_ change: @escaping @Sendable ([String]) -> Void) { broker?.whenPatternsCome(change) }

    private func appeared(_ sighting: Sighting, _ event: JSONObject) {
        let notice = SightingNotice(.appeared, of: sighting.id, in: job, event: event)
        let held = SightingNotice.interruption(of: sighting.id, in: job, appeared: event)
        for hook in hooks {
            note(hook.outbox.add(notice.notice(), holding: held.notice()))
            hook.sender.ring()
        }
        if let broker { note(broker.appeared(sighting, notice, held)) }
    }

    private func disappeared(_ sighting: Sighting, _ event: JSONObject) {
        let picture = pictures.take(sighting.id)
        let notice = SightingNotice(.disappeared, of: sighting.id, in: job, event: event)
        for hook in hooks {
            note(hook.outbox.add(notice.notice(picture: picture.map { SightingNotice.Picture(jpeg: $0) })))
            hook.sender.ring()
        }
        if let broker { note(broker.disappeared(sighting, notice, picture)) }
    }

    /// Warns once that notices wait only in memory, with the reason.
    private func note(_ failure: FramegrepError?) {
        guard let failure else { return }
        let isFirst = hasWarned.withLock { $0.raise() }
        if isFirst { warn(failure) }
    }

    /// Returns when all notices are sent, or the receivers no longer respond; reports how many are left for the next
    /// start.
    func finish() async {
        await queue.run {}
        await withTaskGroup(of: Void.self) { group in
            for hook in hooks { group.addTask { await hook.sender.finish(within: Self.patience) } }
            if let broker { group.addTask { await broker.finish(within: Self.patience) } }
        }
        let outboxes = hooks.map { ($0.outbox, $0.name) } + (broker.map { [($0.outbox, $0.name)] } ?? [])
        let left = await queue.run { outboxes.map { ($0.count, $0.unsavedCount, $1) } }
        for (count, unsaved, name) in left {
            warnOfRest(
                count - unsaved, name,
                "They wait, and are sent the next time framegrep notifies this receiver.")
            warnOfRest(unsaved, name, "They are lost, because there was no room for them on the disk.")
        }
    }

    private func warnOfRest(_ count: Int, _ name: String, _ fate: String) {
        guard count > 0 else { return }
        let notices = count == 1 ? "notice was" : "notices were"
        warn(FramegrepError(.noticeFailed, "\(name): \(count) \(notices) not delivered. \(fate)"))
    }
}

/// The best picture of each sighting in view, as a JPEG file, made on a thread of its own. Thread-safe.
///
/// Buffering: frames are large, so only a few wait to be encoded; beyond that, a sighting keeps the picture it has. The
/// encoded files are small, but there may be one for each word; beyond the limit in bytes, a sighting has no picture.
final class BestPictures: Sendable {
    private static let mostWaiting = 8
    /// The size of two frames of 3840×2160.
    private static let mostWaitingBytes = 64 << 20
    private static let mostEncodedBytes = 32 << 20

    private struct State {
        /// The best frame so far of each sighting, until it is encoded.
        var waiting: [Int: (sighting: Sighting, frame: Picture)] = [:]
        var encoded: [Int: [UInt8]] = [:]

        /// Returns whether one more frame may wait for this sighting.
        func hasRoom(for frame: Picture, of id: Int) -> Bool {
            if waiting[id] != nil { return true }
            let bytes = waiting.values.reduce(frame.bytes.count) { $0 + $1.frame.bytes.count }
            return waiting.isEmpty || waiting.count < BestPictures.mostWaiting && bytes <= BestPictures.mostWaitingBytes
        }
    }

    private let queue: SerialQueue
    private let state = Mutex(State())

    /// - Parameter queue: makes the pictures, and the notices that include them.
    init(on queue: SerialQueue) { self.queue = queue }

    /// Takes a frame that shows a sighting better than any before; returns at once.
    func keep(_ sighting: Sighting, _ frame: Picture) {
        let isFirst = state.withLock { state in
            guard state.hasRoom(for: frame, of: sighting.id) else { return false }
            return state.waiting.updateValue((sighting, frame), forKey: sighting.id) == nil
        }
        // If a frame is already waiting, this one takes its turn.
        guard isFirst else { return }
        queue.start { [self] in encode(sighting.id) }
    }

    private func encode(_ id: Int) {
        guard let next = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        // A notice without a picture is better than none.
        guard let bytes = try? SightingDrawing.jpeg(next.sighting, in: next.frame) else { return }
        state.withLock { state in
            let others = state.encoded.reduce(0) { $0 + ($1.key == id ? 0 : $1.value.count) }
            if others + bytes.count <= Self.mostEncodedBytes { state.encoded[id] = bytes }
        }
    }

    /// Returns the picture of a sighting that is over. Call it on the queue.
    func take(_ id: Int) -> [UInt8]? {
        encode(id)
        return state.withLock { $0.encoded.removeValue(forKey: id) }
    }
}
