import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting
import Threads

/// One camera or stream that the page watches, and its job, which is restarted whenever it fails. Thread-safe.
final class WatchedSource: Sendable {
    private struct State {
        var known = WatchState()
        var process: LiveJobProcess?
        var words: JobPlan.Search
        var look = ViewerCommand.Look()
        var isOver = false
        /// A bell for each request whose readings are not in the index yet, in order, even if its caller no longer
        /// waits.
        var keepers: [TaskWakeEvent] = []
    }

    /// The number from 1, in the order of the command line.
    let number: Int
    /// The name without passwords.
    let name: String
    private let program: String
    private let job: JobPlan
    private let state: Mutex<State>
    private let supervisor = Supervisor(pauses: Backoff(first: .seconds(1), longest: .seconds(30)))

    init(_ number: Int, _ source: String, _ settings: WatchSettings, index: String) {
        self.number = number
        name = redacted(source)
        program = settings.program
        job = settings.job(of: source, index: index)
        state = Mutex(State(words: JobPlan.Search(settings.words, settings.manner)))
    }

    var known: WatchState { state.withLock { $0.known } }

    func noteFrames(sent: Int = 0, dropped: Int = 0) {
        state.withLock { state in
            state.known.framesSent += sent
            state.known.framesDropped += dropped
        }
    }

    // MARK: Commands to it

    func look(_ look: ViewerCommand.Look) {
        state.withLock { state in
            guard state.look != look else { return }
            state.look = look
            // Send it under the lock, so that the job gets changes in the order in which they are stored; nothing
            // waits.
            state.process?.tell(ViewerCommand(look: look))
        }
    }

    func search(for words: JobPlan.Search) {
        state.withLock { state in
            state.words = words
            // Under the lock, as above.
            state.process?.tell(ViewerCommand(words: words))
        }
    }

    func needsKey() { state.withLock { $0.process }?.tell(ViewerCommand(needsKey: true)) }

    /// Returns when the readings so far are in the index, or cannot be soon.
    ///
    /// - Parameter patience: the time for which a search waits.
    func keep(atMost patience: Duration = .seconds(2)) async {
        let bell = TaskWakeEvent()
        let isAsked = state.withLock { state in
            guard !state.isOver, let process = state.process, state.known.state == "running" else { return false }
            // The answer to a command that has timed out may still come, and must not be taken for that to the next.
            state.keepers.append(bell)
            // Under the lock, so that the answers come in the order of the waiting tasks.
            process.tell(ViewerCommand(keep: true))
            return true
        }
        if isAsked { await bell.wait(atMost: patience) }
    }

    /// Handles the completion of the first keeper's request.
    private func releaseFirstKeeper() {
        state.withLock { $0.keepers.isEmpty ? nil : $0.keepers.removeFirst() }?.ring()
    }

    private func releaseKeepers() {
        let keepers = state.withLock { state in
            defer { state.keepers = [] }
            return state.keepers
        }
        for keeper in keepers { keeper.ring() }
    }

    // MARK: Its job

    /// Runs its job until ``finish()`` or until the source is over.
    ///
    /// - Parameter deliver: called with everything that the job sends, on one thread.
    func run(_ deliver: @escaping @Sendable (ViewerRecord) -> Void) async {
        await supervisor.run {
            try await DedicatedThread.run(named: "camera \(number)") { [self] in try runOnce(deliver) }
        } failed: { error, pause in
            guard pause != nil else { return }
            // The job cannot report these states itself.
            state.withLock { $0.known.become("failed", (error as? PageProblem)?.message ?? "\(error)") }
            deliver(stateRecord)
        }
    }

    /// Blocks until its job has ended.
    ///
    /// - Returns: false when the source is over.
    /// - Throws: ``PageProblem`` if the job failed.
    private func runOnce(_ deliver: (ViewerRecord) -> Void) throws -> Bool {
        // Not as arguments, which every user of the machine can see: an address may contain a password.
        let process = try LiveJobProcess(program, ["framegrep", "feed-page"])
        process.tell(job)
        let isWanted = state.withLock { state in
            guard !state.isOver else { return false }
            state.process = process
            state.known.starts += 1
            process.tell(ViewerCommand(look: state.look, words: state.words))
            return true
        }
        guard isWanted else { return false }
        while let record = process.next() { hear(record, deliver) }
        state.withLock { $0.process = nil }
        releaseKeepers()
        let (isOver, hasEnded) = state.withLock { ($0.isOver, $0.known.state == "ended") }
        // A recording ends on its own.
        guard !isOver, !hasEnded else { return false }
        let reason = process.complaint
        throw PageProblem(
            503, reason.isEmpty ? "The process that watched it crashed, and is started again." : redacted(reason))
    }

    private func hear(_ record: ViewerRecord, _ deliver: (ViewerRecord) -> Void) {
        var record = record
        record.source = number
        guard record.kind == .event else { return deliver(record) }
        let type = state.withLock { $0.known.hear(record.head) }
        if type == "kept" { return releaseFirstKeeper() }
        if type != nil { deliver(record) }
    }

    /// The state as an event, which later viewers get too.
    var stateRecord: ViewerRecord {
        let known = known
        var object = JSONObject(type: "state")
        object.add("source", name)
        object.add("t", json: "null")
        object.add("wall", WallTime.text(Date()))
        object.add("state", known.state)
        object.add("message", known.message)
        return ViewerRecord(.event, source: number, head: object.text)
    }

    /// Ends its job cleanly; it is not started again.
    func finish() {
        let process = state.withLock { state in
            state.isOver = true
            return state.process
        }
        supervisor.end()
        process?.finish()
    }

    /// Kills its job if it still runs after ``finish()``.
    func end() { state.withLock { $0.process }?.end() }
}

/// The state of a watched source: values only.
struct WatchState: Sendable {
    /// Its activity, in the words of the `state` event (docs/EVENTS.md).
    var state = "opening"
    /// The reason, for a user.
    var message = ""
    /// The most recent `appeared` events, the newest at the end.
    var appeared: [String] = []
    /// The number of sightings so far.
    var sightings = 0
    /// The figures of the last second.
    var framesIn = 0.0
    var framesRead = 0.0
    var skipped = 0
    /// Frames that the job was too slow to take.
    var lost = 0
    /// The number of times that its job was started.
    var starts = 0
    /// The number of frames for browsers, including those that they were too slow to take.
    var framesSent = 0
    var framesDropped = 0

    /// The largest number of events that are kept.
    static let mostAppeared = 200

    /// Applies an event.
    ///
    /// - Returns: its type; nil if it is not an event.
    mutating func hear(_ event: String) -> String? {
        guard let object = try? JSONDecoder().decode(Event.self, from: Data(event.utf8)) else { return nil }
        switch object.type {
        case "state": become(object.state ?? state, object.message ?? "")
        case "appeared":
            sightings += 1
            appeared.append(event)
            if appeared.count > Self.mostAppeared { appeared.removeFirst() }
        case "stats":
            framesIn = object.fps_in ?? 0
            framesRead = object.fps_read ?? 0
            skipped = object.skipped ?? skipped
            lost = object.dropped ?? lost
        default: break
        }
        return object.type
    }

    mutating func become(_ state: String, _ message: String) {
        (self.state, self.message) = (state, message)
        if state != "running" { (framesIn, framesRead) = (0, 0) }
    }

    private struct Event: Decodable {
        var type: String
        var state: String?
        var message: String?
        var fps_in: Double?
        var fps_read: Double?
        var skipped, dropped: Int?
    }
}
