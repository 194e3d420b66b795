import Errors
import GStreamerMedia
import OverlayDrawing
import TextSpotting

/// Draws all that lies over the picture, and keeps pictures that the person wants. Used by the display thread only.
struct WindowPainter: ~Copyable {
    private let session: LiveSession
    private let rasterizer = OverlayRasterizer()
    private var others = OtherText()

    init(_ session: LiveSession) {
        self.session = session
    }

    /// The overlay of the frame of `time`.
    ///
    /// - Parameters:
    ///   - boxes: in pixels of the frame as stored.
    ///   - width: of the frame, in pixels.
    ///   - height: of the frame, in pixels.
    /// - Throws: ``FramegrepError`` when it cannot be drawn.
    mutating func patches(
        for boxes: [FollowedBox], at time: StreamTime, width: Int, height: Int
    ) throws -> [OverlayPatch] {
        guard session.settings.showsStatus else {
            return try rasterize(OverlayContent(boxes: drawn(boxes, at: time)), width, height)
        }
        var status = session.status
        status.matches = boxes.count
        var content = session.window.content(over: time, status)
        content.boxes = drawn(boxes, at: time)
        content.otherText = others.quads(of: session.window.outlinedReading, at: time, session.trail)
        return try rasterize(content, width, height)
    }

    /// Keeps the frame with its boxes, where the person asked for that; the rest of the overlay is left out of it.
    mutating func keepIfWanted(_ sample: borrowing Sample, with boxes: [FollowedBox], at time: StreamTime) {
        guard session.window.takeSnapshotRequest(), let info = sample.info else { return }
        do {
            let content = OverlayContent(boxes: drawn(boxes, at: time))
            let patches = try rasterize(content, info.width, info.height)
            session.snapshots.save(sample.retained(), patches, session)
        } catch let error as FramegrepError {
            session.window.say(error.message, kind: .failure)
            session.warn(error)
        } catch {}
    }

    private func rasterize(_ content: OverlayContent, _ width: Int, _ height: Int) throws -> [OverlayPatch] {
        let list = OverlayComposer(pictureWidth: width, pictureHeight: height).compose(content)
        return try rasterizer.rasterize(list, width: width, height: height)
    }

    private func drawn(_ boxes: [FollowedBox], at time: StreamTime) -> [OverlayBox] {
        boxes.map { box in
            let age = (time - box.readAt).seconds / max(1e-3, session.settings.maximumAge.seconds)
            return OverlayBox(
                quad: box.quad, text: box.match.pattern, score: box.match.score, age: max(age, 1 - box.presence),
                patternIndex: box.match.patternIndex)
        }
    }
}
