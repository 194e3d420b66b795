import Foundation
import Processes
import Synchronization

/// Starts the processes that make clips, and keeps one ready if a clip may be requested soon, because loading decoders
/// and encoders takes half of the time until a clip's first picture. Thread-safe.
final class ClipManager: Sendable {
    private struct State {
        var ready: (process: ChildProcess, since: ContinuousClock.Instant)?
        var isStarting = false
    }

    /// The time after the beginning of a clip before the next process is started, so that the clip has the processors.
    private static let pause = Duration.seconds(3)
    private static let patience = Duration.seconds(90)

    private let program: String
    private let state = Mutex(State())

    /// - Parameter program: the program that decodes.
    init(program: String) { self.program = program }

    /// Returns a process that waits for its clip: the idle one, or else a new one.
    func process() throws(PageProblem) -> ChildProcess {
        let ready = state.withLock { state in
            defer { state.ready = nil }
            return state.ready?.process
        }
        if let ready, ready.isRunning { return ready }
        return try MediaWork.clip.start(program)
    }

    /// Starts a process unless one is ready; returns at once. Failures are reported when a clip is requested.
    func prepare(after pause: Duration = .zero) {
        let isNeeded = state.withLock { state in
            state.ready?.since = .now
            guard state.ready == nil, !state.isStarting else { return false }
            state.isStarting = true
            return true
        }
        guard isNeeded else { return }
        Task { [self] in
            try? await Task.sleep(for: pause)
            let process = try? await Blocking.run { [program] _ in try MediaWork.clip.start(program) }
            state.withLock { state in
                state.ready = process.map { ($0, .now) }
                state.isStarting = false
            }
        }
    }

    /// Does the same after a clip was begun, for the next one.
    func prepareNext() { prepare(after: Self.pause) }

    /// Ends the process if it has been idle for a while.
    func rest() {
        // Released outside the lock, because this waits for the end of the process.
        let old = state.withLock { state -> ChildProcess? in
            guard let ready = state.ready, ContinuousClock.now - ready.since > Self.patience else { return nil }
            state.ready = nil
            return ready.process
        }
        withExtendedLifetime(old) {}
    }
}

/// A clip that another process is writing. Ends the process with the last reference.
final class ClipChunks: ChunkSource {
    private let process: ChildProcess
    private let slot: Slots.Held

    /// - Parameters:
    ///   - manager: provides the process that decodes.
    ///   - slots: one of these is held until this is released.
    init(_ manager: ClipManager, _ job: MediaJob, in slots: Slots) async throws {
        slot = try await slots.hold()
        let process = try manager.process()
        let line = try job.line()
        guard try await Blocking.run({ _ in process.write(line) }) else {
            throw PageProblem(500, "The recording cannot be decoded here.")
        }
        self.process = process
        manager.prepareNext()
    }

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            let (bytes, isWhole) = try await Blocking.run { [process] _ in
                let bytes = PipeBytes.readSome(64 << 10, from: process.output) ?? []
                return (bytes, !bytes.isEmpty || process.wait() == .exited(0))
            }
            // Without an end the connection breaks, which shows the browser that the clip is incomplete.
            guard isWhole else { throw PageProblem(500, "The clip could not be completed.") }
            return bytes.isEmpty ? nil : bytes
        } onCancel: {
            process.end()
        }
    }
}
