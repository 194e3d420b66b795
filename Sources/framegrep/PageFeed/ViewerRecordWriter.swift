import Foundation
import Spotter
import Synchronization
import Threads

/// Writes records for the page's server, one after the other. Thread-safe; callers never wait.
///
/// Buffering: one frame at a time, and as many events as the job has; a server that reads nothing for long is not there.
final class ViewerRecordWriter: Sendable {
    private struct State {
        var frames = 0
        var isGone = false
        var gone: (@Sendable () -> Void)?
        var free: (@Sendable () -> Void)?
    }

    private let descriptor: Int32
    private let queue = SerialQueue("framegrep.feed")
    private let state = Mutex(State())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Sets the action for when the reader is gone.
    func whenGone(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.gone = action } }

    /// Has something done whenever there is room for a frame again.
    func whenFree(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.free = action } }

    /// The frame before is written: there is room for the next.
    var hasRoom: Bool { state.withLock { $0.frames == 0 } }

    func write(_ record: ViewerRecord) {
        let isFrame = record.kind != .event
        state.withLock { if isFrame { $0.frames += 1 } }
        queue.start { [self] in
            let isGone = state.withLock { $0.isGone }
            let failure = isGone ? nil : record.bytes.withUnsafeBufferPointer { WholeWrite.write($0, to: descriptor) }
            let (gone, free) = state.withLock { state in
                if isFrame { state.frames -= 1 }
                let isNew = failure != nil && !state.isGone
                if isNew { state.isGone = true }
                return (isNew ? state.gone : nil, isFrame && state.frames == 0 ? state.free : nil)
            }
            gone?()
            free?()
        }
    }

    /// Returns when all is written.
    func finish() async { await queue.run {} }
}
