import CGStreamer
import Errors
import Synchronization
public import TextSpotting

/// The formats of a frame and of the picture made from it; equal conversions can share a converter.
struct Conversion: Hashable {
    let source: VideoInfo
    let chromaSite: UInt32
    let region: PixelRegion
    /// Nil for RGB with transparency.
    let format: Picture.Format?
    let width: Int
    let height: Int

    init(_ info: GstVideoInfo, _ region: PixelRegion, format: Picture.Format?, width: Int, height: Int) {
        source = VideoInfo(info)
        chromaSite = info.chroma_site.rawValue
        self.region = region
        self.format = format
        self.width = width
        self.height = height
    }
}

/// Owns one GstVideoConverter.
// @unchecked: a converter has its own scratch memory and is used by one thread at a time, which the pool ensures.
final class FrameConverter: @unchecked Sendable {
    let conversion: Conversion
    private let converter: OpaquePointer
    private let target: GstVideoInfo

    /// - Parameter wanted: the output format; by default the conversion's.
    /// - Throws: ``FramegrepError`` `.pipelineFailed` if GStreamer cannot convert between the two formats.
    init(_ conversion: Conversion, from info: GstVideoInfo, to wanted: GstVideoInfo? = nil) throws {
        self.conversion = conversion
        var source = info
        target = wanted ?? Self.target(of: conversion, like: info)
        var wanted = target
        guard let converter = gst_video_converter_new(&source, &wanted, Self.options(conversion)) else {
            throw FramegrepError(
                .pipelineFailed,
                "Frames in the format \(conversion.source.format) cannot be converted. Put videoconvert in front of the appsink."
            )
        }
        self.converter = converter
    }

    deinit {
        gst_video_converter_free(converter)
    }

    /// Converts a frame, which must be in the format that the converter was made for.
    func bytes(of frame: borrowing GstVideoFrame) -> [UInt8] {
        let count = conversion.width * conversion.height * (conversion.format?.bytesPerPixel ?? 4)
        var source = copy frame
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            var output = GstVideoFrame()
            output.info = target
            output.data.0 = UnsafeMutableRawPointer(bytes.baseAddress)
            gst_video_converter_frame(converter, &source, &output)
            if conversion.format == .luma, target.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235 {
                for index in 0..<count { bytes[index] = spreadToFullRange(bytes[index]) }
            }
            filled = count
        }
    }

    /// Describes a tightly packed picture, with the same fields and rate as the frame, because the converter changes
    /// neither.
    private static func target(of conversion: Conversion, like info: GstVideoInfo) -> GstVideoInfo {
        var target = GstVideoInfo()
        let isLuma = conversion.format == .luma
        gst_video_info_set_format(
            &target, isLuma ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_RGB, guint(conversion.width),
            guint(conversion.height))
        target.interlace_mode = info.interlace_mode
        target.fps_n = info.fps_n
        target.fps_d = info.fps_d
        target.stride.0 = gint(conversion.width * (isLuma ? 1 : 3))
        target.size = gsize(conversion.height) * gsize(target.stride.0)
        guard isLuma else { return target }
        // Y stays the frame's own Y; only RGB needs weights, and gets BT.601's. The converter does not change the range
        // if the matrix stays the same, so that is expanded afterward.
        target.colorimetry = info.colorimetry
        if !isYUV(info) {
            target.colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601
            target.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255
        }
        return target
    }

    private static func isYUV(_ info: GstVideoInfo) -> Bool {
        info.finfo.map { fgst_format_is_yuv($0) != 0 || fgst_format_is_gray($0) != 0 } ?? false
    }

    /// Returns options, which the converter that takes them then owns.
    private static func options(_ conversion: Conversion) -> UnsafeMutablePointer<GstStructure>? {
        guard let options = gst_structure_new_empty("options") else { return nil }
        fgst_structure_set_int(options, GST_VIDEO_CONVERTER_OPT_SRC_X, Int32(conversion.region.x))
        fgst_structure_set_int(options, GST_VIDEO_CONVERTER_OPT_SRC_Y, Int32(conversion.region.y))
        fgst_structure_set_int(options, GST_VIDEO_CONVERTER_OPT_SRC_WIDTH, Int32(conversion.region.width))
        fgst_structure_set_int(options, GST_VIDEO_CONVERTER_OPT_SRC_HEIGHT, Int32(conversion.region.height))
        fgst_structure_set_enum(
            options, GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD, gst_video_resampler_method_get_type(),
            Int32(GST_VIDEO_RESAMPLER_METHOD_LINEAR.rawValue))
        fgst_structure_set_enum(
            options, GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, gst_video_dither_method_get_type(),
            Int32(GST_VIDEO_DITHER_NONE.rawValue))
        return options
    }
}

/// The last few converters, each lent to one user at a time.
final class ConverterPool: Sendable {
    /// The number of converters that are kept: for a small and a large picture in luma and in color, two each.
    private static let capacity = 8

    /// Nil once the pool is closed.
    private let idle = Mutex<[FrameConverter]?>([])

    /// Takes a converter for this kind of conversion out of the pool; nil if there is none.
    func take(_ conversion: Conversion) -> FrameConverter? {
        idle.withLock { idle in
            idle?.lastIndex { $0.conversion == conversion }.flatMap { idle?.remove(at: $0) }
        }
    }

    /// Puts a converter into the pool; if there are too many, the least recently used one is released.
    func giveBack(_ converter: FrameConverter) {
        idle.withLock { idle in
            idle?.append(converter)
            if let count = idle?.count, count > Self.capacity { idle?.removeFirst() }
        }
    }

    /// Releases all converters, and those that are returned later.
    func close() { idle.withLock { $0 = nil } }
}

/// Makes pictures of frames: converts any of GStreamer's raw formats to brightness or RGB, whole or in part, enlarged
/// or reduced.
///
/// Luma is full range (0 black, 255 white) whatever the frame's range is, so that the same scene gives the same luma in
/// every format. For YUV and gray frames it is their own Y; for RGB frames it is Y by BT.601's weights. Transparent
/// frames are laid on a background (``LaidFrame``).
///
/// Safe to use from several threads at once. It caches the tables of the last few kinds of conversion, and handles
/// formats that change in mid-stream.
public final class PictureConverter: Sendable {
    private let pool = ConverterPool()

    public init() {}

    /// Releases the cached converters now, even if this object continues to exist.
    public func close() { pool.close() }

    /// Returns a picture of a frame, or of a part of it.
    ///
    /// Luma of 8-bit frames that have a Y plane is copied row by row; reduced to a whole fraction (a half, a third,
    /// down to a sixteenth) it is the mean of the pixels. Everything else is converted by GStreamer, with linear
    /// scaling.
    /// - Parameters:
    ///   - size: in pixels; the region's own size by default. The caller is responsible for proportions, and for pixels
    ///     that are not square.
    ///   - region: in pixels of the frame, expanded to whole pixels and clipped to the frame; the whole frame by
    ///     default.
    /// - Throws: `FramegrepError` `.badArgument` for a region outside the frame or an impossible size,
    ///   `.pipelineFailed` for a format that GStreamer cannot convert or memory that cannot be read.
    public func picture(
        from sample: borrowing Sample, format: Picture.Format, size: (width: Int, height: Int)? = nil,
        region: Rect? = nil
    ) throws -> Picture {
        guard let info = sample.videoInfo else {
            throw FramegrepError(
                .pipelineFailed, "The frame is not raw video. Put videoconvert in front of the appsink.")
        }
        let part = try PixelRegion(region, width: Int(info.width), height: Int(info.height))
        let target = size ?? (part.width, part.height)
        guard (1...Self.largestSide).contains(target.width), (1...Self.largestSide).contains(target.height) else {
            throw FramegrepError(.badArgument, "A picture of \(target.width)×\(target.height) pixels cannot be made.")
        }
        return try sample.withFrame { frame in
            if let laid = try LaidFrame(frame, info, pool: pool) {
                return try laid.picture(part, format: format, width: target.width, height: target.height, pool: pool)
            }
            if format == .luma, let plane = LumaPlane(frame, part),
                let picture = plane.picture(width: target.width, height: target.height)
            {
                return picture
            }
            let conversion = Conversion(info, part, format: format, width: target.width, height: target.height)
            let converter = try pool.take(conversion) ?? FrameConverter(conversion, from: info)
            defer { pool.giveBack(converter) }
            return Picture(
                format: format, width: target.width, height: target.height, bytes: converter.bytes(of: frame))
        }
    }

    /// In pixels: the largest side that GStreamer's caps allow in practice.
    private static let largestSide = 32768
}

/// A part of a frame in whole pixels, not empty, inside the frame.
struct PixelRegion: Hashable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    /// - Parameter region: nil for the whole frame.
    init(_ region: Rect?, width: Int, height: Int) throws {
        let whole = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        let part = (region ?? whole).intersection(whole)
        guard !part.isEmpty, part.width.isFinite, part.height.isFinite else {
            throw FramegrepError(
                .badArgument, "The region lies outside of the picture, which is \(width)×\(height) pixels.")
        }
        x = Int(part.minX.rounded(.down))
        y = Int(part.minY.rounded(.down))
        self.width = Int(part.maxX.rounded(.up)) - x
        self.height = Int(part.maxY.rounded(.up)) - y
    }
}
