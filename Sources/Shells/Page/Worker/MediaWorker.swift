import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Processes
import TextSpotting
import Threads

/// The process that decodes: reads jobs from its standard input, writes the results to its standard output, and ends
/// with its input, so that it never outlives the server.
public enum MediaWorker {
    /// - Parameter work: its purpose; an unknown one ends it with status 2.
    public static func main(_ work: String) async -> Never {
        // Use separate descriptors: anything that libraries write to the standard streams is discarded.
        let (input, output) = (fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10))
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(nowhere, stream) }
        do {
            try PortableArchive.useOwnFiles()
            limit()
            // A file may refer only to other files, as in a search.
            try SourceGuard.enforce(allowing: [])
            switch MediaWork(rawValue: work) {
            case .pictures: try await makePictures(input, output)
            case .clip: try await makeClip(input, output)
            case nil: _exit(2)
            }
            _exit(0)
        } catch {
            _exit(2)
        }
    }

    /// Limits resources, because a damaged recording may ask for more memory or time than there is.
    private static func limit() {
        for (kind, most) in [(RLIMIT_AS, 6 << 30), (RLIMIT_FSIZE, 0), (RLIMIT_CORE, 0)] as [(__rlimit_resource, rlim_t)]
        {
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            setrlimit(__rlimit_resource_t(kind.rawValue), &limit)
        }
    }

    // MARK: Pictures

    /// Answers each line with a ``PictureHead`` and the bytes of a picture or of a sentence.
    private static func makePictures(_ input: Int32, _ output: Int32) async throws {
        let lines = LineReader(input)
        var source: FrameSource?
        while case .line(let line)? = try await Blocking.run({ _ in lines.next() }) {
            let job = try JSONDecoder().decode(MediaJob.self, from: Data(line))
            do {
                // The next picture is often of the same recording, which is open then.
                if let open = source, !open.hasPicture(of: job) {
                    source = nil
                    await open.close()
                }
                let open = if let source { source } else { try await FrameSource.open(job.path) }
                source = open
                let sample = if let time = job.time { try await open.frame(at: time) } else { open.firstFrame() }
                let frame = try open.shown(sample)
                try answer(1, try png(of: frame, job), (frame.width, frame.height), to: output)
            } catch {
                let message = (error as? FramegrepError)?.message ?? "The picture cannot be made: \(error)."
                try answer(0, Array(message.utf8), (0, 0), to: output)
                await source?.close()
                source = nil
            }
        }
    }

    private static func png(of frame: borrowing ShownFrame, _ job: MediaJob) throws -> [UInt8] {
        let (picture, quad) = try frame.picture(width: job.width, around: job.quad, in: job.wholeLine)
        let canvas = try Canvas(picture)
        var quads = quad.map { job.isBoxed ? [$0] : [] } ?? []
        if !job.isCut {
            let scale = Double(picture.width) / Double(frame.width)
            quads += job.boxes.compactMap(MediaJob.quad).map { $0.scaled(x: scale, y: scale) }
        }
        if !quads.isEmpty {
            let boxes = quads.map { OverlayBox(quad: $0, text: "", score: 1, patternIndex: 0) }
            let list = OverlayComposer(pictureWidth: picture.width, pictureHeight: picture.height).compose(boxes)
            try canvas.draw(try OverlayRasterizer().rasterize(list, width: picture.width, height: picture.height))
        }
        return try PNGWriter.encode(canvas)
    }

    private static func answer(
        _ kind: UInt8, _ bytes: [UInt8], _ size: (width: Int, height: Int), to output: Int32
    ) throws {
        let head = PictureHead(isPicture: kind == 1, length: bytes.count, width: size.width, height: size.height)
        guard PipeBytes.write(head.bytes + bytes, to: output) else { _exit(0) }
    }

    // MARK: A clip

    private static func makeClip(_ input: Int32, _ output: Int32) async throws {
        let lines = LineReader(input)
        // A process that is started before its clip is known waits here, and prepares meanwhile.
        if !PipeBytes.isReadable(input) { ClipWriter.warmUp() }
        guard case .line(let line)? = try await Blocking.run({ _ in lines.next() }) else { return }
        let job = try JSONDecoder().decode(MediaJob.self, from: Data(line))
        // The server has closed its end, or has ended.
        try DedicatedThread.start(named: "server is there") {
            _ = lines.next()
            _exit(0)
        }
        try await ClipWriter(job: job, output: output).run()
    }
}

/// A request to a decoding process: one line of JSON on its standard input.
///
/// Decoders are large C libraries, and some damaged recordings crash them. So they run in processes of their own, whose
/// crashes do not affect the page, and which can be ended when their result is no longer needed.
struct MediaJob: Codable, Hashable, Sendable {
    var path: String
    /// The time in seconds; nil for a still picture.
    var time: Double?
    /// The largest width in pixels.
    var width: Int
    var end: Double?
    /// The corners of a place in a picture, in pixels of the recording as displayed.
    var corners: [Double] = []
    /// Whether to show only the surroundings of that place.
    var isCut = false
    /// How far the line extends before and after the place in such a picture, as multiples of the place's width.
    var before = 0.0
    var behind = 0.0
    /// Whether the place gets a box.
    var isBoxed = false
    /// The corners of further places in a whole picture that get a box.
    var boxes: [[Double]] = []

    /// The place, if there are eight numbers for one.
    var quad: Quad? { Self.quad(corners) }

    /// Returns a quad from eight numbers; nil for any other count.
    static func quad(_ corners: [Double]) -> Quad? {
        guard corners.count == 8, corners.allSatisfy(\.isFinite) else { return nil }
        let points = stride(from: 0, to: 8, by: 2).map { Point(corners[$0], corners[$0 + 1]) }
        return Quad(topLeft: points[0], topRight: points[1], bottomRight: points[2], bottomLeft: points[3])
    }

    /// The line that contains the place, estimated from its letters; nil if everything is shown.
    var wholeLine: Quad? {
        guard isCut, let quad, [before, behind].allSatisfy({ (0...1000).contains($0) }) else { return nil }
        let (top, bottom) = (quad.topRight - quad.topLeft, quad.bottomRight - quad.bottomLeft)
        return Quad(
            topLeft: quad.topLeft - top * before, topRight: quad.topRight + top * behind,
            bottomRight: quad.bottomRight + bottom * behind, bottomLeft: quad.bottomLeft - bottom * before)
    }

    func line() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) + [0x0A] }
}

/// The purpose of such a process, on its command line.
public enum MediaWork: String, Sendable {
    /// Pictures, one after the other.
    case pictures
    case clip

    /// The option that makes `framegrep-serve` such a process.
    public static let option = "--decode-for-the-page"

    /// Starts such a process.
    ///
    /// - Parameter program: the program to start, which must understand ``option``.
    func start(_ program: String) throws(PageProblem) -> ChildProcess {
        do {
            return try ChildProcess(
                program, ["framegrep-serve", Self.option, rawValue], input: .pipe, output: .pipe, errors: .nothing)
        } catch {
            throw PageProblem(503, "The process that decodes cannot be started: \(error).")
        }
    }
}

/// The header before the bytes of a picture that a process has made.
struct PictureHead: Equatable {
    /// Whether the bytes are a picture; otherwise they are a sentence with the reason.
    var isPicture: Bool
    var length: Int
    /// The width of the recording as displayed, in pixels.
    var width: Int
    var height: Int

    static let size = 13
}

extension PictureHead {
    init(_ bytes: [UInt8]) {
        func number(_ first: Int) -> Int { bytes[first..<first + 4].reduce(0) { $0 << 8 | Int($1) } }
        self.init(isPicture: bytes[0] == 1, length: number(1), width: number(5), height: number(9))
    }

    var bytes: [UInt8] {
        [isPicture ? 1 : 0]
            + [length, width, height].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
    }
}

/// Plays a part of a recording into an MP4 of small fragments, which a browser plays while it is written.
struct ClipWriter {
    let job: MediaJob
    /// The descriptor to which the MP4 is written.
    let output: Int32

    /// The longest clip; the page requests the next one when it is over.
    static let mostSeconds = 600.0
    private static let sourceName = "overlay"

    /// Loads the libraries that every clip needs beforehand, which saves a tenth of a second.
    static func warmUp() {
        // If one of them is missing, the clip itself reports that. Nothing of this is ever started.
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
        // Concurrently: if the output is blocked, the encoder takes no more frames, and only its messages show why.
        async let pushing: Void = Blocking.run { _ in
            while let sample = source.next() {
                guard let shown = source.time(of: sample) else { continue }
                // The frame that is on screen at the beginning may have begun before.
                guard shown + (sample.duration ?? .zero) > start else { continue }
                let time = max(.zero, shown - start)
                guard time < length, input.push(sample, at: time) == .ok else { break }
            }
            input.endOfStream()
        }
        let failure = await Self.failure(of: encoder)
        // This also releases a frame that is stuck on its way.
        await encoder.stop()
        try await pushing
        await source.close()
        if let failure { throw failure }
        // A file that was truncated meanwhile plays to its new end without an error.
        if let change = source.file?.change(), !change.isGrowth {
            throw FramegrepError(.sourceDamaged, change.sentence)
        }
    }

    /// Waits until everything is written; returns the reason it could not be.
    private static func failure(of encoder: Pipeline) async -> FramegrepError? {
        for await message in encoder.bus.messages {
            switch message {
            case .endOfStream: return nil
            case .error(let report): return report.error
            default: continue
            }
        }
        return nil
    }

    /// Returns an encoder with even sizes, as encoders require, and a key frame each second, so that a jump in the clip
    /// is quick.
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
