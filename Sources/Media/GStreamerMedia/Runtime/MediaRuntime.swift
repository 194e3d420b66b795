import CGStreamer
import Errors
import Glibc
import Synchronization
import Threads

/// Starts GStreamer and reports on its installed elements.
///
/// Everything here may be called from any thread, any number of times.
public enum MediaRuntime {
    private static let started = Mutex(false)

    /// Starts GStreamer and removes its own options (`--gst-debug=3`, `--gst-plugin-path=...`) from a command line.
    ///
    /// The first call that starts GStreamer decides: later calls return their arguments without GStreamer's options,
    /// which then have no effect.
    /// - Parameter arguments: without the program's name.
    /// - Returns: the arguments that are not GStreamer's, in order.
    /// - Throws: `FramegrepError` `.badArgument` for an option of GStreamer's that it does not understand.
    @discardableResult
    public static func initialize(arguments: [String] = []) throws -> [String] {
        try started.withLock { started in
            guard !started else { return arguments.filter { !$0.hasPrefix("--gst-") } }
            let remaining = try start(with: arguments)
            chooseStillDecoders()
            GIFDemuxer.register()
            started = true
            return remaining
        }
    }

    /// Shuts GStreamer down, so that its tracers report what is still alive; it must not be used afterward.
    ///
    /// Only for a program that is about to end and should print such a report (`GST_TRACERS`).
    public static func endForTracers() {
        started.withLock { started in
            guard started else { return }
            // Released pipelines are stopped on their own queues.
            g_usleep(300_000)
            gst_deinit()
        }
    }

    /// GStreamer's version, such as `GStreamer 1.22.0`.
    public static var version: String { String(takingOwnershipOf: gst_version_string()) ?? "GStreamer" }

    /// Returns whether an element of this name (`v4l2src`, `x264enc`) can be created.
    public static func hasElement(_ factoryName: String) -> Bool {
        guard (try? initialize()) != nil, let factory = gst_element_factory_find(factoryName) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    /// Makes gdk-pixbuf decode BMP and TIFF, if it is installed: libav's decoders treat a picture that arrives in
    /// several pieces, as all do, as damaged.
    private static func chooseStillDecoders() {
        guard let pixbuf = gst_registry_lookup_feature(gst_registry_get(), "gdkpixbufdec") else { return }
        defer { gst_object_unref(UnsafeMutableRawPointer(pixbuf)) }
        // The user may have chosen already (GST_PLUGIN_FEATURE_RANK).
        guard gst_plugin_feature_get_rank(pixbuf) == UInt32(GST_RANK_NONE.rawValue) else { return }
        gst_plugin_feature_set_rank(pixbuf, UInt32(GST_RANK_MARGINAL.rawValue))
        for name in ["avdec_bmp", "avdec_tiff"] {
            guard let feature = gst_registry_lookup_feature(gst_registry_get(), name) else { continue }
            gst_plugin_feature_set_rank(feature, UInt32(GST_RANK_NONE.rawValue))
            gst_object_unref(UnsafeMutableRawPointer(feature))
        }
    }

    private static func start(with arguments: [String]) throws -> [String] {
        // gst_init_check takes a C main's argc and argv: it moves the pointers that it keeps to the front.
        let strings = (["framegrep"] + arguments).map { g_strdup($0) }
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        defer {
            strings.forEach { g_free($0) }
            list.deallocate()
        }
        list.initialize(from: strings, count: strings.count)
        (list + strings.count).initialize(to: nil)
        var count = Int32(strings.count)
        var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = list
        var error: UnsafeMutablePointer<GError>?
        // GStreamer's handler would end the program during a crash while a plugin is loaded, before its own handler runs.
        gst_segtrap_set_enabled(0)
        guard gst_init_check(&count, &vector, &error) != 0 else {
            defer { g_clear_error(&error) }
            throw FramegrepError(
                .badArgument,
                "GStreamer did not start: \(sentence(error?.text ?? "it gave no reason")) Check the --gst options.")
        }
        return (1..<max(1, Int(count))).compactMap { index in vector?[index].map { String(cString: $0) } }
    }
}

/// Settings of glibc's allocator, for programs that run for days.
///
/// It keeps freed memory for the next allocation, in up to eight heaps per core, which threads choose when they begin
/// (malloc(3), `M_ARENA_MAX`). Each pipeline has its own threads, so a program that opens a source again and again
/// keeps the memory of many pipelines although only one is left: it grows by about 3 MiB each time it opens a small
/// RTSP stream, until all heaps are in use.
extension MediaRuntime {
    /// Makes all threads share as many heaps as there are processors, at least two. Call it before the first source is
    /// opened. A program that opens sources again and again then stops growing, and a search on two processors holds up
    /// to a tenth less; with fewer heaps than processors, threads would wait for each other
    /// (docs/decisions/threads.md). Settings in `MALLOC_ARENA_MAX` or `GLIBC_TUNABLES` take precedence.
    public static func shareHeaps(_ count: Int? = nil) {
        guard getenv("MALLOC_ARENA_MAX") == nil, getenv("GLIBC_TUNABLES") == nil else { return }
        fgst_limit_arenas(Int32(count ?? max(2, Processors.usable)))
    }

    /// Makes blocks of 128 KiB and more, that is pictures, return to the system as soon as they are freed.
    ///
    /// This is how glibc begins, but after the first large block is freed it takes pictures from its heaps; small
    /// blocks between them live on, so the heaps never shrink. On the other hand, each picture then needs new pages, so
    /// this is for programs that run for days. Settings in `MALLOC_MMAP_THRESHOLD_` or `GLIBC_TUNABLES` take
    /// precedence.
    public static func returnPicturesAtOnce() {
        guard getenv("MALLOC_MMAP_THRESHOLD_") == nil, getenv("GLIBC_TUNABLES") == nil else { return }
        fgst_map_large_blocks(128 << 10)
    }

    /// Returns freed memory to the system (malloc_trim(3)). Takes some milliseconds; may be called from any thread.
    public static func returnFreeMemory() { fgst_return_free_memory() }
}

/// Maps GStreamer elements to the Debian (and Ubuntu) packages that contain them.
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

    /// Returns the package that contains the element, or nil if the table has none.
    static func package(forElement factoryName: String) -> String? {
        if let package = packageOfElement[factoryName] { return package }
        if factoryName.hasPrefix("avdec_") || factoryName.hasPrefix("avenc_") || factoryName.hasPrefix("avdemux_") {
            return "gstreamer1.0-libav"
        }
        if factoryName.hasPrefix("rtp") { return "gstreamer1.0-plugins-good" }
        return nil
    }

    /// Returns the packages that together contain a missing decoder, for a sentence, given GStreamer's description
    /// (`H.265 (Main Profile) decoder`), in which names of formats are the same in all languages.
    static func packages(for plugin: MissingPlugin) -> String {
        let known = plugin.description.lowercased()
        let bad = [
            "av1", "openjpeg", "jpeg 2000", "webp", "hls", "dash", "srt", "mxf", "mpeg-ts", "mpeg ts",
            "mpeg-2 transport",
        ]
        if bad.contains(where: known.contains) { return "gstreamer1.0-plugins-bad or gstreamer1.0-libav" }
        let good =
            ["vp8", "vp9", "jpeg", "png", "rtp"]
            + (plugin.isContainer ? ["matroska", "quicktime", "mp4", "avi", "flv"] : [])
        if good.contains(where: known.contains) { return "gstreamer1.0-plugins-good" }
        if known.contains("theora") || known.contains("ogg") { return "gstreamer1.0-plugins-base" }
        return "gstreamer1.0-libav, gstreamer1.0-plugins-bad or gstreamer1.0-plugins-ugly"
    }
}

/// Writes debug lines in GStreamer's debug category `framegrep`: `GST_DEBUG=framegrep:5` shows them, among GStreamer's
/// own lines and in the same form. docs/DEBUGGING.md lists the lines of each level.
///
/// This is not for users: nothing is printed unless it is asked for, and nothing may depend on it. A line that is not
/// shown is not even formatted, and costs only a comparison. Passwords are removed. Safe to use from any thread.
public enum DebugLog {
    /// Something failed and the pipeline has stopped: level 1.
    static let error = Level(level: GST_LEVEL_ERROR)
    /// Something is not as it should be: level 2.
    public static let warning = Level(level: GST_LEVEL_WARNING)
    /// For a few events in a run: states, formats, openings. Level 4.
    public static let info = Level(level: GST_LEVEL_INFO)
    /// For each reading: level 5.
    public static let debug = Level(level: GST_LEVEL_DEBUG)
    /// For each frame: level 6.
    public static let log = Level(level: GST_LEVEL_LOG)

    /// Writes the lines of one level.
    public struct Level: Sendable {
        fileprivate let level: GstDebugLevel

        public func callAsFunction(
            _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
            line: UInt = #line
        ) { write(level, text: text, file: file, function: function, line: line) }
    }

    /// Whether any level is enabled, for lines that take preparation.
    static var isOn: Bool { fgst_debug_is_wanted(category, GST_LEVEL_ERROR) != 0 || drawsGraphs }

    /// Whether graphs of pipelines are written; GStreamer also reads the variable when it starts.
    static let drawsGraphs = getenv("GST_DEBUG_DUMP_DOT_DIR") != nil

    // nonisolated(unsafe): made once; GStreamer keeps it for ever and reads and writes its level atomically.
    private nonisolated(unsafe) static let category = fgst_new_debug_category(
        "framegrep", "framegrep: pipelines, what is read and why")

    private static func write(
        _ level: GstDebugLevel, text: () -> String, file: StaticString, function: StaticString, line: UInt
    ) {
        guard fgst_debug_is_wanted(category, level) != 0 else { return }
        file.withUTF8Buffer { file in
            function.withUTF8Buffer { function in
                // A static string's bytes end in a zero.
                gst_debug_log_literal(
                    category, level, chars(file), chars(function), gint(clamping: line), nil, redacted(text()))
            }
        }
    }

    private static func chars(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    }
}
