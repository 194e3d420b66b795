import Errors
import Foundation
import Processes
import Synchronization
import TextIndex
public import TextSpotting
import Threads

/// A picture of a moment of a recording.
public struct DecodedPicture: Sendable {
    /// The bytes of a PNG file.
    public var bytes: [UInt8]
    /// The width of the recording as displayed, in pixels; the picture itself may be smaller.
    public var width: Int
    public var height: Int
}

/// Makes pictures of moments of recordings, two at a time, and keeps the last ones. It uses separate processes, because
/// decoders are large C libraries, and some damaged recordings crash them. Thread-safe.
public final class PictureManager: Sendable {
    private struct State {
        /// The processes that wait for work, the last used at the end, each with the recording that it has open.
        var idle: [(process: ChildProcess, path: String, since: ContinuousClock.Instant)] = []
        var kept: [(job: MediaJob, tag: String, picture: DecodedPicture)] = []
        var made = 0
    }

    private static let mostKept = 32 << 20
    /// The largest size of a picture, in bytes: the length comes from a process that may decode hostile data.
    private static let longest = 64 << 20
    /// The longest time that a picture may take.
    private static let patience = Duration.seconds(15)

    private let program: String
    private let slots = Slots(2, mostWaiting: 200)
    private let state = Mutex(State())

    /// - Parameter program: the path of the program that is started to decode, which must pass ``MediaWork/option`` to
    ///   ``MediaWorker``.
    public init(program: String) { self.program = program }

    /// The number of pictures that were made.
    var made: Int { state.withLock { $0.made } }

    /// - Parameter tag: the tag of the file's state: pictures of another state are not shown again.
    ///
    /// - Throws: ``PageProblem`` with the reason if it cannot be made; `CancellationError`.
    func picture(_ job: MediaJob, tag: String) async throws -> DecodedPicture {
        if let known = recall(job, tag) { return known }
        return try await slots.withSlot { [self] in
            if let known = recall(job, tag) { return known }
            let picture = try await make(job)
            keep(job, tag, picture)
            return picture
        }
    }

    private func make(_ job: MediaJob) async throws -> DecodedPicture {
        let process = try worker(for: job.path)
        let line = try job.line()
        // This does not end when the request is cancelled: the next request can use an open recording.
        let asking = Task {
            try await DedicatedThread.runUnlessCancelled(named: "framegrep-ask") {
                () -> (head: PictureHead, bytes: [UInt8])? in
                guard process.write(line),
                    let head = PipeBytes.read(PictureHead.size, from: process.output).map(PictureHead.init),
                    head.length <= Self.longest
                else { return nil }
                return PipeBytes.read(head.length, from: process.output).map { (head, $0) }
            }
        }
        let watch = Task { [patience = Self.patience] in
            try await Task.sleep(for: patience)
            process.end()
            // A process that waits for a lost disk does not end; it is abandoned, together with the thread that waits
            // for it.
            try await Task.sleep(for: .seconds(1))
            asking.cancel()
        }
        defer { watch.cancel() }
        let answer = try? await asking.value
        guard let answer else {
            throw PageProblem(500, "The recording cannot be decoded here: the decoder crashed or took too long.")
        }
        giveBack(process, job.path)
        guard answer.head.isPicture else {
            throw PageProblem(500, String(decoding: answer.bytes, as: UTF8.self))
        }
        return DecodedPicture(bytes: answer.bytes, width: answer.head.width, height: answer.head.height)
    }

    // MARK: Processes

    private func worker(for path: String) throws -> ChildProcess {
        endIdle(since: .seconds(60))
        while let process = takeIdle(for: path) {
            // It may have died meanwhile.
            if process.isRunning { return process }
        }
        return try MediaWork.pictures.start(program)
    }

    private func takeIdle(for path: String) -> ChildProcess? {
        state.withLock { state -> ChildProcess? in
            guard !state.idle.isEmpty else { return nil }
            return state.idle.remove(at: state.idle.lastIndex { ExactName($0.path) == ExactName(path) } ?? 0).process
        }
    }

    /// Ends processes that have been idle for this long. Outside the lock, because this waits for their end.
    private func endIdle(since patience: Duration) {
        let old = state.withLock { state in
            let now = ContinuousClock.now
            let old = state.idle.filter { now - $0.since > patience }
            state.idle.removeAll { now - $0.since > patience }
            return old
        }
        withExtendedLifetime(old) {}
    }

    private func giveBack(_ process: ChildProcess, _ path: String) {
        state.withLock { state in
            state.made += 1
            state.idle.append((process, path, .now))
        }
    }

    /// Ends processes that have been idle for a while.
    public func rest() { endIdle(since: .seconds(30)) }

    // MARK: Earlier pictures

    private func recall(_ job: MediaJob, _ tag: String) -> DecodedPicture? {
        state.withLock { state in state.kept.last { $0.job == job && $0.tag == tag }?.picture }
    }

    private func keep(_ job: MediaJob, _ tag: String, _ picture: DecodedPicture) {
        state.withLock { state in
            state.kept.append((job, tag, picture))
            while state.kept.reduce(0, { $0 + $1.picture.bytes.count }) > Self.mostKept { state.kept.removeFirst() }
        }
    }
}

extension PictureManager {
    /// Makes the picture that is shown at a time.
    ///
    /// - Parameters:
    ///   - path: the recording's file.
    ///   - time: nil for a still picture.
    ///   - width: the largest width of the picture, in pixels.
    ///   - boxes: the places to draw boxes at, in pixels of the recording as displayed.
    /// - Throws: ``FramegrepError`` (`sourceDamaged`) with the reason there is none; `CancellationError`.
    public func picture(
        of path: String, at time: StreamTime?, width: Int, boxes: [Quad]
    ) async throws -> DecodedPicture {
        var job = MediaJob(path: path, time: time?.seconds, width: width)
        job.boxes = boxes.map { $0.corners.flatMap { [$0.x, $0.y] } }
        do {
            let tag = try await Blocking.run { _ in
                FileStamp(path: path).map { "\($0.size)-\($0.modified)-\($0.inode)" } ?? ""
            }
            return try await picture(job, tag: tag)
        } catch let problem as PageProblem {
            throw FramegrepError(.sourceDamaged, problem.message)
        }
    }
}
