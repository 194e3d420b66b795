import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import TextSpotting
import Threads

/// The process that decodes: reads jobs from its standard input, writes what comes of them to its standard output, and ends with
/// its input, so that none outlives the server.
public enum MediaWorker {
    /// - Parameter work: its purpose; an unknown one ends it with 2.
    public static func main(_ work: String) async -> Never {
        // Our own ways; what libraries write to the standard streams gets lost.
        let (input, output) = (fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10))
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(nowhere, stream) }
        limit()
        do {
            // A file leads to files only, as in a search.
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

    /// A damaged recording may ask for more than there is.
    private static func limit() {
        var memory = rlimit(rlim_cur: 6 << 30, rlim_max: 6 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        var files = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &files)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    }

    // MARK: Pictures

    /// For each line one answer: a ``PictureHead``, and the bytes of a picture or of a sentence.
    private static func makePictures(_ input: Int32, _ output: Int32) async throws {
        let lines = LineReader(input)
        var source: FrameSource?
        while let line = try await Blocking.run({ _ in lines.next() }) {
            let job = try JSONDecoder().decode(MediaJob.self, from: Data(line))
            do {
                // The next picture is often one of the same recording, which is open then; a still is shown once.
                if let open = source, open.path != job.path || job.time == nil {
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
        // A process that is started before its clip is known waits here, and gets ready meanwhile.
        if !PipeBytes.isReadable(input) { ClipWriter.warmUp() }
        guard let line = try await Blocking.run({ _ in lines.next() }) else { return }
        let job = try JSONDecoder().decode(MediaJob.self, from: Data(line))
        // The server has closed its end, or is gone.
        try DedicatedThread.start(named: "server is there") {
            _ = lines.next()
            _exit(0)
        }
        try await ClipWriter(job: job, output: output).run()
    }
}
