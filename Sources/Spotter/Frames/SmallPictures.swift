import Errors
import GStreamerMedia
import TextSpotting

/// Makes the small luma picture of each frame in which words are followed.
struct SmallPictures {
    private let converter = PictureConverter()

    /// The picture, and its size divided by that of the frame.
    ///
    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture(of sample: borrowing Sample) throws -> (picture: Picture, scale: Double) {
        guard let info = sample.info else {
            throw FramegrepError(.pipelineFailed, "A frame came that is no raw video.")
        }
        let reduction = SmallPictureSize.followed.reduction(
            ofWidth: Double(info.width), height: Double(info.height))
        let size = (width: max(1, info.width / reduction), height: max(1, info.height / reduction))
        return (try converter.picture(from: sample, format: .luma, size: size), 1 / Double(reduction))
    }
}
