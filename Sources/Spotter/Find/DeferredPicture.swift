import GStreamerMedia
import TextSpotting

/// A frame that is made a picture of only if somebody asks: most of those that may have to be read again need not be.
///
/// Thread-safe: a frame never changes, and the converter takes several threads.
final class DeferredPicture: Sendable {
    private let sample: Sample
    private let format: Picture.Format
    private let region: Rect?
    private let converter: PictureConverter
    /// What the frame takes in memory, about.
    let byteCount: Int

    init(of sample: borrowing Sample, format: Picture.Format, region: Rect?, by converter: PictureConverter) {
        self.sample = sample.retained()
        self.format = format
        self.region = region
        self.converter = converter
        byteCount = sample.info.map { $0.width * $0.height * 3 / 2 } ?? 0
    }

    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture() throws -> Picture { try converter.picture(from: sample, format: format, region: region) }
}
