public import TextSpotting

/// A description of a source, found by opening it and reading its beginning.
public struct MediaInfo: Hashable, Sendable {
    /// Nil if it is endless or unknown: cameras, stills.
    public let duration: StreamTime?
    /// Of the first video stream, in pixels, before any turning.
    public let width: Int
    /// Of the first video stream, in pixels, before any turning.
    public let height: Int
    /// Frames a second; 0/1 where the rate varies or is unknown.
    public let frameRate: Ratio
    /// The width of a pixel over its height.
    public let pixelAspectRatio: Ratio
    /// Whether it is one still picture.
    public let isImage: Bool
    public let isInterlaced: Bool
    public let isSeekable: Bool
    /// Whether frames come at the source's own pace.
    public let isLive: Bool
    /// GStreamer's words for the video's format, such as `H.264 (High Profile)`.
    public let videoCodec: String
    /// GStreamer's words for the container, such as `ISO MP4/M4A`; nil if there is none.
    public let container: String?
    /// How the picture is to be turned when shown: GStreamer's names, such as `rotate-90`; nil if the source does not say.
    public let orientation: String?
    public let hasVideo: Bool
    public let hasAudio: Bool
    /// The first sound stream as its container has it, as caps: `audio/mpeg, mpegversion=(int)4, ...`; nil without sound.
    public let audioFormat: String?
    /// When it was recorded, as it says itself, in seconds since 1970: of most containers its beginning. Nil if it does not
    /// say, or says what a device says whose clock was never set.
    public var creationTime: Double? = nil

    /// Of a source that nothing was read of yet.
    static let unknown = MediaInfo(
        duration: nil, width: 0, height: 0, frameRate: Ratio(0, 1), pixelAspectRatio: Ratio(1, 1), isImage: false,
        isInterlaced: false, isSeekable: false, isLive: false, videoCodec: "", container: nil, orientation: nil,
        hasVideo: true, hasAudio: false, audioFormat: nil)

    /// Of a still picture, as its head has it.
    static func still(_ header: PictureHeader) -> MediaInfo {
        MediaInfo(
            duration: nil, width: header.width, height: header.height, frameRate: Ratio(0, 1),
            pixelAspectRatio: Ratio(1, 1), isImage: true, isInterlaced: false, isSeekable: false, isLive: false,
            videoCodec: header.format.name, container: nil, orientation: nil, hasVideo: true, hasAudio: false,
            audioFormat: nil)
    }
}
