import CGStreamer
public import Errors
public import TextSpotting

/// A frame in a format that browsers accept.
public struct EncodedFrame: Sendable {
    /// For H.264 one access unit with start codes (ISO/IEC 14496-10, Annex B), for JPEG a file.
    public var bytes: [UInt8]
    /// Whether it can be decoded without the frames before it.
    public var isKey: Bool
}

/// Encodes frames of one format, one at a time and without delay: no frame waits for the next.
///
/// Blocks while it works (some milliseconds per frame), so call it on a dedicated thread, one at a time.
public final class FrameEncoder: Sendable {
    /// The format that frames are encoded in: video, whose frames need those before them, or single pictures.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        case h264, jpeg
    }

    /// The format of the frames that it accepts.
    public let info: VideoInfo
    private let pipeline: Pipeline
    private let input: AppSource
    private let output: GObjectReference<GstAppSink>
    private let encoder: GObjectReference<GstElement>

    /// The time that a frame may take on a busy machine; an encoder that takes longer has failed.
    private static let patience = GstClockTime(3_000_000_000)

    /// - Parameters:
    ///   - info: the format of all frames that it will be given.
    ///   - longestSide: larger frames are made smaller, in pixels as displayed.
    /// - Throws: `FramegrepError` (`missingPlugin`, `badPipeline`) if the machine has no such encoder.
    public init(_ kind: Kind, like info: VideoInfo, longestSide: Int) throws {
        self.info = info
        let (width, height) = Self.size(of: info, longestSide)
        let size = "width=\(width),height=\(height),pixel-aspect-ratio=1/1"
        let between = Self.changesRange(info, kind) ? "! video/x-raw,format=BGRx,\(size) ! videoconvert" : ""
        let caps = "video/x-raw,format=I420,\(size),colorimetry=\(Self.colors(kind))"
        pipeline = try Pipeline(
            parsing: """
                appsrc name=in ! videoconvertscale \(between) ! capsfilter caps="\(caps)" ! \(Self.encoder(kind)) \
                ! appsink name=out sync=false max-buffers=4 enable-last-sample=false emit-signals=false
                """)
        guard let input = pipeline.appSource(named: "in"), let encoder = pipeline.find("encoder"),
            let sink = pipeline.find("out").flatMap({ fgst_as_app_sink($0.pointer) })
        else { throw FramegrepError(.badPipeline, "The encoder's pipeline lacks its ends.") }
        input.configure(maxBuffers: 1, block: false, isLive: false)
        self.input = input
        self.encoder = encoder
        output = GObjectReference(retaining: sink)
        guard gst_element_set_state(pipeline.element.pointer, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE else {
            throw FramegrepError(.pipelineFailed, "The encoder does not start.")
        }
    }

    /// Returns the size of the encoded picture: even, as encoders require, and with the proportions of the displayed
    /// picture.
    private static func size(of info: VideoInfo, _ longestSide: Int) -> (Int, Int) {
        let (width, height) = (Double(info.width) * info.pixelAspectRatio.pixelAspect, Double(info.height))
        let scale = min(1, Double(longestSide) / max(width, height, 1))
        func even(_ length: Double) -> Int { max(16, Int((length * scale / 2).rounded()) * 2) }
        return (even(width), even(height))
    }

    /// Returns the colorimetry of the encoded pictures, whatever that of the frames is.
    ///
    /// Browsers assume that H.264 has video range, with black as 16 and white as 235, even if the stream says
    /// otherwise, so pictures of cameras that use the full range would be too bright. JPEG files use the full range
    /// (JFIF).
    private static func colors(_ kind: Kind) -> String {
        switch kind {
        case .h264: "bt709"
        case .jpeg: "1:4:0:0"
        }
    }

    /// Returns whether the range changes. A conversion between two YUV formats with the same matrix leaves the values
    /// unchanged, whatever their ranges (GStreamer 1.22); one through RGB does not.
    private static func changesRange(_ info: VideoInfo, _ kind: Kind) -> Bool {
        let usesAll = info.colorimetry.hasPrefix("1:")
        return switch kind {
        case .h264: usesAll
        case .jpeg: !usesAll && info.colorimetry != "sRGB"
        }
    }

    /// Returns the encoder's description. In H.264 the headers come before each frame that can be decoded by itself,
    /// and no frame refers to a later one, so a decoder returns each at once.
    private static func encoder(_ kind: Kind) -> String {
        switch kind {
        case .h264:
            """
            x264enc name=encoder speed-preset=ultrafast tune=zerolatency pass=qual quantizer=24 key-int-max=300 bframes=0 \
            byte-stream=true threads=1 \
            ! capsfilter caps="video/x-h264,profile=constrained-baseline,stream-format=byte-stream,alignment=au"
            """
        case .jpeg: "jpegenc name=encoder quality=75"
        }
    }

    /// - Parameters:
    ///   - time: later than that of the frame before.
    ///   - asKey: whether it must be decodable without the frames before it.
    /// - Returns: nil if the encoder has failed and must be replaced.
    public func encode(_ sample: consuming Sample, at time: StreamTime, asKey: Bool) -> EncodedFrame? {
        if asKey {
            gst_element_send_event(encoder.pointer, gst_video_event_new_upstream_force_key_unit(noClockTime, 1, 0))
        }
        guard push(sample, at: time) else { return nil }
        while let pulled = gst_app_sink_try_pull_sample(output.pointer, Self.patience) {
            let result = Sample(takingOwnershipOf: pulled)
            // Skip a sample that came too late for the previous frame.
            guard let own = result.runningTime, own >= time - Self.tolerance else { continue }
            return result.encoded
        }
        return nil
    }

    /// If a source names no rate, the encoder would hold each frame back until its duration is known, so a duration is
    /// set.
    private func push(_ sample: borrowing Sample, at time: StreamTime) -> Bool {
        guard let own = gst_sample_get_caps(sample.pointer), let shared = gst_sample_get_buffer(sample.pointer),
            let caps = gst_caps_copy(own), let buffer = drawableCopy(of: shared)
        else { return false }
        defer { gst_caps_unref(caps) }
        var rate = GValue()
        g_value_init(&rate, gst_fraction_get_type())
        gst_value_set_fraction(&rate, 25, 1)
        gst_caps_set_value(caps, "framerate", &rate)
        g_value_unset(&rate)
        buffer.pointee.pts = GstClockTime(max(0, time.nanoseconds))
        buffer.pointee.dts = noClockTime
        return input.push(takingOwnershipOf: buffer, caps: caps) == .ok
    }

    private static let tolerance = StreamTime(nanoseconds: 500_000)
}

extension Sample {
    fileprivate var encoded: EncodedFrame? {
        guard let buffer = gst_sample_get_buffer(pointer) else { return nil }
        return EncodedFrame(
            bytes: copiedBytes(of: buffer),
            isKey: buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue == 0)
    }
}

/// Encodes pictures as JPEG files in memory, with GStreamer's encoder.
///
/// Blocks for as long as that takes, some 20 ms for a frame of 1080 lines: call it on a dedicated thread.
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
        return copiedBytes(of: result)
    }

    private static func failure(_ reason: String) -> FramegrepError {
        FramegrepError(.outputFailed, "A picture cannot be made a JPEG file: \(reason).")
    }
}
