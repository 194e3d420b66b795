import CGStreamer
import TextSpotting

/// A transparent frame, laid on a background on which its text can be read.
///
/// The background is white, or black if the contents are nearly white themselves. It is chosen for the whole frame, so
/// that all its parts have the same background.
struct LaidFrame {
    /// RGBA without padding, with no transparency left.
    private let bytes: [UInt8]
    private let info: GstVideoInfo

    /// If the visible pixels are on average lighter than this, on a scale to 255, the background is black.
    private static let light = 200
    private static let opaque: UInt8 = 255

    /// Returns nil if no part of the frame is transparent.
    ///
    /// - Throws: ``FramegrepError`` (`pipelineFailed`) for a format that GStreamer cannot convert.
    init?(_ frame: borrowing GstVideoFrame, _ info: GstVideoInfo, pool: ConverterPool) throws {
        guard Self.mayBeTransparent(frame, info) else { return nil }
        let whole = try PixelRegion(nil, width: Int(info.width), height: Int(info.height))
        var target = GstVideoInfo()
        gst_video_info_set_format(&target, GST_VIDEO_FORMAT_RGBA, guint(info.width), guint(info.height))
        target.interlace_mode = info.interlace_mode
        (target.fps_n, target.fps_d) = (info.fps_n, info.fps_d)
        let conversion = Conversion(info, whole, format: nil, width: whole.width, height: whole.height)
        let converter = try pool.take(conversion) ?? FrameConverter(conversion, from: info, to: target)
        defer { pool.giveBack(converter) }
        var bytes = converter.bytes(of: frame)
        guard Self.lay(&bytes) else { return nil }
        self.bytes = bytes
        self.info = target
    }

    /// Returns a picture of a part of it.
    func picture(
        _ part: PixelRegion, format: Picture.Format, width: Int, height: Int, pool: ConverterPool
    ) throws -> Picture {
        let conversion = Conversion(info, part, format: format, width: width, height: height)
        let converter = try pool.take(conversion) ?? FrameConverter(conversion, from: info)
        defer { pool.giveBack(converter) }
        return bytes.withUnsafeBytes { bytes in
            var frame = GstVideoFrame()
            frame.info = info
            // The bytes are only read: the converter uses the same type for frames to read and to write.
            frame.data.0 = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return Picture(format: format, width: width, height: height, bytes: converter.bytes(of: frame))
        }
    }

    /// Returns whether the format has transparency and, if that is stored in separate bytes, whether one of them is not
    /// 255.
    private static func mayBeTransparent(_ frame: borrowing GstVideoFrame, _ info: GstVideoInfo) -> Bool {
        guard let format = info.finfo?.pointee, format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_ALPHA.rawValue != 0 else {
            return false
        }
        let step = Int(format.pixel_stride.3)
        guard format.depth.3 == 8, step > 0 else { return true }
        let plane = plane(Int(format.plane.3), of: frame)
        guard let start = plane.start, plane.count > 0 else { return true }
        for row in 0..<Int(info.height) {
            let first = (start + row * plane.stride + Int(format.poffset.3)).assumingMemoryBound(to: UInt8.self)
            var all = opaque
            for x in 0..<Int(info.width) { all &= first[x &* step] }
            if all != opaque { return true }
        }
        return false
    }

    /// Lays transparent pixels on the background.
    ///
    /// - Returns: false if no pixel was transparent.
    private static func lay(_ bytes: inout [UInt8]) -> Bool {
        var seen = 0
        var light = 0
        var isTransparent = false
        bytes.withUnsafeMutableBufferPointer { pixels in
            for place in stride(from: 0, to: pixels.count, by: 4) {
                let alpha = Int(pixels[place + 3])
                isTransparent = isTransparent || alpha != Int(opaque)
                seen += alpha
                // These are the weights of BT.601, as for luma elsewhere.
                light +=
                    alpha * (77 * Int(pixels[place]) + 150 * Int(pixels[place + 1]) + 29 * Int(pixels[place + 2])) >> 8
            }
            guard isTransparent else { return }
            let ground = light > Self.light * seen ? 0 : 255
            for place in stride(from: 0, to: pixels.count, by: 4) where pixels[place + 3] != opaque {
                let alpha = Int(pixels[place + 3])
                for color in place..<place + 3 {
                    pixels[color] = UInt8((Int(pixels[color]) * alpha + ground * (255 - alpha) + 127) / 255)
                }
                pixels[place + 3] = opaque
            }
        }
        return isTransparent
    }
}
