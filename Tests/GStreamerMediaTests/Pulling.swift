import Errors
import GStreamerMedia
import Synchronization
import TextSpotting

/// Calls `body` with every frame of a short pipeline on a dedicated thread, and then stops the pipeline.
func pullAll(_ description: String, _ body: @escaping @Sendable (borrowing Sample) throws -> Void) async throws {
    let pipeline = try Pipeline(parsing: description)
    let frames = try pipeline.appSink(named: "frames")
    try frames.configure(maxBuffers: 2, drop: false, sync: false)
    _ = try await pipeline.prepare()
    try await pipeline.play()
    let result = await onThread {
        Result {
            while case .sample(let sample) = frames.pull(timeout: .seconds(30)) { try body(sample) }
        }
    }
    await pipeline.stop()
    try result.get()
}

/// Returns the results of `make` for each frame.
func collect<Value: Sendable>(
    _ description: String, _ make: @escaping @Sendable (borrowing Sample) throws -> Value
) async throws -> [Value] {
    let values = Mutex<[Value]>([])
    try await pullAll(description) { sample in
        let value = try make(sample)
        values.withLock { $0.append(value) }
    }
    return values.withLock { $0 }
}

/// Returns the ``FramegrepError`` that `body` throws; nil if it throws none or another error.
func framegrepError(_ body: () async throws -> Void) async -> FramegrepError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? FramegrepError
    }
}

/// Discards remaining frames; returns false if no more arrive before the end of the stream.
func drainToTheEnd(_ sink: AppSink) -> Bool {
    while true {
        switch sink.pull(timeout: .seconds(30)) {
        case .sample: continue
        case .endOfStream: return true
        case .timedOut: return false
        }
    }
}
