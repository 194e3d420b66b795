import CGstFramegrep
import Errors
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// State owned by the streaming thread: frames not yet pushed downstream, and the drawing on them.
// @unchecked: `held` and `painter` are used on the stream's thread, or where it is stopped, as GStreamer's stream lock sees to.
final class StreamSide: @unchecked Sendable {
    /// How long frames keep the stream's thread.
    let added = AddedTime()
    private let element: ElementHandle
    private var held = HeldFrames()
    private let painter = BoxPainter(maximumAge: PushedSettings().maximumAge)
    private var hasWarned = false

    init(_ element: ElementHandle) {
        self.element = element
    }

    func hold(_ frame: HeldPassingFrame) { held.hold(frame) }

    /// Discards the held frames.
    func forget() { held.removeAll() }

    /// The next frame to push, with its metadata; nil if none is due.
    func next(_ settings: ElementSettings, all: Bool) -> UnsafeMutableRawPointer? {
        while let next = held.next(after: settings.timing.delay, all: all) {
            if let frame = passed(next, settings) { return frame }
        }
        return nil
    }

    /// A frame as it goes on; nil for one that must not.
    private func passed(_ next: HeldPassingFrame, _ settings: ElementSettings) -> UnsafeMutableRawPointer? {
        guard let (stage, time) = next.place else {
            // Outside of the segment nobody reads.
            return settings.hidingStyle == nil ? passOn(next) : nil
        }
        switch stage.search {
        case .hiding(let hiding):
            guard hide(next, at: time, hiding) else { return nil }
        case .showing(let session) where settings.carriesBoxes:
            let boxes = session.boxes(on: time)
            if !boxes.isEmpty { carry(boxes, at: time, next, settings, stage.results) }
        case .showing: break
        }
        return passOn(next)
    }

    private func passOn(_ next: HeldPassingFrame) -> UnsafeMutableRawPointer? {
        added.next()
        return next.frame.take()?.handOn()
    }

    private func hide(_ next: HeldPassingFrame, at time: FrameTime, _ hiding: HidingStage) -> Bool {
        guard let places = hiding.places(on: time) else { return false }
        do {
            try next.frame?.hide(places, hiding.settings.style)
            return true
        } catch {
            element.fail(error)
            return false
        }
    }

    private func carry(
        _ boxes: [FollowedBox], at time: FrameTime, _ next: HeldPassingFrame, _ settings: ElementSettings,
        _ results: StageResults
    ) {
        guard let info = next.frame?.info else { return }
        if settings.attachesMetadata {
            let places = boxes.map { results.place(of: $0, at: time, on: info) }
            next.frame?.withBuffer { buffer in for place in places { place.attach(to: buffer) } }
        }
        guard settings.draws else { return }
        do {
            let patches = try painter.patches(for: boxes, at: time.start, on: info)
            if next.frame?.draw(patches) ?? true { return }
            warnOnce(FramegrepError(.pipelineFailed, "Frames of \(info) cannot be drawn on."))
        } catch {
            warnOnce(error as? FramegrepError ?? FramegrepError(.outputFailed, "The boxes cannot be drawn: \(error)."))
        }
    }

    private func warnOnce(_ warning: FramegrepError) {
        if !hasWarned { element.warn(warning) }
        hasWarned = true
    }
}
