import CGStreamer

/// The format of a raw frame, from its caps.
public struct VideoInfo: Hashable, Sendable, CustomStringConvertible {
    /// In pixels.
    public let width: Int
    /// In pixels; of the whole frame, both fields, where it is interlaced.
    public let height: Int
    /// GStreamer's name of the pixel format, such as `I420` or `P010_10LE`.
    public let format: String
    /// Frames a second; 0/1 where the rate varies or is unknown.
    public let frameRate: Ratio
    /// The width of a pixel over its height; 1/1 for square pixels.
    public let pixelAspectRatio: Ratio
    public let isInterlaced: Bool
    /// GStreamer's name of the color space, such as `bt709`; empty if it is not known.
    public let colorimetry: String
    /// GStreamer's name of where the colors of a subsampled format lie, such as `mpeg2`; empty if it is not known.
    public let chromaSite: String

    init(_ info: GstVideoInfo) {
        var info = info
        width = Int(info.width)
        height = Int(info.height)
        format = info.finfo?.pointee.name.map { String(cString: $0) } ?? ""
        frameRate = Ratio(Int(info.fps_n), Int(info.fps_d))
        pixelAspectRatio = Ratio(Int(info.par_n), Int(info.par_d))
        isInterlaced = fgst_info_is_interlaced(&info) != 0
        colorimetry = String(takingOwnershipOf: gst_video_colorimetry_to_string(&info.colorimetry)) ?? ""
        chromaSite =
            info.chroma_site == GST_VIDEO_CHROMA_SITE_UNKNOWN
            ? "" : String(takingOwnershipOf: gst_video_chroma_site_to_string(info.chroma_site)) ?? ""
    }

    public var description: String {
        "\(width)x\(height) \(format), \(frameRate) a second, pixels \(pixelAspectRatio)\(isInterlaced ? ", interlaced" : "")"
            + (colorimetry.isEmpty ? "" : ", \(colorimetry)")
    }
}

/// A fraction as GStreamer has it in caps, not reduced.
public struct Ratio: Hashable, Sendable, CustomStringConvertible {
    public let numerator: Int
    public let denominator: Int

    public init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The quotient; 0 where the denominator is 0.
    public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

    public var description: String { "\(numerator)/\(denominator)" }
}
