/// A format of the table in docs/FORMATS.md: its name, and the way to create a small file.
struct FormatRow: Sendable, Hashable {
    enum Section: String, CaseIterable {
        case containers = "Containers"
        case codecs = "Codecs"
        case pixels = "Pixel formats"
        case stills = "Stills"
    }

    let section: Section
    let name: String
    /// The extension of the file's name, without the dot.
    let ending: String
    /// The arguments of ffmpeg between its input and the file.
    let options: [String]

    private init(_ section: Section, _ name: String, _ ending: String, _ options: String) {
        (self.section, self.name, self.ending) = (section, name, ending)
        self.options = options.split(separator: " ").map(String.init)
    }

    static let all =
        containers.map { FormatRow(.containers, $0, $1, $2) } + codecs.map { FormatRow(.codecs, $0, $1, $2) }
        + pixels.map { FormatRow(.pixels, $0, $1, $2) } + stills.map { FormatRow(.stills, $0, $1, $2) }

    private static let h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"

    private static let containers: [(String, String, String)] = [
        ("MP4", "mp4", h264), ("QuickTime", "mov", h264), ("Matroska", "mkv", h264),
        ("WebM", "webm", "-c:v libvpx -b:v 1M"), ("AVI", "avi", "-c:v mpeg4 -q:v 2"),
        ("MPEG transport stream", "ts", h264), ("MPEG program stream", "mpg", "-c:v mpeg2video -q:v 2"),
        ("DVD video", "vob", "-c:v mpeg2video -q:v 2"), ("Flash video", "flv", h264),
        ("Ogg", "ogv", "-c:v libtheora -q:v 9"), ("Windows Media (ASF)", "wmv", "-c:v wmv2 -q:v 2"),
        ("3GPP", "3gp", h264), ("MXF", "mxf", "-c:v mpeg2video -q:v 2"), ("YUV4MPEG2", "y4m", "-pix_fmt yuv420p"),
        ("IVF", "ivf", "-c:v libvpx -b:v 1M"),
        ("DV", "dv", "-c:v dvvideo -vf scale=720:576 -pix_fmt yuv420p"),
        ("bare H.264", "h264", h264), ("bare H.265", "h265", "-c:v libx265 -x265-params log-level=none"),
        ("bare JPEGs in a row", "mjpeg", "-c:v mjpeg -q:v 2 -pix_fmt yuvj420p"),

        ("Windows television (WTV)", "wtv", "-c:v mpeg2video -q:v 2"),
        ("HLS, a list in a file", "m3u8", h264),
    ]

    private static let codecs: [(String, String, String)] = [
        ("H.264 (AVC)", "mkv", h264), ("H.265 (HEVC)", "mkv", "-c:v libx265 -x265-params log-level=none"),
        ("AV1", "mkv", "-c:v libaom-av1 -cpu-used 8 -usage realtime -crf 20"), ("VP8", "mkv", "-c:v libvpx -b:v 1M"),
        ("VP9", "mkv", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"), ("MPEG-1", "mkv", "-c:v mpeg1video -q:v 2"),
        ("MPEG-2", "mkv", "-c:v mpeg2video -q:v 2"), ("MPEG-4 part 2", "mkv", "-c:v mpeg4 -q:v 2"),
        ("MS MPEG-4 v2", "avi", "-c:v msmpeg4v2 -q:v 2"), ("MS MPEG-4 v3 (DivX 3)", "avi", "-c:v msmpeg4 -q:v 2"),
        ("Windows Media 7", "wmv", "-c:v wmv1 -q:v 2"), ("Windows Media 8", "wmv", "-c:v wmv2 -q:v 2"),
        ("Motion JPEG", "avi", "-c:v mjpeg -q:v 2 -pix_fmt yuvj420p"), ("lossless JPEG", "avi", "-c:v ljpeg"),
        ("JPEG 2000", "mov", "-c:v jpeg2000"), ("PNG", "mov", "-c:v png"),
        ("ProRes", "mov", "-c:v prores_ks -profile:v 2"), ("ProRes 4444", "mov", "-c:v prores_ks -profile:v 4"),
        ("DNxHR", "mov", "-c:v dnxhd -profile:v dnxhr_sq -pix_fmt yuv422p"),
        ("CineForm", "mov", "-c:v cfhd -vf scale=320:128"), ("Hap", "mov", "-c:v hap"),
        ("DV, 4:1:1", "avi", "-c:v dvvideo -vf scale=720:480 -r 30000/1001 -pix_fmt yuv411p"),
        ("FFV1", "mkv", "-c:v ffv1"), ("HuffYUV", "avi", "-c:v huffyuv"), ("FFmpeg's HuffYUV", "avi", "-c:v ffvhuff"),
        ("Ut Video", "avi", "-c:v utvideo"),
        ("Animation (QuickTime RLE)", "mov", "-c:v qtrle"), ("Cinepak", "avi", "-c:v cinepak"),
        ("Sorenson Spark", "flv", "-c:v flv -q:v 2"), ("Sorenson Video 1", "mov", "-c:v svq1 -q:v 2"),
        ("Flash Screen Video", "flv", "-c:v flashsv"), ("ZMBV", "avi", "-c:v zmbv"),
        ("H.263", "3gp", "-c:v h263 -q:v 2 -vf scale=352:288"), ("H.261", "mkv", "-c:v h261 -q:v 2 -vf scale=352:288"),
        ("Theora", "ogv", "-c:v libtheora -q:v 9"),
        ("Dirac (VC-2)", "mkv", "-c:v vc2 -vf scale=320:128 -pix_fmt yuv422p"),
        ("MS Video 1", "avi", "-c:v msvideo1"),
        ("not compressed", "avi", "-c:v rawvideo -pix_fmt bgr24"),
        ("not compressed, YUY2", "avi", "-c:v rawvideo -pix_fmt yuyv422"),
        ("V210", "mov", "-c:v v210"),
    ]

    private static let pixels: [(String, String, String)] =
        [
            "gray", "gray16le", "yuv410p", "yuv411p", "yuv420p", "yuv422p",
            "yuv444p",
            "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv422p12le", "yuv444p12le",
            "yuva420p", "yuva444p10le", "bgr0", "bgra", "gbrp10le", "gbrap10le",

        ].map { ("\($0), FFV1", "mkv", "-c:v ffv1 -pix_fmt \($0)") }
        + ["yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le", "gray"].map {
            ("\($0), H.264", "mkv", "-c:v libx264 -preset ultrafast -pix_fmt \($0)")
        }
        + ["yuv422p", "yuv444p", "yuv420p10le", "yuv420p12le", "gray", "gbrp"].map {
            ("\($0), H.265", "mkv", "-c:v libx265 -x265-params log-level=none -pix_fmt \($0)")
        }
        + [
            ("RGB, H.264", "mkv", "-c:v libx264rgb -preset ultrafast"),
            ("alpha, VP8", "webm", "-c:v libvpx -b:v 1M -auto-alt-ref 0 -pix_fmt yuva420p"),
            ("alpha, VP9", "webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuva420p"),
            ("yuv444p, VP9", "webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv444p"),
            ("alpha, ProRes 4444", "mov", "-c:v prores_ks -profile:v 4 -pix_fmt yuva444p10le"),
            ("interlaced, MPEG-2", "mpg", "-c:v mpeg2video -q:v 2 -flags +ildct+ilme"),
        ]

    private static let stills: [(String, String, String)] = [
        ("PNG", "png", ""), ("PNG, 16 bits", "png", "-pix_fmt rgb48be"), ("PNG, gray", "png", "-pix_fmt gray"),
        ("PNG, gray, 16 bits", "png", "-pix_fmt gray16be"), ("PNG, black and white", "png", "-pix_fmt monob"),
        ("PNG, alpha, 16 bits", "png", "-pix_fmt rgba64be"), ("PNG, palette", "png", "-pix_fmt pal8"),
        ("JPEG", "jpg", "-q:v 2 -pix_fmt yuvj420p"), ("JPEG, 4:4:4", "jpg", "-q:v 2 -pix_fmt yuvj444p"),
        ("JPEG, gray", "jpg", "-q:v 2 -pix_fmt gray"), ("WebP", "webp", "-c:v libwebp"),
        ("WebP, lossless", "webp", "-c:v libwebp -lossless 1"), ("BMP", "bmp", ""),
        ("BMP, palette", "bmp", "-pix_fmt pal8"),
        ("TIFF", "tiff", ""), ("TIFF, 16 bits", "tiff", "-pix_fmt rgb48le"),
        ("TIFF, LZW", "tiff", "-compression_algo lzw"),
        ("GIF", "gif", ""), ("JPEG 2000", "jp2", ""), ("JPEG 2000, bare", "j2k", ""), ("PPM", "ppm", ""),
        ("PGM", "pgm", ""),
        ("OpenEXR", "exr", ""), ("ICO", "ico", "-vf scale=256:96"),
        ("AVIF", "avif", "-c:v libaom-av1 -still-picture 1 -cpu-used 8"), ("JPEG XL", "jxl", ""),

    ]
}
