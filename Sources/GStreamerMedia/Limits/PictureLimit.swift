import Errors
import Synchronization

/// How large a picture may be that is decoded: a file of some megabytes can stand for a picture of many gigabytes.
///
/// One limit for the whole process, looked at before anything is decoded: in the head of a file, in the caps that a demuxer or a
/// parser announces, and in those that a decoder announces before it asks for memory. Thread-safe.
public enum PictureLimit {
    /// In megapixels: a panorama of 16384×8192 and the pictures of telephones with 108 megapixels are below it. Decoding one of
    /// that size takes some 1.2 GB.
    public static let ordinary = 140
    /// Pixels of a picture of one megapixel.
    private static let unit = 1_000_000

    /// In pixels: GStreamer's elements agree on no larger pictures.
    static let longestSide = 32_767

    private static let limit = Mutex(ordinary * unit)

    /// Has this limit hold for everything that is opened from now on.
    ///
    /// - Parameter megapixels: at least 1.
    public static func set(megapixels: Int) { limit.withLock { $0 = max(1, megapixels) * unit } }

    /// How many pixels a picture may have.
    static var pixels: Int { limit.withLock { $0 } }

    /// How many bytes one picture of a row of pictures may be announced with, or take: an encoded picture has less than a byte
    /// a pixel, even a JPEG of the best quality.
    static var encodedBytes: Int { pixels }

    static func allows(width: Int, height: Int) -> Bool {
        let (product, isTooLarge) = max(0, width).multipliedReportingOverflow(by: max(0, height))
        return !isTooLarge && product <= pixels
    }

    /// Why a picture is not decoded.
    ///
    /// - Parameter name: of the source, as a user knows it.
    static func refusal(of name: String, width: Int, height: Int) -> FramegrepError {
        let megapixels = (Double(width) * Double(height) / Double(unit)).rounded(.up)
        let wanted = Int(exactly: megapixels).map { "If you trust it, add --max-picture \($0)." } ?? ""
        return FramegrepError(
            .sourceUnavailable,
            "\(name) is not decoded: its picture has \(width)×\(height) pixels, and with more than "
                + "\(pixels / unit) megapixels it would take more memory than most machines have to spare. \(wanted)")
    }

    /// Why a picture is not decoded that is wider or higher than GStreamer takes; nil if it is not.
    static func refusal(ofSidesOf name: String, width: Int, height: Int) -> FramegrepError? {
        guard max(width, height) > longestSide else { return nil }
        return FramegrepError(
            .sourceUnavailable,
            "\(name) is not decoded: its picture has \(width)×\(height) pixels, and GStreamer takes at most \(longestSide) a side. "
                + "Cut it into parts, or make it smaller, and search those.")
    }

    /// Why a row of pictures without end is not read on.
    static func refusal(of name: String, bytes: Int) -> FramegrepError {
        FramegrepError(
            .sourceUnavailable,
            "\(name) is not read on: one of its pictures has more than \(encodedBytes / unit) megabytes, and would be kept in memory "
                + "until it is whole. If you trust it, add --max-picture \(bytes / unit + 1).")
    }
}
