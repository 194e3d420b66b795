import Synchronization
import TextSpotting

/// The places of all text in a recording during its search, matched or not, which labels drawn later must not cover.
///
/// Text that stands still is kept once, so that an hour of it takes little memory. Thread-safe.
public final class TextRegions: Sendable {
    private struct Entry {
        let from: StreamTime
        let places: [SIMD4<Float>]
    }

    private let entries = Mutex<[Entry]>([])

    public init() {}

    /// Adds the lines in view from this time on, in pixels of the picture as displayed. Times must not decrease.
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

    /// Returns the places of text in a frame at this time, as far as it was read; before the first reading, those of
    /// the first.
    func places(at time: StreamTime) -> [Rect] {
        let places = entries.withLock { entries -> [SIMD4<Float>] in
            let next = entries.prefixEnd(while: { $0.from <= time })
            return entries.isEmpty ? [] : entries[max(0, next - 1)].places
        }
        return places.map { Rect(x: Double($0[0]), y: Double($0[1]), width: Double($0[2]), height: Double($0[3])) }
    }
}
