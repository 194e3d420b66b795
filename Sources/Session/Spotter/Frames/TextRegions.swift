import Synchronization
import TextSpotting

/// Where there was text in a recording while it was searched, matched or not: labels that are drawn later cover none of it.
///
/// Text that stands still is kept once, so that an hour of it takes little memory. Thread-safe.
public final class TextRegions: Sendable {
    private struct Entry {
        let from: StreamTime
        let places: [SIMD4<Float>]
    }

    private let entries = Mutex<[Entry]>([])

    public init() {}

    /// The lines in view from this time on, in pixels of the picture as displayed. Times only get later.
    func add(_ quads: some Sequence<Quad>, from time: StreamTime) {
        let places = quads.map { quad in
            let bounds = quad.bounds
            return SIMD4(Float(bounds.x), Float(bounds.y), Float(bounds.width), Float(bounds.height))
        }
        entries.withLock { entries in
            guard entries.last?.places != places else { return }
            entries.append(Entry(from: time, places: places))
        }
    }

    /// Where text is in a frame of this time, as far as it was read; before the first reading, where that found it.
    func places(at time: StreamTime) -> [Rect] {
        let places = entries.withLock { entries -> [SIMD4<Float>] in
            let next = entries.prefixEnd(while: { $0.from <= time })
            return entries.isEmpty ? [] : entries[max(0, next - 1)].places
        }
        return places.map { Rect(x: Double($0[0]), y: Double($0[1]), width: Double($0[2]), height: Double($0[3])) }
    }
}
