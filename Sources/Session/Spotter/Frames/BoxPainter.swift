public import GStreamerMedia
import OverlayDrawing
public import TextSpotting

/// Draws only the boxes over a running picture. Used by one thread.
public struct BoxPainter {
    /// The age of a reading at which its boxes are about to disappear.
    private let maximumAge = ReadingPlan().runningAge
    private let rasterizer = OverlayRasterizer()

    public init() {}

    /// Returns the boxes as patches for a frame of this format.
    ///
    /// - Parameters:
    ///   - boxes: in pixels of the frame as stored.
    ///   - time: the time at which the frame is shown.
    /// - Throws: `FramegrepError` if they cannot be drawn.
    public func patches(for boxes: [FollowedBox], at time: StreamTime, on info: VideoInfo) throws -> [OverlayPatch] {
        guard !boxes.isEmpty, info.width > 0, info.height > 0 else { return [] }
        let list = OverlayComposer(pictureWidth: info.width, pictureHeight: info.height).compose(
            Self.drawn(boxes, at: time, maximumAge: maximumAge))
        return try rasterizer.rasterize(list, width: info.width, height: info.height)
    }

    /// Returns the shapes to draw for each box: the older its reading, the fainter.
    static func drawn(_ boxes: [FollowedBox], at time: StreamTime, maximumAge: StreamTime) -> [OverlayBox] {
        boxes.map { box in
            let age = (time - box.readAt).seconds / max(1e-3, maximumAge.seconds)
            return OverlayBox(
                quad: box.quad, text: box.match.pattern, score: box.match.score, age: max(age, 1 - box.presence),
                patternIndex: box.match.patternIndex)
        }
    }
}
