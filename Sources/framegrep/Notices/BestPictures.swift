import Errors
import Spotter
import Synchronization
import TextSpotting
import Threads

/// The best picture of each sighting that is in view, as a JPEG file, made on a thread of its own. Thread-safe.
///
/// Frames are large: this many wait to be encoded, and of more the sighting keeps the picture it has. Files are small, but there may be as
/// many as there are words: of more than these bytes a sighting has no picture.
final class BestPictures: Sendable {
    private static let mostWaiting = 8
    /// Two of 3840×2160.
    private static let mostWaitingBytes = 64 << 20
    private static let mostEncodedBytes = 32 << 20

    private struct State {
        /// The best frame so far of each sighting, until it is encoded.
        var waiting: [Int: (sighting: Sighting, frame: Picture)] = [:]
        var encoded: [Int: [UInt8]] = [:]

        /// Whether one more frame may wait for this sighting.
        func hasRoom(for frame: Picture, of id: Int) -> Bool {
            if waiting[id] != nil { return true }
            let bytes = waiting.values.reduce(frame.bytes.count) { $0 + $1.frame.bytes.count }
            return waiting.isEmpty || waiting.count < BestPictures.mostWaiting && bytes <= BestPictures.mostWaitingBytes
        }
    }

    private let queue: SerialQueue
    private let state = Mutex(State())

    /// - Parameter queue: where pictures are made, and notices that take them.
    init(on queue: SerialQueue) { self.queue = queue }

    /// Takes a frame that shows a sighting better than any before; returns at once.
    func keep(_ sighting: Sighting, _ frame: Picture) {
        let isFirst = state.withLock { state in
            guard state.hasRoom(for: frame, of: sighting.id) else { return false }
            return state.waiting.updateValue((sighting, frame), forKey: sighting.id) == nil
        }
        // Where one waits already, this one takes its turn.
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

    /// The picture of a sighting that is over; to be called on the queue.
    func take(_ id: Int) -> [UInt8]? {
        encode(id)
        return state.withLock { $0.encoded.removeValue(forKey: id) }
    }
}
