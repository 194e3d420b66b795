import CGStreamer
public import Errors
public import TextSpotting

extension AppSource {
    /// Sends a frame on with places of it made unreadable, and without anything that travels beside its pixels: captions, which an
    /// encoder would write into the file, are words too.
    ///
    /// - Parameters:
    ///   - places: in pixels of the frame as stored.
    ///   - time: when it is shown.
    /// - Throws: `FramegrepError` (`pipelineFailed`) for a frame that cannot be drawn on: it is not sent.
    public func push(
        _ sample: consuming Sample, hiding places: [Quad], _ style: HidingStyle, at time: StreamTime
    ) throws(FramegrepError) -> PushResult {
        guard let caps = gst_sample_get_caps(sample.pointer), let shared = gst_sample_get_buffer(sample.pointer),
            let info = sample.videoInfo, let buffer = drawableCopy(of: shared)
        else { return .failed }
        guard hide(places, style, in: buffer, info) else {
            gst_buffer_unref(buffer)
            throw .cannotHide(in: sample.info)
        }
        buffer.pointee.pts = GstClockTime(max(0, time.nanoseconds))
        buffer.pointee.dts = noClockTime
        return push(takingOwnershipOf: buffer, caps: caps)
    }
}

extension PassingFrame {
    /// Makes places of the frame unreadable, and takes everything from it that travels beside its pixels.
    ///
    /// - Parameter places: in pixels of the frame as stored.
    /// - Throws: `FramegrepError` (`pipelineFailed`) for a frame that cannot be drawn on: it must not go on.
    package mutating func hide(_ places: [Quad], _ style: HidingStyle) throws(FramegrepError) {
        let info = info
        let isHidden = withVideo { buffer, video in GStreamerMedia.hide(places, style, in: buffer, video) }
        guard isHidden else { throw .cannotHide(in: info) }
    }
}

extension FramegrepError {
    fileprivate static func cannotHide(in info: VideoInfo?) -> FramegrepError {
        FramegrepError(
            .pipelineFailed,
            "A frame came in a format that cannot be drawn on (\(info?.format ?? "unknown")), so nothing can be hidden in it; put videoconvert "
                + "and deinterlace in front."
        )
    }
}

/// Makes places unreadable, and takes everything away that travels beside the pixels.
///
/// - Parameter buffer: writable; mapped for writing, so its memory becomes its own.
/// - Returns: false where nothing can be drawn on it.
private func hide(
    _ places: [Quad], _ style: HidingStyle, in buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo
) -> Bool {
    gst_buffer_foreach_meta(buffer, keepVideoMeta, nil)
    guard !places.isEmpty else { return true }
    var info = info
    var frame = GstVideoFrame()
    let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard gst_video_frame_map(&frame, &info, buffer, access) != 0 else { return false }
    defer { gst_video_frame_unmap(&frame) }
    guard let pixels = HiddenPixels(frame) else { return false }
    for place in places { pixels.hide(place, style) }
    return true
}

/// `GstBufferForeachMetaFunc`: leaves what says how the pixels lie, and takes everything else away.
private func keepVideoMeta(
    _ buffer: UnsafeMutablePointer<GstBuffer>?, _ meta: UnsafeMutablePointer<UnsafeMutablePointer<GstMeta>?>?,
    _ context: gpointer?
) -> gboolean {
    guard let meta, let info = meta.pointee?.pointee.info else { return 1 }
    if info.pointee.api != gst_video_meta_api_get_type() { meta.pointee = nil }
    return 1
}
