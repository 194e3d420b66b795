import CGStreamer
import Errors
public import TextSpotting

/// One frame as it came out of a pipeline, with its format and its times; owns one reference to a GstSample.
///
/// The frame's bytes are shared with the pipeline and are only read here. Keeping many samples can starve a camera,
/// whose few buffers are reused: make a `Picture` of anything that must be kept.
// @unchecked: a pulled GstSample is never changed while it is referenced, and its references are counted atomically.
public struct Sample: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a reference that the caller owns.
    init(takingOwnershipOf pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        // The C function is a macro over mini objects; GstSample is opaque to Swift.
        gst_sample_unref(pointer)
    }

    /// Returns a second owner of the same frame; nothing is copied.
    public func retained() -> Sample {
        Sample(takingOwnershipOf: gst_sample_ref(pointer))
    }

    /// Returns the same frame in its own memory, so that a source with few buffers gets this one back; nil if there is
    /// no memory for it.
    public func copied() -> Sample? {
        guard let shared = gst_sample_get_buffer(pointer), let own = gst_buffer_copy_deep(shared) else { return nil }
        // The sample takes its own references.
        defer { gst_buffer_unref(own) }
        return gst_sample_new(own, gst_sample_get_caps(pointer), gst_sample_get_segment(pointer), nil)
            .map(Sample.init(takingOwnershipOf:))
    }

    /// The size of the frame in memory.
    public var byteCount: Int { gst_sample_get_buffer(pointer).map { Int(clamping: gst_buffer_get_size($0)) } ?? 0 }

    /// The frame's format; nil for a sample that is not raw video.
    public var info: VideoInfo? { videoInfo.map { VideoInfo($0) } }

    /// The first moment at which the frame is visible, on the stream's own clock (edit lists and seeks considered); nil
    /// for a frame without a timestamp.
    public var streamTime: StreamTime? { time(gst_segment_to_stream_time) }

    /// The same moment on the pipeline's clock, which starts at 0 when the pipeline does; nil without a timestamp.
    public var runningTime: StreamTime? { time(gst_segment_to_running_time) }

    /// The frame's own timestamp, which stays the same throughout a pipeline; nil without one.
    public var timestamp: StreamTime? {
        guard let time = gst_sample_get_buffer(pointer)?.pointee.pts, time != noClockTime else { return nil }
        return StreamTime(nanoseconds: Int64(clamping: time))
    }

    /// The time for which the frame is visible; if the frame does not say, that of one frame at the caps' rate; else
    /// nil.
    public var duration: StreamTime? {
        guard let buffer = gst_sample_get_buffer(pointer) else { return nil }
        let own = buffer.pointee.duration
        if own != noClockTime { return StreamTime(nanoseconds: Int64(clamping: own)) }
        guard let info = videoInfo, info.fps_n > 0 else { return nil }
        return StreamTime(nanoseconds: 1_000_000_000 * Int64(info.fps_d) / Int64(info.fps_n))
    }

    /// Calls `body` with the bytes of one plane, starting at its first row, and the number of bytes from one row to the
    /// next (which is more than a row's own if rows are padded).
    ///
    /// - Parameter index: 0 is luma if the format has a luma plane, or the only plane.
    /// - Throws: what `body` throws; `FramegrepError` `.pipelineFailed` if the frame has no such plane or no memory
    ///   that can be read.
    public func withPlane<Result>(_ index: Int, _ body: (RawSpan, _ stride: Int) throws -> Result) throws -> Result {
        try withFrame { frame in
            guard index >= 0, index < planeCount(frame) else {
                throw FramegrepError(.pipelineFailed, "The frame has no plane \(index).")
            }
            let plane = plane(index, of: frame)
            return try body(UnsafeRawBufferPointer(start: plane.start, count: plane.count).bytes, plane.stride)
        }
    }

    // MARK: C

    /// The caps in GStreamer's own structure.
    var videoInfo: GstVideoInfo? {
        guard let caps = gst_sample_get_caps(pointer) else { return nil }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Maps the frame for reading while `body` runs.
    func withFrame<Result>(_ body: (borrowing GstVideoFrame) throws -> Result) throws -> Result {
        guard var info = videoInfo, let buffer = gst_sample_get_buffer(pointer) else {
            throw FramegrepError(
                .pipelineFailed, "The frame is not raw video. Put videoconvert in front of the appsink.")
        }
        var frame = GstVideoFrame()
        guard gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0 else {
            throw FramegrepError(.pipelineFailed, "The frame's memory cannot be read: it is smaller than its caps say.")
        }
        defer { gst_video_frame_unmap(&frame) }
        return try body(frame)
    }

    private func time(
        _ convert: (UnsafePointer<GstSegment>?, GstFormat, guint64) -> guint64
    ) -> StreamTime? {
        guard let buffer = gst_sample_get_buffer(pointer), let segment = gst_sample_get_segment(pointer),
            buffer.pointee.pts != noClockTime, segment.pointee.format == GST_FORMAT_TIME
        else { return nil }
        let time = convert(segment, GST_FORMAT_TIME, buffer.pointee.pts)
        return time == noClockTime ? nil : StreamTime(nanoseconds: Int64(clamping: time))
    }
}
