import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Synchronization
import TextSpotting

/// Draws everything over the picture, and saves pictures at the user's request. Used only by the display thread.
struct WindowPainter: ~Copyable {
    let settings: LiveSettings
    /// Whether outputs other than a window get the frames and need the boxes too.
    let marksFrames: Bool
    let window: WindowState
    let session: LatestSession
    let snapshots: Snapshots
    /// Plays a recording; nil for any other source.
    let player: RecordingPlayer?
    /// Draws in the window's own pixels; nil if everything is drawn on the frames.
    let canvas: WindowCanvas?
    private let rasterizer = OverlayRasterizer()
    private(set) var hasHinted = false
    private(set) var others = OtherText()

    /// Returns the drawing on the frame at `time` itself; the rest of the overlay goes to the window's canvas, if there
    /// is one.
    ///
    /// - Parameters:
    ///   - boxes: in pixels of the frame as stored.
    ///   - info: the format of the frame.
    ///   - running: the time at which it is shown, on the output's clock.
    /// - Throws: ``FramegrepError`` if it cannot be drawn.
    mutating func patches(
        for boxes: [FollowedBox], at time: StreamTime, _ info: VideoInfo, shownAt running: StreamTime
    ) throws -> [OverlayPatch] {
        let (width, height) = (info.width, info.height)
        guard settings.showsStatus else {
            return try rasterize(OverlayContent(boxes: drawn(boxes, at: time)), width, height)
        }
        let content = content(for: boxes, at: time)
        guard let canvas else { return try rasterize(content, width, height) }
        if !hasHinted { session.notices.say("h: keys", for: Self.hintTime) }
        hasHinted = true
        canvas.put(
            WindowCanvas.Layer(
                content: content, width: width, height: height, pixelAspect: info.pixelAspect,
                hasBoxes: !marksFrames), at: running)
        guard marksFrames else { return [] }
        var marks = OverlayContent(boxes: content.boxes)
        (marks.otherText, marks.textPlaces) = (content.otherText, content.textPlaces)
        return try rasterize(marks, width, height)
    }

    /// The time for which the hint about the keys is shown to a user who does not use them.
    private static let hintTime = Duration.seconds(6)

    private mutating func content(for boxes: [FollowedBox], at time: StreamTime) -> OverlayContent {
        let reading = session.text.reading
        var status = OverlayStatus(
            searched: session.words.texts, matches: boxes.count, state: session.source.shown,
            readingsPerSecond: player == nil ? session.measurements.readingsPerSecond : nil)
        status.isFirstReading = !(player?.isRead ?? session.measurements.hasRead)
        let player = player?.overlay
        if player == nil { status.readingAge = reading.map { max(0, (time - $0.time.start).seconds) } }
        if let activity = session.notices.activity { status.activity = activity }
        var content = window.content(over: time, status)
        content.player = player
        content.notices = session.notices.current
        content.boxes = drawn(boxes, at: time)
        content.otherText = others.quads(of: window.showsAllText ? reading : nil, at: time, session.frameHistory)
        if !boxes.isEmpty { content.textPlaces = reading?.lines.map(\.quad) ?? [] }
        return content
    }

    /// Saves the frame with its boxes, without the rest of the overlay, if the user requested that.
    mutating func keepIfWanted(_ sample: borrowing Sample, with boxes: [FollowedBox], at time: StreamTime) {
        guard window.takeSnapshotRequest(), let info = sample.info else { return }
        do {
            let content = OverlayContent(boxes: drawn(boxes, at: time))
            let patches = try rasterize(content, info.width, info.height)
            snapshots.save(sample.retained(), patches)
        } catch let error as FramegrepError {
            session.notices.say(error.message, kind: .failure)
            session.report.warn(error)
        } catch {}
    }

    private func rasterize(_ content: OverlayContent, _ width: Int, _ height: Int) throws -> [OverlayPatch] {
        let list = OverlayComposer(pictureWidth: width, pictureHeight: height).compose(content)
        return try rasterizer.rasterize(list, width: width, height: height)
    }

    private func drawn(_ boxes: [FollowedBox], at time: StreamTime) -> [OverlayBox] {
        BoxPainter.drawn(boxes, at: time, maximumAge: settings.reading.runningAge)
    }
}

/// The user's requests at the window, and the frame shown there. Thread-safe.
///
/// The keys write it (``WindowControl``), the display reads it for every frame (``WindowPainter``).
final class WindowState: Sendable {
    private struct State {
        var typed: LineEditor?
        var offered: String?
        var showsAllText = false
        var showsHelp = false
        var help = OverlayHelp(rows: [])
        var wantsSnapshot = false
        var shown: StreamTime?
    }

    private let state = Mutex(State())

    // MARK: What the keys do

    /// Sets the word being typed and the earlier one that is offered; both are nil when the line was left.
    func edit(_ typed: LineEditor?, offering offered: String?) {
        state.withLock { ($0.typed, $0.offered) = (typed, offered) }
    }

    /// Turns the outlines of all text on or off; returns whether they are on now.
    func toggleAllText() -> Bool {
        state.withLock { state in
            state.showsAllText.toggle()
            return state.showsAllText
        }
    }

    func toggleHelp(_ help: OverlayHelp) {
        state.withLock { state in
            state.help = help
            state.showsHelp.toggle()
        }
    }

    var showsHelp: Bool { state.withLock { $0.showsHelp } }

    /// Requests that the next shown frame be saved.
    func requestSnapshot() { state.withLock { $0.wantsSnapshot = true } }

    /// Returns whether the shown frame must be saved; true once for each request.
    func takeSnapshotRequest() -> Bool {
        state.withLock { state in
            defer { state.wantsSnapshot = false }
            return state.wantsSnapshot
        }
    }

    // MARK: What is shown

    var showsAllText: Bool { state.withLock { $0.showsAllText } }

    var shown: StreamTime? { state.withLock { $0.shown } }

    /// Returns the drawing that the user requested over the frame at `time`, which becomes the shown frame.
    ///
    /// - Parameter status: the status of the source and the reader; the user's requests are added to it.
    func content(over time: StreamTime, _ status: OverlayStatus) -> OverlayContent {
        state.withLock { state in
            state.shown = time
            var status = status
            status.typed = state.typed?.text
            status.cursor = state.typed?.cursor
            status.isAllChosen = state.typed?.isAllChosen ?? false
            status.offered = state.offered
            var content = OverlayContent(status: status)
            content.help = state.showsHelp ? state.help : nil
            return content
        }
    }
}

/// Writes frames with their boxes as PNG files, one after the other on a thread of its own. Thread-safe.
///
/// Existing files are never overwritten, and a file that could not be written completely is removed.
final class Snapshots: Sendable {
    private let pictures: NewPicture
    private let queue = DispatchQueue(label: "framegrep.snapshots", qos: .utility)
    private let converter = PictureConverter()
    private let session: LatestSession

    init(folder: String, of session: LatestSession) {
        pictures = NewPicture(folder: folder, advice: "name another with --snapshots", keepsSame: false)
        self.session = session
    }

    /// Saves a frame and reports the outcome.
    func save(_ sample: consuming Sample, _ patches: [OverlayPatch]) {
        let name = Self.fileName(at: Date())
        let frame = SampleBox(sample)
        queue.async { [self] in
            guard let sample = frame.take() else { return }
            do {
                let canvas = try Canvas(try converter.picture(from: sample, format: .rgb))
                try canvas.draw(patches)
                let path = try pictures.write(try PNGWriter.encode(canvas), named: name)
                session.notices.say("saved \(path)")
                session.report.tell(.snapshot(path: path, at: session.measurements.time))
            } catch let error as FramegrepError {
                session.notices.say(error.message, kind: .failure, for: .seconds(8))
                session.report.warn(error)
            } catch {}
        }
    }

    /// Returns when all frames are saved.
    func finish() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// Returns `framegrep-2026-11-21-172430`, in local time.
    static func fileName(at date: Date) -> String {
        let parts = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
        let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
        return "framegrep-\(day)-\(two(parts.hour))\(two(parts.minute))\(two(parts.second))"
    }
}

/// Wraps a frame for a closure, which could be copied although a frame cannot. Thread-safe.
private final class SampleBox: Sendable {
    private let sample: Mutex<Sample?>

    init(_ sample: consuming Sample) { self.sample = Mutex(sample) }

    func take() -> Sample? { sample.withLock { $0.take() } }
}
