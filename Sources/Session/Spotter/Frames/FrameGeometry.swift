import Errors
import GStreamerMedia
import Synchronization
import TextSpotting

/// Maps between the searched part of a frame, its thumbnail, the frame as stored and the picture as displayed: the only
/// place where coordinates are converted between them.
///
/// | in pixels of | used by |
/// | --- | --- |
/// | the thumbnail | the gate, patches, followed text |
/// | the searched part | lines, tracks, matches, open sightings |
/// | the frame as stored | boxes that are drawn, text that is clicked on |
/// | the picture as displayed | reported sightings and boxes |
struct FrameGeometry: Sendable, Hashable {
    /// The width of the frame as stored, in pixels.
    let frameWidth: Int
    let frameHeight: Int
    /// The searched part, in pixels of the frame; nil for the whole frame.
    let region: Rect?
    /// The width of a displayed pixel divided by its height.
    let pixelAspectRatio: Double
    /// The whole factor by which thumbnails are smaller than the searched part.
    let reduction: Int

    init(_ info: VideoInfo, region: RegionOfInterest?, size: ThumbnailSize = .compared) throws {
        frameWidth = info.width
        frameHeight = info.height
        self.region = try region?.rect(width: info.width, height: info.height)
        pixelAspectRatio = info.pixelAspect
        reduction = size.reduction(
            ofWidth: self.region?.width ?? Double(info.width), height: self.region?.height ?? Double(info.height))
    }

    var smallSize: (width: Int, height: Int) {
        let width = Int(region?.width ?? Double(frameWidth))
        let height = Int(region?.height ?? Double(frameHeight))
        return (max(1, width / reduction), max(1, height / reduction))
    }

    /// The size of the thumbnails divided by that of the searched part.
    var scale: Double { 1 / Double(reduction) }

    /// The origin of the searched part, in pixels of the frame as stored.
    var origin: Point { Point(region?.x ?? 0, region?.y ?? 0) }

    /// The same geometry in the form that results of readings use.
    var finding: FrameResult.Geometry {
        FrameResult.Geometry(
            origin: origin, pixelAspect: pixelAspectRatio, scale: scale, width: frameWidth, height: frameHeight)
    }

    /// Converts from the searched part to the frame as stored.
    func frame(_ searched: Quad) -> Quad { region == nil ? searched : searched.moved(by: origin) }

    /// Converts from the frame as stored to the searched part.
    func part(_ stored: Quad) -> Quad { region == nil ? stored : stored.moved(by: Point(-origin.x, -origin.y)) }

    /// Converts from the searched part to the picture as displayed.
    func displayed(_ searched: Quad) -> Quad { frame(searched).scaled(x: pixelAspectRatio, y: 1) }

    /// Converts from the picture as displayed to the frame as stored, where boxes are drawn.
    func stored(_ displayed: Quad) -> Quad { displayed.scaled(x: 1 / pixelAspectRatio, y: 1) }

    /// Converts from the searched part to the picture as displayed.
    func displayed(_ sighting: Sighting) -> Sighting {
        var result = sighting
        result.peak.quad = displayed(sighting.peak.quad)
        if var course = sighting.course {
            (course.first, course.last) = (displayed(course.first), displayed(course.last))
            result.course = course
        }
        result.boxes = sighting.boxes.map { Sighting.Box(time: $0.time, quad: displayed($0.quad)) }
        result.picture = Point(Double(frameWidth) * pixelAspectRatio, Double(frameHeight))
        return result
    }
}

extension VideoInfo {
    /// The width of a displayed pixel divided by its height; 1 if the caps state no sensible value.
    var pixelAspect: Double { pixelAspectRatio.pixelAspect }

    /// Converts from the frame as stored to the picture as displayed.
    func displayed(_ stored: Quad) -> Quad { stored.scaled(x: pixelAspect, y: 1) }

    /// Converts from the picture as displayed to the frame as stored.
    func stored(_ displayed: Quad) -> Quad { displayed.scaled(x: 1 / pixelAspect, y: 1) }
}

/// Cuts the searched part out of each frame: the picture that is read, and the thumbnail in which it is compared and
/// followed.
///
/// No other code cuts out a region, in a recording or in a running picture. So the gate, the history, the reader and
/// the boxes see the same part, and places refer to this part until `FrameGeometry` converts them.
struct SearchedPart: Sendable {
    /// The region; nil for the whole frame.
    let region: RegionOfInterest?
    let size: ThumbnailSize
    private let converter = PictureConverter()

    /// Returns the geometry of the part in a frame.
    ///
    /// - Throws: ``FramegrepError`` if the frame is not video, or the region is outside it.
    func geometry(of frame: VideoInfo?) throws -> FrameGeometry {
        guard let info = frame else {
            throw FramegrepError(.pipelineFailed, "A frame is not raw video.")
        }
        return try FrameGeometry(info, region: region, size: size)
    }

    /// Releases all resources kept for coming frames.
    func close() { converter.close() }

    /// Returns the part as a thumbnail.
    ///
    /// - Throws: ``FramegrepError`` if the frame cannot be converted.
    func thumbnail(of sample: borrowing Sample, _ geometry: FrameGeometry) throws -> Picture {
        try converter.picture(from: sample, format: .luma, size: geometry.smallSize, region: geometry.region)
    }

    /// Returns the part as the picture to read.
    ///
    /// - Throws: ``FramegrepError`` if the frame cannot be converted.
    func picture(
        of sample: borrowing Sample, _ format: Picture.Format, _ geometry: FrameGeometry
    ) throws -> Picture {
        try converter.picture(from: sample, format: format, region: geometry.region)
    }
}

/// Selects the frames to read and their searched part, using the change gate. The same for every search.
struct FrameSelection {
    let part: SearchedPart
    /// The picture format of the reader.
    let format: Picture.Format
    private let settings: ChangeGate.Settings
    private var gate: ChangeGate

    init(_ part: SearchedPart, _ format: Picture.Format, _ settings: ChangeGate.Settings) {
        self.part = part
        self.format = format
        self.settings = settings
        gate = ChangeGate(settings: settings)
    }

    /// Discards earlier frames, which are unrelated to the next ones.
    mutating func startAnew() { self = FrameSelection(part, format, settings) }

    /// Decides which part of the next frame to read.
    mutating func decide(on thumbnail: Picture, at time: FrameTime) -> ChangeGate.Decision {
        gate.consider(thumbnail, at: time)
    }

    /// The part that changed and was not read, and the motion of the rest.
    var unread: (change: TileMask?, displacement: Displacement) { (gate.unreadChange, gate.unreadDisplacement) }

    /// The tiles in which the last frame shows something that no reading saw, even if it resembles what was read there
    /// before.
    var unseen: TileMask? { gate.unseenTiles }

    /// Returns the picture of a frame to read.
    ///
    /// - Throws: ``FramegrepError`` if the frame cannot be converted.
    func picture(of sample: borrowing Sample, _ geometry: FrameGeometry) throws -> Picture {
        try part.picture(of: sample, format, geometry)
    }
}

/// The sizes of the luma thumbnails in which frames are compared and followed.
enum ThumbnailSize: Double {
    /// For recordings: large enough to show the change of a single small letter, small enough to keep several seconds
    /// of them.
    case compared = 1280
    /// For a running picture: large enough for the stroke of a letter, small enough to be made for every frame.
    case followed = 640

    /// Returns the whole factor by which a picture is reduced so that its longer side fits.
    func reduction(ofWidth width: Double, height: Double) -> Int {
        max(1, Int((max(width, height) / rawValue).rounded(.up)))
    }
}

/// The last seconds of the searched part of a running picture as thumbnails. The display thread adds them; the reader
/// uses them to see what changed, and to determine since when, and along which path, words were there. Thread-safe.
///
/// Buffering: thumbnails older than ``memory`` are discarded.
final class LiveFrameHistory: Sendable {
    private struct State {
        var frames: [FrameHistory.Frame] = []
        /// The geometry of the thumbnails; nil before the first.
        var geometry: FrameGeometry?

        var scale: Double { geometry?.scale ?? 1 }
    }

    /// The time for which thumbnails are kept; longer than a slow reading takes.
    static let memory = StreamTime(seconds: 3)
    /// The largest number of frames, for sources without sensible times.
    static let limit = 240

    private let state = Mutex(State())

    /// - Parameter geometry: maps the picture to its frame.
    func append(_ frame: FrameHistory.Frame, _ geometry: FrameGeometry) {
        state.withLock { state in
            if state.geometry != geometry { state.frames = [] }
            state.geometry = geometry
            state.frames.append(frame)
            let oldest = frame.time.start - Self.memory
            state.frames.removeAll { $0.time.start < oldest }
            if state.frames.count > Self.limit { state.frames.removeFirst(state.frames.count - Self.limit) }
        }
    }

    /// Discards everything, because coming frames are unrelated.
    func clear() { state.withLock { $0.frames = [] } }

    /// Returns the thumbnail of one frame; nil if it is not kept.
    func picture(at index: Int) -> Picture? {
        state.withLock { state in state.frames.last { $0.time.index == index }?.picture }
    }

    /// Returns the frames after `first` up to and including `last`, by index, and their scale; none if the last of them
    /// is not kept (any more, or at another scale).
    func frames(after first: Int, through last: Int) -> (frames: [FrameHistory.Frame], scale: Double) {
        state.withLock { state in
            let found = state.frames.filter { $0.time.index > first && $0.time.index <= last }
            return (found.last?.time.index == last ? found : [], state.scale)
        }
    }

    /// Returns the kept frames that begin from `start` up to and including `end`, and their geometry; nil before the
    /// first frame of all.
    func frames(
        from start: StreamTime, through end: StreamTime
    ) -> (frames: [FrameHistory.Frame], geometry: FrameGeometry?) {
        state.withLock { state in
            (state.frames.filter { $0.time.start >= start && $0.time.start <= end }, state.geometry)
        }
    }

    /// Returns the kept frames after index `first` that begin up to and including `end`, and their geometry.
    func frames(
        after first: Int, upTo end: StreamTime
    ) -> (frames: [FrameHistory.Frame], geometry: FrameGeometry?) {
        state.withLock { state in
            (state.frames.filter { $0.time.index > first && $0.time.start <= end }, state.geometry)
        }
    }
}
