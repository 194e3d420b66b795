import Foundation
import Processes
import Spotter
import Synchronization

/// Hides findings in a recording of the index, one recording at a time, by `framegrep redact` in a process of its own.
/// Thread-safe.
///
/// Everything is written into a temporary folder that only this user can read. The folder is removed with the
/// redaction: when its browser ends it, begins another, signs out, or has not asked for half an hour, and when the
/// server ends.
final class RedactionManager: Sendable {
    /// The progress of a redaction.
    enum Stage: String, Sendable {
        /// The recording is being searched.
        case searching
        /// The plan of what would be hidden is ready.
        case planned
        /// The copy is being written and searched again.
        case hiding
        case ready
        case failed

        fileprivate var isBusy: Bool { self == .searching || self == .hiding }
    }

    /// The current state of one redaction.
    struct Redaction: Sendable {
        let id: String
        fileprivate let session: String
        fileprivate let recording: String
        fileprivate let search: JobPlan.Search
        fileprivate let folder: String
        /// The name of the copy for browsers.
        let copyName: String
        var stage = Stage.searching
        /// The reason it failed; otherwise empty.
        var message = ""
        fileprivate var process: ChildProcess?
        fileprivate var asked = ContinuousClock.now

        fileprivate mutating func become(_ stage: Stage, _ process: ChildProcess?, _ message: String = "") {
            (self.stage, self.process, self.message) = (stage, process, message)
        }

        var plan: String { folder + "/plan.jsonl" }
        fileprivate var edited: String { folder + "/edited.jsonl" }
        fileprivate var complaints: String { folder + "/complaints" }
        var copy: String { folder + "/copy." + (copyName.split(separator: ".").last ?? "mkv") }
    }

    private let program: String
    private let current = Mutex<Redaction?>(nil)
    private let work = DispatchQueue(label: "framegrep.page.redaction", attributes: .concurrent)

    /// The time without a request after which a redaction ends.
    private static let patience = Duration.seconds(1800)
    /// The largest size of a plan that is read.
    private static let mostPlan = 32 << 20

    /// - Parameter program: the path of `framegrep`.
    init(program: String) { self.program = program }

    deinit { end() }

    // MARK: Steps

    /// Begins to search for what to hide.
    ///
    /// - Throws: ``PageProblem`` (409) while another browser has one in progress, (503) if no process can be started.
    func begin(
        _ question: SearchQuestion, in recording: String, isStill: Bool, session: String
    ) throws(PageProblem) -> Redaction {
        var template = Array((NSTemporaryDirectory() + "framegrep-page-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PageProblem(503, "No temporary folder can be made: \(String(cString: strerror(errno))).")
        }
        let folder = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let redaction = Redaction(
            id: Self.number(), session: session, recording: recording,
            search: JobPlan.Search(question.patterns, question.manner), folder: folder,
            copyName: Self.copyName(of: recording, isStill: isStill))
        // Do this together with the check, so that only one of two browsers begins.
        let (isTaken, oldFolder) = current.withLock { current -> (Bool, String?) in
            if let known = current, known.stage.isBusy, known.session != session { return (false, nil) }
            current?.process?.send(SIGKILL)
            defer { current = redaction }
            return (true, current?.folder)
        }
        guard isTaken else {
            try? FileManager.default.removeItem(atPath: folder)
            throw PageProblem(
                409, "Something is being hidden for another browser; try again later.", headers: [("Retry-After", "30")]
            )
        }
        if let oldFolder { try? FileManager.default.removeItem(atPath: oldFolder) }
        do throws(PageProblem) {
            try start(redaction, .planHiding(redaction.search, into: redaction.plan), .searching, then: .planned)
        } catch {
            end { $0.id == redaction.id }
            throw error
        }
        return redaction
    }

    /// Writes the copy.
    ///
    /// - Parameter left: the numbers of the things that stay visible. If there are none, the copy is searched again;
    ///   otherwise it cannot be, because these would be found.
    /// - Throws: ``PageProblem`` (409) before it is known what to hide.
    func hide(_ id: String, without left: Set<Int>, session: String) throws(PageProblem) -> Redaction {
        _ = try redaction(id, session: session)
        // Do this together with the check, so that only one of two requests begins.
        let known = current.withLock { current -> Redaction? in
            guard let known = current, known.id == id, known.stage == .planned || known.stage == .ready else {
                return nil
            }
            current?.become(.hiding, nil)
            return known
        }
        guard let known else { throw PageProblem(409, "The search for what to hide is not over yet.") }
        unlink(known.copy)
        do throws(PageProblem) {
            if !left.isEmpty { try edit(known, without: left) }
            try start(
                known,
                left.isEmpty
                    ? .hide(known.search, into: known.copy) : .hidePlanned(plan: known.edited, into: known.copy),
                .hiding, then: .ready)
        } catch {
            // The plan still exists.
            current.withLock { if $0?.id == id { $0?.become(.planned, nil) } }
            throw error
        }
        return try redaction(id, session: session)
    }

    /// - Throws: ``PageProblem`` (404) if this browser has no redaction of that number.
    func redaction(_ id: String, session: String) throws(PageProblem) -> Redaction {
        let known = current.withLock { current -> Redaction? in
            guard current?.id == id, current?.session == session else { return nil }
            current?.asked = .now
            return current
        }
        guard let known else { throw PageProblem(404, "There is no such redaction (any more).") }
        return known
    }

    /// Ends the current redaction, and removes its files.
    ///
    /// - Parameter session: the session that it must belong to; nil for any.
    func end(of session: String? = nil) { end { session == nil || $0.session == session } }

    /// Ends a redaction that was not requested for long; call this now and then.
    func rest() { end { ContinuousClock.now - $0.asked > Self.patience } }

    private func end(where isMeant: @Sendable (Redaction) -> Bool) {
        let folder = current.withLock { current -> String? in
            guard let known = current, isMeant(known) else { return nil }
            known.process?.send(SIGKILL)
            current = nil
            return known.folder
        }
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    // MARK: The process

    private func start(
        _ redaction: Redaction, _ job: JobPlan.Work, _ stage: Stage, then next: Stage
    ) throws(PageProblem) {
        let errors = open(redaction.complaints, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard errors >= 0 else { throw PageProblem(503, "The temporary folder is gone.") }
        defer { close(errors) }
        let process: ChildProcess
        do {
            process = try JobPlan(job, of: [redaction.recording]).start(
                program, output: .nothing, errors: .descriptor(errors))
        } catch {
            throw PageProblem(503, "\(program) cannot be started: \(error).")
        }
        let isWanted = current.withLock { current in
            guard current?.id == redaction.id else { return false }
            current?.become(stage, process)
            return true
        }
        if !isWanted { process.send(SIGKILL) }
        work.async { [self] in finish(redaction, process, next) }
    }

    /// Waits for a process, on a thread of its own.
    private func finish(_ redaction: Redaction, _ process: ChildProcess, _ next: Stage) {
        // 0: something was hidden. 1: nothing was found.
        let isDone = process.wait().status < 2
        let message = isDone ? "" : Self.lastLine(of: redaction.complaints)
        // It is still busy, so nothing else has begun with it since.
        let isKept = current.withLock { current in
            guard current?.id == redaction.id, current?.process === process else { return false }
            current?.become(isDone ? next : .failed, nil, message)
            return true
        }
        // It may have written something after its folder was removed.
        if !isKept, current.withLock({ $0?.folder != redaction.folder }) {
            try? FileManager.default.removeItem(atPath: redaction.folder)
        }
    }

    private static func lastLine(of path: String) -> String {
        let text = (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let line = text.split(separator: "\n").last.map { String($0.prefix(1000)) } ?? "It ended without saying why."
        return line.hasPrefix("framegrep: ") ? String(line.dropFirst(11)) : line
    }

    // MARK: Plans

    /// Returns the lines of the plan.
    ///
    /// - Throws: ``PageProblem`` (409) while there is none.
    func lines(_ redaction: Redaction) throws(PageProblem) -> [String] {
        guard redaction.stage != .searching,
            let size = try? FileManager.default.attributesOfItem(
                atPath: redaction.plan)[.size] as? Int, size <= Self.mostPlan,
            let data = FileManager.default.contents(atPath: redaction.plan)
        else { throw PageProblem(409, "The search for what to hide is not over yet.") }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func edit(_ redaction: Redaction, without left: Set<Int>) throws(PageProblem) {
        struct Thing: Decodable { var id: Int? }
        let kept = try lines(redaction).filter { line in
            let thing = try? JSONDecoder().decode(Thing.self, from: Data(line.utf8))
            return thing?.id.map { !left.contains($0) } ?? true
        }
        let descriptor = open(redaction.edited, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, PipeBytes.write(Array((kept.joined(separator: "\n") + "\n").utf8), to: descriptor) else {
            throw PageProblem(503, "The plan cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    /// Returns a number that cannot be guessed.
    private static func number() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }

    /// Returns a name of a type that `redact` writes.
    private static func copyName(of recording: String, isStill: Bool) -> String {
        // By bytes: as text, a slash and a mark behind it are one letter.
        let name = recording.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? "copy"
        let (base, ending) =
            name.lastIndex(of: ".").map {
                (String(name[..<$0]), name[name.index(after: $0)...].lowercased())
            } ?? (name, "")
        let known = isStill ? ["png", "jpg", "jpeg"] : ["mp4", "mov", "mkv", "webm"]
        return "\(base)-clean.\(known.contains(ending) ? ending : isStill ? "png" : "mkv")"
    }
}
