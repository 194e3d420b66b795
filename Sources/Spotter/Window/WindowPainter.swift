import Errors
import GStreamerMedia
import OverlayDrawing
import TextSpotting

/// Draws all that lies over the picture, and keeps pictures that the person wants. Used by the display thread only.
struct WindowPainter: ~Copyable {
    /// What never changes while a job runs.
    struct Settings: Sendable {
        /// Draw the line with the searched words, the state and the reading speed.
        var showsStatus: Bool
        /// A box whose words were read longer ago is no longer drawn.
        var maximumAge: StreamTime
    }

    private let settings: Settings
    private let window: WindowState
    private let notices: PictureNotices
    private let text: LatestText
    private let trail: LiveTrail
    private let snapshots: Snapshots
    private let report: LiveReport
    private let status: @Sendable () -> OverlayStatus
    private let rasterizer = OverlayRasterizer()
    private var others = OtherText()

    /// - Parameter status: what the source and the reader do.
    init(
        _ settings: Settings, _ window: WindowState, _ notices: PictureNotices, _ text: LatestText, _ trail: LiveTrail,
        _ snapshots: Snapshots, _ report: LiveReport, status: @escaping @Sendable () -> OverlayStatus
    ) {
        self.settings = settings
        self.window = window
        self.notices = notices
        self.text = text
        self.trail = trail
        self.snapshots = snapshots
        self.report = report
        self.status = status
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
        guard settings.showsStatus else {
            return try rasterize(OverlayContent(boxes: drawn(boxes, at: time)), width, height)
        }
        let reading = text.reading
        var status = status()
        status.matches = boxes.count
        status.readingAge = reading.map { max(0, (time - $0.time.start).seconds) }
        if let activity = notices.activity { status.activity = activity }
        var content = window.content(over: time, status)
        content.notices = notices.current
        content.boxes = drawn(boxes, at: time)
        content.otherText = others.quads(of: window.showsAllText ? reading : nil, at: time, trail)
        return try rasterize(content, width, height)
    }

    /// Keeps the frame with its boxes, where the person asked for that; the rest of the overlay is left out of it.
    mutating func keepIfWanted(_ sample: borrowing Sample, with boxes: [FollowedBox], at time: StreamTime) {
        guard window.takeSnapshotRequest(), let info = sample.info else { return }
        do {
            let content = OverlayContent(boxes: drawn(boxes, at: time))
            let patches = try rasterize(content, info.width, info.height)
            snapshots.save(sample.retained(), patches)
        } catch let error as FramegrepError {
            notices.say(error.message, kind: .failure)
            report.warn(error)
        } catch {}
    }

    private func rasterize(_ content: OverlayContent, _ width: Int, _ height: Int) throws -> [OverlayPatch] {
        let list = OverlayComposer(pictureWidth: width, pictureHeight: height).compose(content)
        return try rasterizer.rasterize(list, width: width, height: height)
    }

    private func drawn(_ boxes: [FollowedBox], at time: StreamTime) -> [OverlayBox] {
        boxes.map { box in
            let age = (time - box.readAt).seconds / max(1e-3, settings.maximumAge.seconds)
            return OverlayBox(
                quad: box.quad, text: box.match.pattern, score: box.match.score, age: max(age, 1 - box.presence),
                patternIndex: box.match.patternIndex)
        }
    }
}
