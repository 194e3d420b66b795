import GStreamerMedia
import TextSpotting

/// A frame that is made a picture of only if somebody asks: most of those that may have to be read again need not be.
///
/// Thread-safe: a frame never changes, and the converter takes several threads.
final class DeferredPicture: Sendable {
    private let sample: Sample
    private let part: SearchedPart
    private let format: Picture.Format
    private let geometry: FrameGeometry

    init(of sample: borrowing Sample, _ part: SearchedPart, _ format: Picture.Format, _ geometry: FrameGeometry) {
        self.sample = sample.retained()
        self.part = part
        self.format = format
        self.geometry = geometry
    }

    /// The approximate size of the frame in memory.
    var byteCount: Int { geometry.frameWidth * geometry.frameHeight * 3 / 2 }

    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture() throws -> Picture { try part.picture(of: sample, format, geometry) }
}
