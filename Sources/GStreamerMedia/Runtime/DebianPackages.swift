/// Which Debian (and Ubuntu) package brings a GStreamer element.
///
/// From the package lists of Debian 12; only elements that people write into pipelines or that decoding needs.
enum DebianPackages {
    private static let elementsOfPackage: [String: String] = [
        "gstreamer1.0-plugins-base": """
        videoconvert videoscale videoconvertscale videorate videotestsrc audiotestsrc audioconvert audioresample decodebin \
        decodebin3 uridecodebin uridecodebin3 playbin playbin3 appsink appsrc app tcpclientsrc tcpserversink oggdemux \
        oggmux theoradec theoraenc vorbisdec vorbisenc opusdec opusenc subparse \
        compositor overlaycomposition encodebin encodebin2 giosrc giosink gdppay gdpdepay
        """,
        "gstreamer1.0-x": "ximagesink xvimagesink textoverlay timeoverlay clockoverlay",
        "gstreamer1.0-gl": "glimagesink glimagesinkelement glupload gldownload glcolorconvert gltestsrc",
        "gstreamer1.0-alsa": "alsasink alsasrc",
        "gstreamer1.0-plugins-good": """
        v4l2src v4l2sink autovideosink autoaudiosink autovideosrc autoaudiosrc rtspsrc rtpbin udpsrc udpsink \
        souphttpsrc qtdemux mp4mux qtmux matroskademux matroskamux webmmux avidemux avimux flvdemux flvmux \
        jpegdec jpegenc pngdec pngenc vp8dec vp8enc vp9dec vp9enc videoflip videocrop videobox videobalance videomixer \
        deinterlace multifilesrc multifilesink splitmuxsink splitmuxsrc imagefreeze rtph264depay rtph264pay \
        rtph265depay rtph265pay rtpjpegdepay rtpjpegpay navigationtest alpha effectv goom y4menc flacdec flacenc \
        wavparse wavenc capssetter audioparsers aacparse mpegaudioparse ac3parse flacparse dvdec dvdemux gdkpixbufdec cairooverlay ximagesrc multipartdemux multipartmux
        """,
        "gstreamer1.0-plugins-bad": """
        h264parse h265parse mpegvideoparse mpegtsmux tsdemux tsparse av1dec av1enc av1parse vp9parse fbdevsink waylandsink \
        kmssink hlsdemux hlssink hlssink2 dashdemux srtsrc srtsink rtmpsrc rtmp2src rtmp2sink webrtcbin zbar \
        fakevideosink openh264enc openh264dec videoparsersbad jpegparse pngparse mxfdemux decklinkvideosrc x265enc \
        webpdec openjpegdec interlace combdetect y4mdec yadif videocodectestsink
        """,
        "gstreamer1.0-plugins-ugly": "x264enc asfdemux rmdemux mpeg2dec a52dec dvdlpcmdec",
        "gstreamer1.0-libav": """
        avdec_h264 avdec_h265 avdec_mpeg2video avdec_mpeg4 avdec_aac avdec_vc1 avdec_wmv3 avdec_prores avdec_av1 \
        avenc_mpeg4 avdec_mjpeg avdec_hevc avmux_mp4
        """,
        "gstreamer1.0-vaapi": "vaapisink vaapih264dec vaapih265dec vaapidecodebin vaapipostproc vaapih264enc",
        "gstreamer1.0-gtk3": "gtksink gtkglsink",
        "gstreamer1.0-qt5": "qmlglsink",
        "gstreamer1.0-pipewire": "pipewiresrc pipewiresink",
        "gstreamer1.0-pulseaudio": "pulsesink pulsesrc",
        "gstreamer1.0-nice": "nicesrc nicesink",
        "gstreamer1.0-libcamera": "libcamerasrc",
    ]

    private static let packageOfElement: [String: String] = elementsOfPackage.reduce(into: [:]) { table, entry in
        for element in entry.value.split(separator: " ") { table[String(element)] = entry.key }
    }

    /// The package that brings the element, or nil if the table has none.
    static func package(forElement factoryName: String) -> String? {
        if let package = packageOfElement[factoryName] { return package }
        if factoryName.hasPrefix("avdec_") || factoryName.hasPrefix("avenc_") || factoryName.hasPrefix("avdemux_") {
            return "gstreamer1.0-libav"
        }
        if factoryName.hasPrefix("rtp") { return "gstreamer1.0-plugins-good" }
        return nil
    }

    /// The packages that between them hold the decoder of a missing format, for a sentence, from GStreamer's
    /// description of it (`H.265 (Main Profile) decoder`).
    static func packages(forDecoderOf description: String) -> String {
        let known = description.lowercased()
        let isContainer = known.hasSuffix("demuxer")
        let bad = [
            "av1", "openjpeg", "jpeg 2000", "webp", "hls", "dash", "srt", "mxf", "mpeg-ts", "mpeg ts",
            "mpeg-2 transport",
        ]
        if bad.contains(where: known.contains) { return "gstreamer1.0-plugins-bad or gstreamer1.0-libav" }
        let good =
            ["vp8", "vp9", "jpeg", "png", "rtp"] + (isContainer ? ["matroska", "quicktime", "mp4", "avi", "flv"] : [])
        if good.contains(where: known.contains) { return "gstreamer1.0-plugins-good" }
        if known.contains("theora") || known.contains("ogg") { return "gstreamer1.0-plugins-base" }
        return "gstreamer1.0-libav, gstreamer1.0-plugins-bad or gstreamer1.0-plugins-ugly"
    }
}
