import CGStreamer
import Errors
import Synchronization
import TextSpotting

/// The formats of a frame and of the picture made from it; equal conversions can share a converter.
struct Conversion: Hashable {
    let source: VideoInfo
    let chromaSite: UInt32
    let region: PixelRegion
    /// Nil for RGB with its transparency.
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

/// The owner of one GstVideoConverter.
// @unchecked: a converter has scratch memory of its own and is used by one thread at a time, which the pool sees to.
final class FrameConverter: @unchecked Sendable {
    let conversion: Conversion
    private let converter: OpaquePointer
    private let target: GstVideoInfo

    /// - Parameter wanted: the output format; by default the one that the conversion asks for.
    /// - Throws: ``FramegrepError`` `.pipelineFailed` if GStreamer has no way from the one format to the other.
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

    /// The picture of a frame whose format is the conversion's.
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

    /// A tightly packed picture: same fields and rate as the frame, because the converter changes neither.
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
        // Y stays the frame's own Y; only RGB needs weights, and gets BT.601's. The converter leaves the range alone where
        // the matrix does not change, so that is spread afterwards.
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

    /// Owned by the converter that takes them.
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
    /// How many are kept: a small and a large picture in luma and in color, twice over.
    private static let capacity = 8

    /// Nil once it is closed.
    private let idle = Mutex<[FrameConverter]?>([])

    /// A converter for this kind of conversion, taken out of the pool; nil if there is none to spare.
    func take(_ conversion: Conversion) -> FrameConverter? {
        idle.withLock { idle in
            idle?.lastIndex { $0.conversion == conversion }.flatMap { idle?.remove(at: $0) }
        }
    }

    /// Puts a converter (back) in; the one unused longest goes when there are too many.
    func giveBack(_ converter: FrameConverter) {
        idle.withLock { idle in
            idle?.append(converter)
            if let count = idle?.count, count > Self.capacity { idle?.removeFirst() }
        }
    }

    /// Lets go of all, and of those that come back.
    func close() { idle.withLock { $0 = nil } }
}
