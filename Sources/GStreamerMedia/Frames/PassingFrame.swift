import CGStreamer
package import TextSpotting

/// A frame on its way through an element of ours: the owner of one reference to a GstBuffer, and of one to its caps.
///
/// Others may hold the same buffer (the reader does). It is copied, without its pixels, before anything is attached to it, and its
/// pixels too before they are drawn on.
// @unchecked: the references are this value's own, and are counted atomically; what others hold is never changed.
package struct PassingFrame: ~Copyable, @unchecked Sendable {
    private var buffer: UnsafeMutablePointer<GstBuffer>
    private let caps: UnsafeMutablePointer<GstCaps>

    /// - Parameters:
    ///   - buffer: a GstBuffer whose reference is taken over.
    ///   - caps: the GstCaps that it came with, which stay the caller's.
    package init(takingOwnershipOf buffer: UnsafeMutableRawPointer, caps: UnsafeMutableRawPointer) {
        self.buffer = buffer.assumingMemoryBound(to: GstBuffer.self)
        self.caps = gst_caps_ref(caps.assumingMemoryBound(to: GstCaps.self))
    }

    deinit {
        gst_buffer_unref(buffer)
        gst_caps_unref(caps)
    }

    /// The frame as readers take it, sharing its pixels.
    ///
    /// - Parameter segment: a GstSegment, which is copied.
    /// - Returns: nil for a frame outside of the segment, which will never be shown.
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

    /// The frame's format; nil if it is no raw video.
    package var info: VideoInfo? { videoInfo.map { VideoInfo($0) } }

    private var videoInfo: GstVideoInfo? {
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Lays patches over the frame.
    ///
    /// - Returns: whether its format could be drawn on.
    package mutating func draw(_ patches: [OverlayPatch]) -> Bool {
        guard !patches.isEmpty else { return true }
        guard let info = videoInfo else { return false }
        buffer = fgst_buffer_make_writable(buffer)
        return blend(patches, onto: buffer, info)
    }

    /// Lends the GstBuffer, to which metadata may be attached.
    package mutating func withBuffer(_ body: (UnsafeMutableRawPointer) -> Void) {
        buffer = fgst_buffer_make_writable(buffer)
        body(UnsafeMutableRawPointer(buffer))
    }

    /// Lends the GstBuffer with its format, to be drawn on.
    ///
    /// - Returns: what `body` does; false for a frame that is no raw video.
    mutating func withVideo(_ body: (UnsafeMutablePointer<GstBuffer>, GstVideoInfo) -> Bool) -> Bool {
        guard let info = videoInfo else { return false }
        buffer = fgst_buffer_make_writable(buffer)
        return body(buffer, info)
    }

    /// The same frame with pixels of its own, so that a source with few buffers gets its own back; unchanged if there is no
    /// memory for it.
    package mutating func copyPixels() {
        guard let copy = gst_buffer_copy_deep(buffer) else { return }
        gst_buffer_unref(buffer)
        buffer = copy
    }

    /// The GstBuffer, whose reference is the caller's from now on.
    package consuming func handOn() -> UnsafeMutableRawPointer {
        let result = UnsafeMutableRawPointer(buffer)
        gst_caps_unref(caps)
        discard self
        return result
    }
}
