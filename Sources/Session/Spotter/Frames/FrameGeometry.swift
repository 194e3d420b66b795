import Errors
import GStreamerMedia
import Synchronization
import TextSpotting

/// How the searched part of a frame lies in the frame as stored and in the picture that people see, and how small its thumbnail is: the only
/// place where places go from one of these into another.
///
/// | in pixels of | what has its places there |
/// | --- | --- |
/// | the thumbnail | the gate, patches, what is followed |
/// | the searched part | lines, tracks, matches, open sightings |
/// | the frame as stored | boxes that are drawn, text that is clicked on |
/// | the picture as displayed | sightings and boxes that are told |
struct FrameGeometry: Sendable, Hashable {
    /// Size of the frame as stored, in pixels.
    let frameWidth: Int
    let frameHeight: Int
    /// The searched part, in pixels of the frame; nil for the whole.
    let region: Rect?
    /// Width of a displayed pixel divided by its height.
    let pixelAspectRatio: Double
    /// The comparison pictures are smaller than the searched part by this whole factor.
    let reduction: Int

    init(_ info: VideoInfo, region: RegionOfInterest?, size: ThumbnailSize = .compared) throws {
        frameWidth = info.width
        frameHeight = info.height
        self.region = try region?.rect(width: info.width, height: info.height)
        pixelAspectRatio = info.pixelAspect
        reduction = size.reduction(
            ofWidth: self.region?.width ?? Double(info.width), height: self.region?.height ?? Double(info.height))
    }

    /// Size of the comparison pictures.
    var smallSize: (width: Int, height: Int) {
        let width = Int(region?.width ?? Double(frameWidth))
        let height = Int(region?.height ?? Double(frameHeight))
        return (max(1, width / reduction), max(1, height / reduction))
    }

    /// Size of the comparison pictures divided by that of the searched part.
    var scale: Double { 1 / Double(reduction) }

    /// Where the searched part begins, in pixels of the frame as stored.
    var origin: Point { Point(region?.x ?? 0, region?.y ?? 0) }

    /// The same as the results of readings say it.
    var finding: FrameResult.Geometry {
        FrameResult.Geometry(
            origin: origin, pixelAspect: pixelAspectRatio, scale: scale, width: frameWidth, height: frameHeight)
    }

    /// From the searched part to the frame as stored.
    func frame(_ searched: Quad) -> Quad { region == nil ? searched : searched.moved(by: origin) }

    /// From the frame as stored to the searched part.
    func part(_ stored: Quad) -> Quad { region == nil ? stored : stored.moved(by: Point(-origin.x, -origin.y)) }

    /// From the searched part to the picture as displayed.
    func displayed(_ searched: Quad) -> Quad { frame(searched).scaled(x: pixelAspectRatio, y: 1) }

    /// From the picture as displayed to the frame as stored: where a box is drawn.
    func stored(_ displayed: Quad) -> Quad { displayed.scaled(x: 1 / pixelAspectRatio, y: 1) }

    /// From the searched part to the picture as displayed.
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
    /// Width of a displayed pixel divided by its height; 1 where the caps say nothing that makes sense.
    var pixelAspect: Double {
        let (n, d) = (pixelAspectRatio.numerator, pixelAspectRatio.denominator)
        return n > 0 && d > 0 ? Double(n) / Double(d) : 1
    }

    /// From the frame as stored to the picture as displayed.
    func displayed(_ stored: Quad) -> Quad { stored.scaled(x: pixelAspect, y: 1) }

    /// From the picture as displayed to the frame as stored.
    func stored(_ displayed: Quad) -> Quad { displayed.scaled(x: 1 / pixelAspect, y: 1) }
}

extension TextLine {
    /// The line in a picture in which places are others.
    func mapped(_ transform: (Quad) -> Quad) -> TextLine {
        var line = self
        line.quad = transform(quad)
        for index in words.indices { line.words[index].quad = transform(words[index].quad) }
        return line
    }
}

/// Cuts the part to be searched out of each frame: the picture that is read, and the thumbnail in which it is compared and
/// followed.
///
/// Nothing else cuts a region out, in a recording or in a running picture: so the gate, the history, the reader and the boxes see the
/// same part, and places are those of this part until `FrameGeometry` says where they lie in the frame.
struct SearchedPart: Sendable {
    /// Nil for the whole frame.
    let region: RegionOfInterest?
    let size: ThumbnailSize
    private let converter = PictureConverter()

    init(_ region: RegionOfInterest?, size: ThumbnailSize) {
        self.region = region
        self.size = size
    }

    /// How the part lies in a frame.
    ///
    /// - Throws: ``FramegrepError`` when the frame is no video, or the region is outside of it.
    func geometry(of frame: VideoInfo?) throws -> FrameGeometry {
        guard let info = frame else {
            throw FramegrepError(.pipelineFailed, "A frame came that is no raw video.")
        }
        return try FrameGeometry(info, region: region, size: size)
    }

    /// Keeps nothing for frames to come any more.
    func close() { converter.close() }

    /// The part as a thumbnail.
    ///
    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func thumbnail(of sample: borrowing Sample, _ geometry: FrameGeometry) throws -> Picture {
        try converter.picture(from: sample, format: .luma, size: geometry.smallSize, region: geometry.region)
    }

    /// The part as it is read.
    ///
    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture(
        of sample: borrowing Sample, _ format: Picture.Format, _ geometry: FrameGeometry
    ) throws -> Picture {
        try converter.picture(from: sample, format: format, region: geometry.region)
    }
}

/// Which frames are read, and what of them: the part that is searched, and the change gate. The same for every search.
struct FrameSelection {
    let part: SearchedPart
    /// The reader's format of pictures.
    let format: Picture.Format
    private let settings: ChangeGate.Settings
    private var gate: ChangeGate

    init(_ part: SearchedPart, _ format: Picture.Format, _ settings: ChangeGate.Settings) {
        self.part = part
        self.format = format
        self.settings = settings
        gate = ChangeGate(settings: settings)
    }

    /// Forgets earlier frames: the next ones have nothing to do with them.
    mutating func startAnew() { self = FrameSelection(part, format, settings) }

    /// The part of the next frame to read.
    mutating func decide(on thumbnail: Picture, at time: FrameTime) -> ChangeGate.Decision {
        gate.consider(thumbnail, at: time)
    }

    /// The part that changed and was not read, and by how much the rest moved.
    var unread: (change: TileMask?, displacement: Displacement) { (gate.unreadChange, gate.unreadDisplacement) }

    /// The tiles in which the last frame shows what no reading saw, though it may look as what was read there before.
    var unseen: TileMask? { gate.unseenTiles }

    /// A frame as it is read.
    ///
    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture(of sample: borrowing Sample, _ geometry: FrameGeometry) throws -> Picture {
        try part.picture(of: sample, format, geometry)
    }
}

/// How small the luma pictures are in which frames are compared and followed.
enum ThumbnailSize: Double {
    /// For recordings: fine enough to see a single small letter change, small enough to keep several seconds of them.
    case compared = 1280
    /// For a running picture: fine enough for a letter's stroke, small enough to be made of every frame.
    case followed = 640

    /// By which whole factor a picture is made smaller, so that its longer side fits.
    func reduction(ofWidth width: Double, height: Double) -> Int {
        max(1, Int((max(width, height) / rawValue).rounded(.up)))
    }
}

/// The last seconds of the searched part of a running picture as thumbnails: made by the display thread, used by the reader
/// to see what changed, and to tell since when, and along which way, words were there. Thread-safe.
///
/// Buffering: what is older than ``memory`` is forgotten.
final class LiveFrameHistory: Sendable {
    private struct State {
        var frames: [FrameHistory.Frame] = []
        /// How the pictures lie in their frames; nil before the first.
        var geometry: FrameGeometry?

        var scale: Double { geometry?.scale ?? 1 }
    }

    /// Longer than a slow reading takes.
    static let memory = StreamTime(seconds: 3)
    /// A bound in frames too, for sources without sensible times.
    static let limit = 240

    private let state = Mutex(State())

    /// - Parameter geometry: how the picture lies in its frame.
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

    /// Forgets everything: what comes has nothing to do with it.
    func clear() { state.withLock { $0.frames = [] } }

    /// The thumbnail of one frame; nil when it is not kept.
    func picture(at index: Int) -> Picture? {
        state.withLock { state in state.frames.last { $0.time.index == index }?.picture }
    }

    /// The frames after the one of number `first` up to and including number `last`, and their scale; none when the last
    /// of them is not kept (any more, or at another scale).
    func frames(after first: Int, through last: Int) -> (frames: [FrameHistory.Frame], scale: Double) {
        state.withLock { state in
            let found = state.frames.filter { $0.time.index > first && $0.time.index <= last }
            return (found.last?.time.index == last ? found : [], state.scale)
        }
    }

    /// The kept frames that begin from `start` up to and including `end`, and how they lie in what is stored; nil before the first
    /// frame of all.
    func frames(
        from start: StreamTime, through end: StreamTime
    ) -> (frames: [FrameHistory.Frame], geometry: FrameGeometry?) {
        state.withLock { state in
            (state.frames.filter { $0.time.start >= start && $0.time.start <= end }, state.geometry)
        }
    }

    /// The kept frames after the one of number `first` that begin up to and including `end`, and how they lie in what is stored.
    func frames(
        after first: Int, upTo end: StreamTime
    ) -> (frames: [FrameHistory.Frame], geometry: FrameGeometry?) {
        state.withLock { state in
            (state.frames.filter { $0.time.index > first && $0.time.start <= end }, state.geometry)
        }
    }
}
