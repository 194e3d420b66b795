internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs blocking work on a dedicated thread, so that Swift's shared pool, which has as many threads as the machine has
/// cores, never waits.
public enum DedicatedThread {
    /// The least size of a stack, in bytes. Variables of libraries that each thread has of its own lie in it too, and a thread whose stack
    /// they fill is not started: OpenBLAS, which OpenCV needs in Ubuntu 26.04, has 60 KB of them.
    public static let leastStackSize = 256 << 10

    /// Runs `body` on a new thread named `name` and returns its result.
    ///
    /// Cancelling the task does not stop `body`; give it its own way to notice that.
    /// - Throws: ``OutOfThreads``, or what `body` throws.
    public static func run<Result: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try start(named: name) { continuation.resume(with: Swift.Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// The same for work that may never return, as with a driver: cancelling the task abandons the thread.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled, ``OutOfThreads``, or what `body` throws.
    public static func runUnlessCancelled<Result: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let waiter = Mutex<CheckedContinuation<Result, any Error>?>(nil)
        @Sendable func finish(_ result: Swift.Result<Result, any Error>) {
            waiter.withLock { $0.take() }?.resume(with: result)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.withLock { $0 = continuation }
                guard !Task.isCancelled else { return finish(.failure(CancellationError())) }
                do {
                    try start(named: name) { finish(Swift.Result { try body() }) }
                } catch {
                    finish(.failure(error))
                }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Runs `body` on a new thread and returns at once; the thread ends when `body` returns.
    ///
    /// - Parameters:
    ///   - name: debuggers show its first 15 bytes.
    ///   - stackSize: in bytes, at least ``leastStackSize``.
    public static func start(
        named name: String, stackSize: Int = 1 << 20, _ body: @escaping @Sendable () -> Void
    ) throws(OutOfThreads) {
        let life = Unmanaged.passRetained(ThreadLife(name: name, body: body))
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        var thread = pthread_t()
        guard pthread_attr_setstacksize(attributes, stackSize) == 0,
            pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED)) == 0,
            pthread_create(&thread, attributes, live, life.toOpaque()) == 0
        else {
            life.release()
            throw OutOfThreads(name: name)
        }
    }
}

/// The system allows the program no more threads.
public struct OutOfThreads: Error, CustomStringConvertible {
    /// Of the thread that could not be started.
    public let name: String

    public var description: String {
        "The system allows no more threads, so '\(name)' could not be started; end other programs, or raise the limit of 'ulimit -u'."
    }
}

/// The work of a thread, from its first instruction to its last.
private final class ThreadLife: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// Called by the system on the new thread, which owns its ``ThreadLife``.
private func live(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let life = Unmanaged<ThreadLife>.fromOpaque(argument).takeRetainedValue()
    // This names the thread that writes it (proc(5)). A failure changes nothing else.
    if let file = fopen("/proc/thread-self/comm", "w") {
        fputs(life.name, file)
        fclose(file)
    }
    life.body()
    return nil
}

/// Runs blocking calls on a dedicated thread, one after the other in the order in which they were requested.
///
/// On Swift's shared pool, which is only as wide as the machine has cores, they would hold up everything else. A serial
/// Dispatch queue has its own overcommitting thread, and none while it is idle.
public final class SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: as debuggers show it.
    public init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `work` there and suspends, without holding a thread, until it has returned.
    ///
    /// Not cancellable: work that has begun must end.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs `work` there and returns at once.
    public func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Runs `work` there after a time.
    public func start(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let milliseconds = delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds)), execute: work)
    }
}
