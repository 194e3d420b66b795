import GStreamerMedia
import Spotter
import Synchronization
import Threads

/// The queue of events and frames of all sources for one browser. Thread-safe.
///
/// Buffering: bounded. A browser that is slower than the cameras loses frames: of H.264 everything up to the next key
/// frame, of JPEG all but the newest. Events stay in order, and the job never waits.
final class StreamQueue: Sendable {
    private struct Item {
        var record: ViewerRecord
        var size: Int
    }

    private struct State {
        var items: [Item] = []
        var size = 0
        /// Sources that have sent a key frame, so that their next frame can be decoded.
        var begun: Set<Int> = []
        var isClosed = false
    }

    /// The result of adding a frame.
    enum Outcome {
        case taken
        case dropped
        /// Frames before it were dropped too; a key frame is needed.
        case needsKey
    }

    /// The limit on waiting bytes, and on waiting frames of a source.
    private static let mostBytes = 3 << 20
    private static let mostFrames = 24
    /// The limit on waiting events; a browser cannot use more.
    private static let mostItems = 2000
    /// The number of bytes that are passed on at once.
    private static let piece = 1 << 20

    let kind: FrameEncoder.Kind
    let longestSide: Int
    private let state = Mutex(State())
    private let bell = TaskWakeEvent()

    init(_ kind: FrameEncoder.Kind, longestSide: Int) {
        (self.kind, self.longestSide) = (kind, longestSide)
    }

    func put(_ record: ViewerRecord) -> Outcome {
        let outcome = state.withLock { Self.put(record, in: &$0, kind) }
        if outcome == .taken { bell.ring() }
        return outcome
    }

    private static func put(_ record: ViewerRecord, in state: inout State, _ kind: FrameEncoder.Kind) -> Outcome {
        guard !state.isClosed else { return .dropped }
        let source = record.source
        switch record.kind {
        case .event:
            guard state.items.count < mostItems else { return .dropped }
        case .jpeg:
            // This is also the fallback if the machine has no H.264 encoder.
            drop(&state) { $0.record.source == source && $0.record.kind == .jpeg }
        case .h264:
            guard kind == .h264 else { return .dropped }
            guard record.isKey || state.begun.contains(source) else { return .dropped }
            state.begun.insert(source)
            let waiting = state.items.count { $0.record.source == source && $0.record.kind == .h264 }
            if waiting >= mostFrames || state.size > mostBytes {
                drop(&state) { $0.record.source == source && $0.record.kind == .h264 }
                guard record.isKey else {
                    state.begun.remove(source)
                    return .needsKey
                }
            }
        }
        let size = ViewerRecord.prefix + record.head.utf8.count + record.body.count
        state.items.append(Item(record: record, size: size))
        state.size += size
        return .taken
    }

    private static func drop(_ state: inout State, _ isDropped: (Item) -> Bool) {
        state.items.removeAll { item in
            guard isDropped(item) else { return false }
            state.size -= item.size
            return true
        }
    }

    /// Returns the waiting bytes, or waits for some; nil at the end. For one task at a time.
    func next() async -> [UInt8]? {
        while true {
            let (items, isClosed) = state.withLock { state in (Self.take(&state), state.isClosed) }
            if !items.isEmpty { return items.flatMap(\.record.bytes) }
            if isClosed || Task.isCancelled { return nil }
            await bell.wait()
        }
    }

    private static func take(_ state: inout State) -> [Item] {
        var (taken, size) = (0, 0)
        while taken < state.items.count, taken == 0 || size + state.items[taken].size <= piece {
            size += state.items[taken].size
            taken += 1
        }
        let items = Array(state.items.prefix(taken))
        state.items.removeFirst(taken)
        state.size -= size
        return items
    }

    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }
}
