import Errors
import GStreamerMedia
import TextSpotting

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
    /// What the reader wants its pictures in.
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

    /// What to read of the next frame.
    mutating func decide(on thumbnail: Picture, at time: FrameTime) -> ChangeGate.Decision {
        gate.consider(thumbnail, at: time)
    }

    /// What changed and was not read, and by how much the rest moved.
    var unread: (change: TileMask?, displacement: Displacement) { (gate.unreadChange, gate.unreadDisplacement) }

    /// A frame as it is read.
    ///
    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture(of sample: borrowing Sample, _ geometry: FrameGeometry) throws -> Picture {
        try part.picture(of: sample, format, geometry)
    }
}
