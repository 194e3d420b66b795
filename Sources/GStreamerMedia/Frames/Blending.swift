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
    guard let composition = composition(of: patches) else { return true }
    defer { gst_video_overlay_composition_unref(composition) }
    var info = info
    var frame = GstVideoFrame()
    let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard gst_video_frame_map(&frame, &info, buffer, access) != 0 else { return false }
    defer { gst_video_frame_unmap(&frame) }
    return gst_video_overlay_composition_blend(composition, &frame) != 0
}

/// GStreamer's form of the patches, owned by the caller; nil where there is nothing to see.
private func composition(of patches: [OverlayPatch]) -> OpaquePointer? {
    var composition: OpaquePointer?
    for patch in patches where patch.width > 0 && patch.height > 0 {
        guard let rectangle = rectangle(of: patch) else { continue }
        if let composition {
            gst_video_overlay_composition_add_rectangle(composition, rectangle)
        } else {
            composition = gst_video_overlay_composition_new(rectangle)
        }
        gst_video_overlay_rectangle_unref(rectangle)
    }
    return composition
}

private func rectangle(of patch: OverlayPatch) -> OpaquePointer? {
    guard let pixels = gst_buffer_new_memdup(patch.bgra, gsize(patch.bgra.count)) else { return nil }
    defer { gst_buffer_unref(pixels) }
    gst_buffer_add_video_meta(
        pixels, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRA, guint(patch.width), guint(patch.height))
    return gst_video_overlay_rectangle_new_raw(
        pixels, gint(patch.x), gint(patch.y), guint(patch.width), guint(patch.height),
        GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA)
}
