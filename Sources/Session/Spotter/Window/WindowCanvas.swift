import GStreamerMedia
import OverlayDrawing
import Synchronization
import TextSpotting

/// Draws the overlay of the frames of a window, in the window's own pixels. Thread-safe: the display supplies the
/// overlay of each frame, the window's streaming thread asks for it when that frame arrives, and clicks are located in
/// the last drawing.
///
/// Buffering: the drawings of the last ``limit`` frames; fewer are in transit.
final class WindowCanvas: Sendable {
    /// The drawing that belongs to one frame.
    struct Layer: Sendable {
        /// The content, in pixels of the frame as it was passed on.
        var content: OverlayContent
        var width: Int
        var height: Int
        /// The width of one of its pixels divided by its height.
        var pixelAspect: Double
        /// Whether boxes and text are drawn here; otherwise the frame already contains them.
        var hasBoxes: Bool
    }

    private struct State {
        var layers: [(time: StreamTime, layer: Layer)] = []
        var drawn: (frame: WindowFrame, layer: Layer)?
        let rasterizer = OverlayRasterizer()
    }

    private static let limit = 16

    private let state = Mutex(State())

    /// Stores the drawing for the frame that is shown at `time`.
    func put(_ layer: Layer, at time: StreamTime) {
        state.withLock { state in
            state.layers.append((time, layer))
            if state.layers.count > Self.limit { state.layers.removeFirst() }
        }
    }

    /// Returns the patches for a frame that has arrived at the window.
    func patches(on frame: WindowFrame) -> [OverlayPatch] {
        state.withLock { state in
            // Elements in between may have changed the time slightly.
            let before = state.layers.last { $0.time <= frame.time }
            guard let layer = (before ?? state.layers.first)?.layer else { return [] }
            state.drawn = (frame, layer)
            let fit = PictureFit(layer, in: frame)
            var content = layer.hasBoxes ? layer.content.mapped(fit.placed) : layer.content
            if !layer.hasBoxes { (content.boxes, content.otherText, content.textPlaces) = ([], [], []) }
            let list = OverlayComposer(style: Self.style(of: frame)).compose(content)
            // If a surface cannot be created, the picture is shown without an overlay.
            return (try? state.rasterizer.rasterize(list, width: frame.width, height: frame.height)) ?? []
        }
    }

    /// Converts a position in the window's frame to the frame as passed on; nil if nothing was drawn yet.
    func place(ofClickAt point: Point) -> Point? {
        state.withLock { state in state.drawn.map { PictureFit($0.layer, in: $0.frame).original(point) } }
    }

    /// Returns the time at a position on a recording's bar, in seconds; nil for a position elsewhere.
    func time(ofClickAt point: Point) -> Double? {
        state.withLock { state in
            guard let (frame, layer) = state.drawn else { return nil }
            return BottomLayout(style: Self.style(of: frame), layer.content.player).time(at: point)
        }
    }

    private static func style(of frame: WindowFrame) -> OverlayStyle {
        OverlayStyle(windowWidth: frame.width, height: frame.height, scale: frame.scale)
    }
}

/// The place of a picture in a window's frame: as large as possible, centered, in its own proportions.
struct PictureFit: Sendable, Hashable {
    private let scaleX: Double
    private let scaleY: Double
    private let left: Double
    private let top: Double

    init(_ layer: WindowCanvas.Layer, in frame: WindowFrame) {
        self.init(
            width: layer.width, height: layer.height, pixelAspect: layer.pixelAspect, in: frame)
    }

    init(width: Int, height: Int, pixelAspect: Double, in frame: WindowFrame) {
        let shape = (width: Double(max(1, width)) * pixelAspect, height: Double(max(1, height)))
        let room = (width: Double(frame.width) * frame.pixelAspect, height: Double(frame.height))
        let scale = min(room.width / shape.width, room.height / shape.height)
        scaleX = scale * pixelAspect / frame.pixelAspect
        scaleY = scale
        left = (Double(frame.width) - Double(width) * scaleX) / 2
        top = (Double(frame.height) - Double(height) * scaleY) / 2
    }

    /// Converts a position in the picture to the window's frame.
    func placed(_ point: Point) -> Point { Point(left + point.x * scaleX, top + point.y * scaleY) }

    /// Converts a position in the window's frame to the picture.
    func original(_ point: Point) -> Point { Point((point.x - left) / scaleX, (point.y - top) / scaleY) }
}
