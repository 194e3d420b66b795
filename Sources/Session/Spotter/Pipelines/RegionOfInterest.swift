import Errors
import GStreamerMedia
import Synchronization
public import TextSpotting

/// The part of the picture to search: `x,y,w,h`, each in pixels or, with `%`, in hundredths of the picture.
public struct RegionOfInterest: Sendable, Hashable {
    enum Length: Sendable, Hashable {
        case pixels(Double)
        case percent(Double)

        func resolved(in whole: Int) -> Double {
            switch self {
            case .pixels(let value): value
            case .percent(let value): value / 100 * Double(whole)
            }
        }
    }

    let x: Length
    let y: Length
    let width: Length
    let height: Length

    /// - Throws: `FramegrepError` (`badArgument`) that describes the expected form.
    public init(parsing text: String) throws {
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Length? in
            let trimmed = part.filter { !$0.isWhitespace }
            if trimmed.last == "%" { return Double(trimmed.dropLast()).map(Length.percent) }
            return Double(trimmed).map(Length.pixels)
        }
        let values = lengths.compactMap { $0 }
        guard lengths.count == 4, values.count == 4 else {
            throw FramegrepError(
                .badArgument,
                "The region '\(text)' is not of the form x,y,w,h in pixels or percent, such as 0,50%,100%,50%.")
        }
        (x, y, width, height) = (values[0], values[1], values[2], values[3])
        guard width.resolved(in: 100) > 0, height.resolved(in: 100) > 0, width.resolved(in: 100).isFinite,
            height.resolved(in: 100).isFinite, x.resolved(in: 100).isFinite, y.resolved(in: 100).isFinite
        else {
            throw FramegrepError(.badArgument, "The region '\(text)' is empty: its width and height must be above 0.")
        }
    }

    /// Returns the region in whole pixels of a picture, clipped to the picture.
    ///
    /// - Throws: `FramegrepError` (`badArgument`) if none of it is inside.
    public func rect(width pictureWidth: Int, height pictureHeight: Int) throws -> Rect {
        let left = max(0, x.resolved(in: pictureWidth).rounded())
        let top = max(0, y.resolved(in: pictureHeight).rounded())
        let right = min(
            Double(pictureWidth), (x.resolved(in: pictureWidth) + width.resolved(in: pictureWidth)).rounded())
        let bottom = min(
            Double(pictureHeight), (y.resolved(in: pictureHeight) + height.resolved(in: pictureHeight)).rounded())
        guard right - left >= 1, bottom - top >= 1 else {
            throw FramegrepError(
                .badArgument, "The region lies outside the picture, which is \(pictureWidth)×\(pictureHeight) pixels.")
        }
        return Rect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// Enlarges the middle of the picture in the source's own pipeline, where a camera would: before the search.
///
/// Everything after it, including boxes and events, is in pixels of the enlarged picture, whose size does not change.
/// It needs the elements that ``elements`` describes; in a pipeline without them it does nothing. Thread-safe.
final class DigitalZoom: Sendable {
    /// The elements to insert before `appsink name=frames`. Without zoom, frames pass unchanged.
    static let elements = "videocrop name=zoom ! videoscale ! capsfilter name=zoomed"
    /// The largest factor; more would only show how big the pixels are.
    static let maximum = 8.0

    private struct State {
        var factor = 1.0
        var pipeline: Pipeline?
        /// The size of the pictures that arrive at the zoom, before it enlarges them.
        var size: VideoInfo?
        /// The caps of the very first frame.
        var caps: String?
        /// The current setting of the elements.
        var part: EnlargedPart?
        /// The setting that each of the last frames passed with, and the timestamps of these frames.
        var passed: [(timestamp: StreamTime?, part: EnlargedPart?)] = []
    }

    /// The number of frames remembered; more than can wait between the zoom and the display.
    private static let memory = 32

    private let state = Mutex(State())
    /// Held while the elements are set, so that two threads never set half of it each. Acquired before ``state``.
    private let elements = Mutex<Void>(())

    var factor: Double { state.withLock { $0.factor } }

    /// Attaches to the pipeline of the source as it is being opened; it begins with the current zoom.
    ///
    /// Pictures of a reconnected source with another size are scaled to the first size, with borders if they have
    /// another shape: a recording cannot change its size, and a window should not.
    func attach(to pipeline: Pipeline?) {
        let caps = state.withLock { state in
            state.pipeline = pipeline
            (state.size, state.part, state.passed) = (nil, nil, [])
            return state.caps
        }
        guard let pipeline, pipeline.hasElement(named: "zoom"), pipeline.hasElement(named: "zoomed") else { return }
        if let caps { try? pipeline.setProperty("caps", to: caps, onElementNamed: "zoomed") }
        try? pipeline.watchFormat(comingToElementNamed: "zoom") { [weak self, weak pipeline] info in
            if let pipeline { self?.formatArrived(info, from: pipeline) }
        }
        try? pipeline.watchFrames(comingToElementNamed: "zoom") { [weak self] in self?.frameArrives($0) }
    }

    private func frameArrives(_ timestamp: StreamTime?) {
        state.withLock { state in
            state.passed.append((timestamp, state.part))
            if state.passed.count > Self.memory { state.passed.removeFirst() }
        }
    }

    /// Returns the part of a frame that is shown instead of it; nil for all of it.
    ///
    /// - Parameter timestamp: the timestamp of one of the last frames that came out of the zoom.
    func part(ofFrameAt timestamp: StreamTime?) -> EnlargedPart? {
        state.withLock { state in state.passed.last { $0.timestamp == timestamp }?.part }
    }

    /// Handles the format of coming frames: only now is the middle of the picture known.
    private func formatArrived(_ info: VideoInfo, from pipeline: Pipeline) {
        let isZooming = state.withLock { state in
            // A discarded pipeline may still send messages.
            guard state.pipeline === pipeline else { return false }
            state.size = info
            state.caps = state.caps ?? Self.caps(info)
            return state.factor > 1
        }
        if isZooming { apply() }
    }

    /// Sets the factor, from 1 to ``maximum``.
    func set(_ factor: Double) {
        state.withLock { $0.factor = min(max(1, factor), Self.maximum) }
        apply()
    }

    private func apply() {
        elements.withLock { _ in
            let (pipeline, size, caps, factor) = state.withLock { ($0.pipeline, $0.size, $0.caps, $0.factor) }
            guard let pipeline, let size, let caps, pipeline.hasElement(named: "zoom") else { return }
            // Use whole pixel pairs: the color of most formats comes in pairs.
            func margin(_ length: Int) -> Int { Int(Double(length) * (1 - 1 / factor) / 2) / 2 * 2 }
            let (x, y) = (margin(size.width), margin(size.height))
            try? pipeline.setProperty("caps", to: caps, onElementNamed: "zoomed")
            for (side, pixels) in [("left", x), ("right", x), ("top", y), ("bottom", y)] {
                try? pipeline.setProperty(side, to: String(pixels), onElementNamed: "zoom")
            }
            let (width, height) = (Double(size.width), Double(size.height))
            let part = Rect(x: Double(x), y: Double(y), width: width - 2 * Double(x), height: height - 2 * Double(y))
            state.withLock { state in
                guard state.pipeline === pipeline else { return }
                state.part = x > 0 || y > 0 ? EnlargedPart(part: part, width: width, height: height) : nil
            }
        }
    }

    private static func caps(_ info: VideoInfo) -> String {
        let aspect = info.pixelAspectRatio
        return "video/x-raw,width=\(info.width),height=\(info.height),"
            + "pixel-aspect-ratio=\(aspect.numerator)/\(aspect.denominator)"
    }
}

/// The part of a frame that is shown instead of the whole, at the size of the whole.
struct EnlargedPart: Sendable, Hashable {
    /// The part, in pixels of the frame as stored.
    let part: Rect
    /// The width of the frame, and of the shown picture.
    let width: Double
    let height: Double

    /// Converts from pixels of the frame to those of the shown picture.
    func shown(_ quad: Quad) -> Quad {
        quad.moved(by: Point(-part.x, -part.y)).scaled(x: width / part.width, y: height / part.height)
    }

    /// Converts from pixels of the shown picture to those of the frame.
    func original(_ quad: Quad) -> Quad {
        quad.scaled(x: part.width / width, y: part.height / height).moved(by: Point(part.x, part.y))
    }

    /// Returns whether any part of a place is shown.
    func shows(_ quad: Quad) -> Bool {
        let bounds = quad.bounds
        return bounds.maxX > part.minX && bounds.minX < part.maxX && bounds.maxY > part.minY && bounds.minY < part.maxY
    }
}
