import GStreamerMedia
import Synchronization
import TextSpotting

/// Enlarges the middle of the picture in the source's own pipeline, where a camera would: in front of the search.
///
/// Everything behind it, boxes and events too, is in pixels of the enlarged picture, whose size stays as it was. It needs
/// the elements that ``elements`` describes; in a pipeline without them it does nothing. Thread-safe.
final class DigitalZoom: Sendable {
    /// To be put in front of `appsink name=frames`. Until it zooms, frames pass untouched.
    static let elements = "videocrop name=zoom ! videoscale ! capsfilter name=zoomed"
    /// Enlarging more than this only shows how big the pixels are.
    static let maximum = 8.0

    private struct State {
        var factor = 1.0
        var pipeline: Pipeline?
        var size: VideoInfo?
        /// What the caps were of the first frame of all.
        var caps: String?
    }

    private let state = Mutex(State())

    var factor: Double { state.withLock { $0.factor } }

    /// The pipeline of the source as it is being opened; it begins with the zoom that was set.
    ///
    /// A source that comes back with pictures of another size is brought to the first one's, with borders where it has
    /// another shape: a recording cannot change its size, and a window should not.
    func attach(to pipeline: Pipeline?) {
        let caps = state.withLock { state in
            state.pipeline = pipeline
            state.size = nil
            return state.caps
        }
        if let caps, let pipeline, pipeline.hasElement(named: "zoomed") {
            try? pipeline.setProperty("caps", to: caps, onElementNamed: "zoomed")
        }
    }

    /// A frame came, of this format: only now is it known what the middle of the picture is.
    func frameArrived(_ info: VideoInfo) {
        let isFirst = state.withLock { state in
            guard state.size == nil, state.pipeline != nil else { return false }
            state.size = info
            state.caps = state.caps ?? Self.caps(info)
            return state.factor > 1
        }
        if isFirst { apply() }
    }

    /// Enlarges by this factor, from 1 to ``maximum``.
    func set(_ factor: Double) {
        state.withLock { $0.factor = min(max(1, factor), Self.maximum) }
        apply()
    }

    private func apply() {
        let (pipeline, size, caps, factor) = state.withLock { ($0.pipeline, $0.size, $0.caps, $0.factor) }
        guard let pipeline, let size, let caps, pipeline.hasElement(named: "zoom") else { return }
        // Whole pixel pairs: the color of most formats comes in pairs.
        func margin(_ length: Int) -> Int { Int(Double(length) * (1 - 1 / factor) / 2) / 2 * 2 }
        let (x, y) = (margin(size.width), margin(size.height))
        try? pipeline.setProperty("caps", to: caps, onElementNamed: "zoomed")
        for (side, pixels) in [("left", x), ("right", x), ("top", y), ("bottom", y)] {
            try? pipeline.setProperty(side, to: String(pixels), onElementNamed: "zoom")
        }
    }

    private static func caps(_ info: VideoInfo) -> String {
        let aspect = info.pixelAspectRatio
        return "video/x-raw,width=\(info.width),height=\(info.height),"
            + "pixel-aspect-ratio=\(aspect.numerator)/\(aspect.denominator)"
    }
}
