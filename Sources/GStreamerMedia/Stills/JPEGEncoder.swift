import CGStreamer
public import Errors

/// Makes JPEG files of pictures in memory, with GStreamer's encoder.
///
/// Blocks for as long as that takes, some 20 ms for a frame of 1080 lines: call it on a thread of your own.
public enum JPEGEncoder {
    /// - Parameters:
    ///   - bgra: four bytes a pixel (blue, green, red, alpha, which is ignored), rows from the top, no padding.
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - longestSide: larger pictures are made smaller; in pixels.
    /// - Throws: `FramegrepError` (`outputFailed`) with GStreamer's reason.
    /// - Precondition: `bgra` has `width * height * 4` elements.
    public static func encode(
        bgra: [UInt8], width: Int, height: Int, longestSide: Int
    ) throws(FramegrepError) -> [UInt8] {
        precondition(bgra.count == width * height * 4, "a picture's bytes must fill it")
        let scale = min(1, Double(longestSide) / Double(max(width, height, 1)))
        let (newWidth, newHeight) = (
            max(1, Int((Double(width) * scale).rounded())), max(1, Int((Double(height) * scale).rounded()))
        )
        guard
            let given = gst_caps_from_string(
                "video/x-raw,format=BGRx,width=\(width),height=\(height),framerate=1/1,pixel-aspect-ratio=1/1"),
            let wanted = gst_caps_from_string("image/jpeg,width=\(newWidth),height=\(newHeight)"),
            let buffer = gst_buffer_new_memdup(bgra, gsize(bgra.count))
        else { throw failure("there is no memory for it") }
        defer {
            gst_caps_unref(given)
            gst_caps_unref(wanted)
            gst_buffer_unref(buffer)
        }
        buffer.pointee.pts = 0
        guard let raw = gst_sample_new(buffer, given, nil, nil) else { throw failure("there is no memory for it") }
        defer { gst_sample_unref(raw) }
        var error: UnsafeMutablePointer<GError>?
        let converted = gst_video_convert_sample(raw, wanted, GstClockTime(10_000_000_000), &error)
        defer { if let error { g_error_free(error) } }
        guard let converted else {
            throw failure(error?.pointee.message.map { String(cString: $0) } ?? "the encoder did not answer")
        }
        defer { gst_sample_unref(converted) }
        guard let result = gst_sample_get_buffer(converted) else { throw failure("nothing came of it") }
        let size = gst_buffer_get_size(result)
        return [UInt8](unsafeUninitializedCapacity: Int(size)) { bytes, count in
            count = Int(gst_buffer_extract(result, 0, bytes.baseAddress, size))
        }
    }

    private static func failure(_ reason: String) -> FramegrepError {
        FramegrepError(.outputFailed, "A picture cannot be made a JPEG file: \(reason).")
    }
}
