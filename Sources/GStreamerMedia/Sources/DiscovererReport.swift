import CGStreamer
import TextSpotting

/// Owns one GstDiscovererInfo and reads it.
struct DiscovererReport: ~Copyable {
    private let info: OpaquePointer

    init(takingOwnershipOf info: OpaquePointer) {
        self.info = info
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(info))
    }

    var result: GstDiscovererResult { gst_discoverer_info_get_result(info) }

    var hasAudio: Bool {
        guard let streams = gst_discoverer_info_get_audio_streams(info) else { return false }
        gst_discoverer_stream_info_list_free(streams)
        return true
    }

    private var audioFormat: String? {
        guard let streams = gst_discoverer_info_get_audio_streams(info) else { return nil }
        defer { gst_discoverer_stream_info_list_free(streams) }
        guard let data = streams.pointee.data, let caps = gst_discoverer_stream_info_get_caps(OpaquePointer(data))
        else { return nil }
        defer { gst_caps_unref(caps) }
        return String(takingOwnershipOf: gst_caps_to_string(caps))
    }

    /// GStreamer's words for a plugin without which there is no picture; nil if only sound or subtitles lack one.
    ///
    /// Installer details are `gstreamer|1.0|program|description|decoder-video/x-h265, ...`.
    var missingVideoPlugin: String? {
        guard result == GST_DISCOVERER_MISSING_PLUGINS,
            let details = gst_discoverer_info_get_missing_elements_installer_details(info)
        else { return nil }
        var index = 0
        while let text = details[index] {
            let fields = String(cString: text).split(separator: "|", omittingEmptySubsequences: false)
            if fields.count >= 5 {
                let isOptional = ["decoder-audio/", "decoder-text/", "decoder-subpicture/"].contains {
                    fields[4].hasPrefix($0)
                }
                if !isOptional { return String(fields[3]) }
            }
            index += 1
        }
        return nil
    }

    /// The first video stream and what surrounds it; nil if there is none.
    var mediaInfo: MediaInfo? {
        guard let streams = gst_discoverer_info_get_video_streams(info) else { return nil }
        defer { gst_discoverer_stream_info_list_free(streams) }
        guard let data = streams.pointee.data else { return nil }
        let video = OpaquePointer(data)
        let duration = gst_discoverer_info_get_duration(info)
        let isImage = gst_discoverer_video_info_is_image(video) != 0
        return MediaInfo(
            duration: duration == noClockTime || duration == 0 || isImage
                ? nil : StreamTime(nanoseconds: Int64(clamping: duration)),
            width: Int(gst_discoverer_video_info_get_width(video)),
            height: Int(gst_discoverer_video_info_get_height(video)),
            frameRate: Ratio(
                Int(gst_discoverer_video_info_get_framerate_num(video)),
                Int(gst_discoverer_video_info_get_framerate_denom(video))),
            pixelAspectRatio: Ratio(
                Int(gst_discoverer_video_info_get_par_num(video)), Int(gst_discoverer_video_info_get_par_denom(video))),
            isImage: isImage,
            isInterlaced: gst_discoverer_video_info_is_interlaced(video) != 0,
            isSeekable: gst_discoverer_info_get_seekable(info) != 0, isLive: gst_discoverer_info_get_live(info) != 0,
            videoCodec: Self.codec(of: video) ?? "", container: container, orientation: orientation(of: video),
            hasVideo: true, hasAudio: hasAudio, audioFormat: audioFormat, creationTime: creationTime)
    }

    /// Before it no digital recording was made: clocks that were never set begin in 1904, 1970 or 1980.
    private static let earliest = 631_152_000.0

    private var creationTime: Double? {
        var moment: OpaquePointer?
        guard let tags = gst_discoverer_info_get_tags(info),
            gst_tag_list_get_date_time(tags, GST_TAG_DATE_TIME, &moment) != 0, let moment
        else { return nil }
        defer { gst_date_time_unref(moment) }
        // Nil if only the day or the year is known.
        guard gst_date_time_has_time(moment) != 0, let time = gst_date_time_to_g_date_time(moment) else { return nil }
        defer { g_date_time_unref(time) }
        let seconds = Double(g_date_time_to_unix(time)) + Double(g_date_time_get_microsecond(time)) / 1e6
        return seconds >= Self.earliest ? seconds : nil
    }

    private var container: String? {
        guard let top = gst_discoverer_info_get_stream_info(info) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(top)) }
        let isContainer = g_type_check_instance_is_a(
            UnsafeMutableRawPointer(top).assumingMemoryBound(to: GTypeInstance.self),
            gst_discoverer_container_info_get_type())
        return isContainer != 0 ? Self.codec(of: top) : nil
    }

    private func orientation(of video: OpaquePointer) -> String? {
        for tags in [gst_discoverer_stream_info_get_tags(video), gst_discoverer_info_get_tags(info)] {
            var text: UnsafeMutablePointer<CChar>?
            if let tags, gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text) != 0 {
                return String(takingOwnershipOf: text)
            }
        }
        return nil
    }

    private static func codec(of stream: OpaquePointer) -> String? {
        guard let caps = gst_discoverer_stream_info_get_caps(stream) else { return nil }
        defer { gst_caps_unref(caps) }
        return String(takingOwnershipOf: gst_pb_utils_get_codec_description(caps))
    }
}
