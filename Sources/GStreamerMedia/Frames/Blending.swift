import CGStreamer
import TextSpotting

/// A buffer of the caller's own with the same pixels, whose times may be set and which may be drawn on.
///
/// The pixels themselves are still shared: GStreamer copies a memory that several buffers hold when it is mapped for
/// writing, so only a frame that is drawn on costs a copy.
/// - Returns: with one reference, the caller's.
func drawableCopy(of shared: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
    gst_buffer_copy(shared)
}

/// Lays patches over a frame.
///
/// - Parameter buffer: writable; mapped for writing, so its memory becomes its own.
/// - Returns: whether the frame's format could be drawn on.
@discardableResult
func blend(_ patches: [OverlayPatch], onto buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo) -> Bool {
    guard !patches.isEmpty else { return true }
    var info = info
    var frame = GstVideoFrame()
    let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard gst_video_frame_map(&frame, &info, buffer, access) != 0 else { return false }
    defer { gst_video_frame_unmap(&frame) }
    if let planar = PlanarBlend(frame) {
        for patch in patches { planar.blend(patch) }
        return true
    }
    return patches.allSatisfy { blend($0, onto: &frame) }
}

/// - Returns: whether the frame's format could be drawn on.
private func blend(_ patch: OverlayPatch, onto frame: inout GstVideoFrame) -> Bool {
    let (width, height) = (Int(frame.info.width), Int(frame.info.height))
    let isSeen = patch.x < width && patch.y < height && patch.x + patch.width > 0 && patch.y + patch.height > 0
    guard isSeen, patch.width > 0, patch.height > 0 else { return true }
    return patch.bgra.withUnsafeBytes { pixels in
        var source = GstVideoFrame()
        guard
            gst_video_info_set_format(
                &source.info, GST_VIDEO_FORMAT_BGRA, guint(patch.width), guint(patch.height)) != 0
        else { return false }
        source.info.flags.rawValue |= GST_VIDEO_FLAG_PREMULTIPLIED_ALPHA.rawValue
        // What is blended is only read.
        source.data.0 = UnsafeMutableRawPointer(mutating: pixels.baseAddress)
        if let (part, x, y) = FramePart.part(of: frame, under: patch) {
            var part = part
            return gst_video_blend(&part, &source, gint(patch.x - x), gint(patch.y - y), 1) != 0
        }
        return gst_video_blend(&frame, &source, gint(patch.x), gint(patch.y), 1) != 0
    }
}
