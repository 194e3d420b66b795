import CGStreamer
package import TextSpotting

/// The format of a raw frame, from its caps.
public struct VideoInfo: Hashable, Sendable, CustomStringConvertible {
    /// In pixels.
    public let width: Int
    /// The size in pixels; for an interlaced frame, that of both fields together.
    public let height: Int
    /// GStreamer's name of the pixel format, such as `I420` or `P010_10LE`.
    public let format: String
    /// Frames per second; 0/1 if the rate varies or is unknown.
    public let frameRate: Ratio
    /// The width of a pixel over its height; 1/1 for square pixels.
    public let pixelAspectRatio: Ratio
    public let isInterlaced: Bool
    /// GStreamer's name of the color space, such as `bt709`; empty if it is not known.
    public let colorimetry: String
    /// GStreamer's name for the position of the colors of a subsampled format, such as `mpeg2`; empty if it is not known.
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

/// A fraction as in GStreamer's caps, not reduced.
public struct Ratio: Hashable, Sendable, CustomStringConvertible {
    public let numerator: Int
    public let denominator: Int

    public init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The quotient; 0 if the denominator is 0.
    public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }
    /// The same for the shape of a pixel: 1, a square, if it makes no sense.
    public var pixelAspect: Double { value > 0 ? value : 1 }

    public var description: String { "\(numerator)/\(denominator)" }
}

/// A frame that passes through an element of ours; owns one reference to a GstBuffer and one to its caps.
///
/// Others may hold the same buffer (the reader does). It is copied without its pixels before anything is attached to
/// it, and its pixels are copied before they are drawn on.
// @unchecked: the references are this value's own, and are counted atomically; buffers that others share are never changed.
package struct PassingFrame: ~Copyable, @unchecked Sendable {
    private var buffer: UnsafeMutablePointer<GstBuffer>
    private let caps: UnsafeMutablePointer<GstCaps>

    /// - Parameters:
    ///   - buffer: a GstBuffer; its reference is taken over.
    ///   - caps: the GstCaps that it came with, which the caller keeps.
    package init(takingOwnershipOf buffer: UnsafeMutableRawPointer, caps: UnsafeMutableRawPointer) {
        self.buffer = buffer.assumingMemoryBound(to: GstBuffer.self)
        self.caps = gst_caps_ref(caps.assumingMemoryBound(to: GstCaps.self))
    }

    deinit {
        gst_buffer_unref(buffer)
        gst_caps_unref(caps)
    }

    /// Returns the frame for readers, sharing its pixels.
    ///
    /// - Parameter segment: a GstSegment, which is copied.
    /// - Returns: nil for a frame outside the segment, which will never be shown.
    package func sample(in segment: UnsafeRawPointer) -> Sample? {
        let segment = segment.assumingMemoryBound(to: GstSegment.self)
        let start = buffer.pointee.pts
        if start != noClockTime, segment.pointee.format == GST_FORMAT_TIME {
            let duration = buffer.pointee.duration
            let end = duration == noClockTime ? noClockTime : start + duration
            guard gst_segment_clip(segment, GST_FORMAT_TIME, start, end, nil, nil) != 0 else { return nil }
        }
        return gst_sample_new(buffer, caps, segment, nil).map(Sample.init(takingOwnershipOf:))
    }

    /// The frame's format; nil if it is not raw video.
    package var info: VideoInfo? { videoInfo.map { VideoInfo($0) } }

    private var videoInfo: GstVideoInfo? {
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Draws patches on the frame.
    ///
    /// - Returns: whether its format could be drawn on.
    package mutating func draw(_ patches: [OverlayPatch]) -> Bool {
        guard !patches.isEmpty else { return true }
        guard let info = videoInfo else { return false }
        buffer = fgst_buffer_make_writable(buffer)
        return blend(patches, onto: buffer, info)
    }

    /// Calls `body` with the GstBuffer, to which metadata may be attached.
    package mutating func withBuffer(_ body: (UnsafeMutableRawPointer) -> Void) {
        buffer = fgst_buffer_make_writable(buffer)
        body(UnsafeMutableRawPointer(buffer))
    }

    /// Calls `body` with the GstBuffer, on which it may draw, and its format.
    ///
    /// - Returns: the result of `body`; false for a frame that is not raw video.
    mutating func withVideo(_ body: (UnsafeMutablePointer<GstBuffer>, GstVideoInfo) -> Bool) -> Bool {
        guard let info = videoInfo else { return false }
        buffer = fgst_buffer_make_writable(buffer)
        return body(buffer, info)
    }

    /// Gives the frame its own pixels, so that a source with few buffers gets its buffer back; changes nothing if there
    /// is no memory for it.
    package mutating func copyPixels() {
        guard let copy = gst_buffer_copy_deep(buffer) else { return }
        gst_buffer_unref(buffer)
        buffer = copy
    }

    /// Returns the GstBuffer; the caller owns the reference.
    package consuming func handOn() -> UnsafeMutableRawPointer {
        let result = UnsafeMutableRawPointer(buffer)
        gst_caps_unref(caps)
        discard self
        return result
    }
}
