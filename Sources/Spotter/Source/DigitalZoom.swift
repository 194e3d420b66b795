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
    }

    private let state = Mutex(State())

    var factor: Double { state.withLock { $0.factor } }

    /// The pipeline of the source as it was opened just now; it begins with the zoom that was set.
    func attach(to pipeline: Pipeline?) {
        state.withLock { state in
            state.pipeline = pipeline
            state.size = nil
        }
    }

    /// A frame came, of this format: only now is it known what the middle of the picture is.
    func frameArrived(_ info: VideoInfo) {
        let isFirst = state.withLock { state in
            guard state.size == nil, state.pipeline != nil else { return false }
            state.size = info
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
        let (pipeline, size, factor) = state.withLock { ($0.pipeline, $0.size, $0.factor) }
        guard let pipeline, let size, pipeline.hasElement(named: "zoom") else { return }
        // Whole pixel pairs: the color of most formats comes in pairs.
        func margin(_ length: Int) -> Int { Int(Double(length) * (1 - 1 / factor) / 2) / 2 * 2 }
        let (x, y) = (margin(size.width), margin(size.height))
        let aspect = size.pixelAspectRatio
        let caps =
            "video/x-raw,width=\(size.width),height=\(size.height),"
            + "pixel-aspect-ratio=\(aspect.numerator)/\(aspect.denominator)"
        try? pipeline.setProperty("caps", to: caps, onElementNamed: "zoomed")
        for (side, pixels) in [("left", x), ("right", x), ("top", y), ("bottom", y)] {
            try? pipeline.setProperty(side, to: String(pixels), onElementNamed: "zoom")
        }
    }
}
