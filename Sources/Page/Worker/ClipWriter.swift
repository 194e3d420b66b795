import Errors
import Foundation
import GStreamerMedia
import TextSpotting

/// Plays a part of a recording into an MP4 of small fragments, which a browser plays while it is written.
struct ClipWriter {
    let job: MediaJob
    /// Where the MP4 goes.
    let output: Int32

    /// No clip is longer: the page asks for the next where it is over.
    static let mostSeconds = 600.0
    private static let sourceName = "overlay"

    /// Loads what every clip needs: libraries that are there already when a clip is asked for save a tenth of a second.
    static func warmUp() {
        // Where one of them is missing, the clip itself says so. Nothing of it is ever started.
        _ = try? Pipeline(parsing: description((16, 16), STDERR_FILENO))
        for decoder in ["avdec_mpeg2video", "avdec_h265", "mpeg2dec"] where MediaRuntime.hasElement(decoder) {
            _ = try? Pipeline(parsing: "appsrc name=a ! \(decoder) ! fakesink")
        }
        for demuxer in ["mpegpsdemux", "avidemux", "qtdemux"] where MediaRuntime.hasElement(demuxer) {
            _ = try? Pipeline(parsing: "appsrc name=a ! \(demuxer) ! fakesink")
        }
        _ = try? Pipeline(parsing: "appsrc name=a ! decodebin ! deinterlace ! videoflip ! fakesink")
    }

    func run() async throws {
        let source = try await FrameSource.open(job.path)
        let start = StreamTime(seconds: job.time ?? 0)
        let size = try source.shown(try await source.frame(at: start.seconds)).size(width: job.width)
        let encoder = try Pipeline(parsing: Self.description(size, output))
        guard let input = encoder.appSource(named: Self.sourceName) else {
            throw FramegrepError(.badPipeline, "The clip's pipeline has no beginning.")
        }
        input.configure(maxBuffers: 4, block: true, isLive: false)
        _ = try await encoder.prepare()
        try await encoder.play()
        try await source.play()
        let length = StreamTime(seconds: min((job.end ?? .infinity) - start.seconds, Self.mostSeconds))
        try await Blocking.run { _ in
            while let sample = source.next() {
                guard let shown = source.time(of: sample) else { continue }
                // The frame that is on screen at the beginning may have begun before.
                guard shown + (sample.duration ?? .zero) > start else { continue }
                let time = max(.zero, shown - start)
                guard time < length, input.push(sample, at: time) == .ok else { break }
            }
            input.endOfStream()
        }
        messages: for await message in encoder.bus.messages {
            switch message {
            case .endOfStream: break messages
            case .error(let report): throw report.error
            default: continue
            }
        }
        await encoder.stop()
        await source.close()
    }

    /// Even sizes, as encoders take them; a key frame each second, so that a jump in the clip is quick.
    private static func description(_ size: (width: Int, height: Int), _ output: Int32) -> String {
        let (width, height) = (max(16, size.width / 2 * 2), max(16, size.height / 2 * 2))
        let caps = "video/x-raw,format=I420,width=\(width),height=\(height),pixel-aspect-ratio=1/1"
        return """
            appsrc name=\(sourceName) ! videoconvertscale ! capsfilter caps="\(caps)" \
            ! x264enc speed-preset=ultrafast tune=zerolatency quantizer=23 pass=qual key-int-max=30 bframes=0 \
            ! video/x-h264,profile=constrained-baseline ! h264parse \
            ! mp4mux fragment-duration=200 streamable=true ! fdsink fd=\(output)
            """
    }
}
