import Errors
import GStreamerMedia
import Spotter
import TextSpotting

/// A recording from which frames are taken at requested times, in the process that decodes.
final class FrameSource: Sendable {
    let path: String
    /// The state of the file before it was read.
    let file: SourceFile?
    private let pipeline: Pipeline
    private let sink: AppSink
    private let start: StreamStart
    /// Whether it is an MP4 in fragments.
    private let isFragmented: Bool
    private let pictures = PictureConverter()

    /// Opens a recording and decodes its first frame.
    static func open(_ path: String) async throws -> FrameSource {
        let uri = try SourceURI(path)
        let file = SourceFile(path: path)
        let pipeline = try Pipeline(parsing: SourceDescription.search(uri, OpenedSource.manner(of: uri)))
        do {
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            try sink.configure(maxBuffers: 2, drop: false, sync: false)
            _ = try await pipeline.prepare(timeout: .seconds(8))
            return FrameSource(path: path, file: file, pipeline: pipeline, sink: sink)
        } catch {
            await pipeline.stop(within: .seconds(1))
            throw error
        }
    }

    private init(path: String, file: SourceFile?, pipeline: Pipeline, sink: AppSink) {
        self.path = path
        self.file = file
        self.pipeline = pipeline
        self.sink = sink
        start = StreamStart(of: pipeline, at: sink)
        isFragmented = MediaProbe.isFragmented(path)
    }

    /// Returns whether a picture can be taken without opening the recording again: its file is still the one that is
    /// open, which may have been replaced. A still is shown once.
    func hasPicture(of job: MediaJob) -> Bool {
        job.time != nil && ExactName(path) == ExactName(job.path) && file?.change() == nil
    }

    func close() async { await pipeline.stop(within: .seconds(1)) }

    /// Moves to the frame that is on screen at a time.
    ///
    /// If a seek leads to earlier frames (``StreamStart``), these are skipped.
    ///
    /// In a fragmented MP4, the first fragment is played from its beginning: after a seek back into it, GStreamer
    /// (1.22) counts from when its first picture is shown instead of when it is decoded, so that every frame would be
    /// reported too late by the frames between.
    ///
    /// - Returns: that frame; nil if the recording cannot be moved, or ends before it.
    func frame(at seconds: Double) async throws -> Sample? {
        // Times are printed in microseconds: rounded down, they would name the frame before.
        let time = StreamTime(seconds: seconds) + Self.nudge
        let wanted = time + start.origin
        if isFragmented, wanted < Self.firstFragment, let played = try await Self.played(path, until: wanted) {
            return played
        }
        guard let sample = await start.firstFrame(at: time) else { return sink.firstSample() }
        let begin = sample.streamTime ?? wanted
        if begin + (sample.duration ?? Self.usualDuration) > wanted { return sample }
        if let later = try await pass(until: wanted) { return later }
        return sample
    }

    /// Plays a recording from its beginning to the frame that is on screen at a time.
    private static func played(_ path: String, until wanted: StreamTime) async throws -> Sample? {
        let fresh = try await open(path)
        do {
            let sample = try await fresh.pass(until: wanted)
            await fresh.close()
            return sample
        } catch {
            await fresh.close()
            throw error
        }
    }

    /// Continues to play to the frame that is on screen at a time.
    private func pass(until wanted: StreamTime) async throws -> Sample? {
        try await pipeline.play()
        let frame = try await Blocking.run { [self] _ -> Frame? in
            let end = ContinuousClock.now + .seconds(8)
            while ContinuousClock.now < end, let sample = next() {
                let start = sample.streamTime ?? wanted
                let over = start + (sample.duration ?? Self.usualDuration)
                if over > wanted { return Frame(sample: sample.retained()) }
            }
            return nil
        }
        try await pipeline.pause()
        return frame?.sample.retained()
    }

    /// A sample that is passed from one thread to another.
    private final class Frame: Sendable {
        let sample: Sample
        init(sample: consuming Sample) { self.sample = sample }
    }

    private static let nudge = StreamTime(nanoseconds: 1_000_000)
    /// The longest first fragment: by default, encoders write a key frame after ten seconds at the latest, and a
    /// fragment begins with it.
    private static let firstFragment = StreamTime(nanoseconds: 12_000_000_000)
    /// The duration of a frame that does not state one.
    private static let usualDuration = StreamTime(nanoseconds: 40_000_000)

    /// Returns the frame that is shown before any move.
    func firstFrame() -> Sample? { sink.firstSample() }

    /// Returns a frame from which pictures can be made.
    func shown(_ sample: consuming Sample?) throws -> ShownFrame {
        guard let sample, let info = sample.info else {
            throw FramegrepError(.sourceDamaged, "The recording shows no picture at this time.")
        }
        return ShownFrame(sample: sample, info: info, pictures: pictures)
    }

    /// Returns the time at which a frame is shown, as players count; nil for one without a time.
    func time(of sample: borrowing Sample) -> StreamTime? { sample.streamTime.map { $0 - start.origin } }

    func play() async throws { try await pipeline.play() }

    /// Returns the next frame while it plays; nil at the end.
    func next() -> Sample? {
        while true {
            switch sink.pull(timeout: .seconds(5)) {
            case .sample(let sample): return sample
            case .endOfStream: return nil
            case .timedOut: return nil
            }
        }
    }
}

/// A frame as displayed, from which pictures are made.
struct ShownFrame: ~Copyable {
    let sample: Sample
    let info: VideoInfo
    let pictures: PictureConverter

    /// The ratio of width to height of its pixels.
    private var aspect: Double { info.pixelAspectRatio.pixelAspect }

    /// The size to which places of sightings refer: non-square pixels change the width.
    var width: Int { Int((Double(info.width) * aspect).rounded()) }
    var height: Int { info.height }

    /// Returns the size of a picture of the whole frame as displayed, not wider than `width`.
    func size(width: Int) -> (width: Int, height: Int) {
        Self.scaled(whole, toWidth: width).size
    }

    /// The whole frame as displayed.
    private var whole: Rect { Rect(x: 0, y: 0, width: Double(width), height: Double(height)) }

    /// Returns the size to which a part is scaled so that it is no wider than `width`, in whole pixels and at least
    /// one, and the factor.
    private static func scaled(_ part: Rect, toWidth width: Int) -> (size: (width: Int, height: Int), scale: Double) {
        let scale = min(1, Double(width) / part.width)
        func pixels(_ length: Double) -> Int { max(1, Int((length * scale).rounded())) }
        return ((pixels(part.width), pixels(part.height)), scale)
    }

    /// Returns the whole frame, or the surroundings of a place, not wider than `width`.
    ///
    /// - Parameters:
    ///   - quad: the place, as displayed; nil for none.
    ///   - line: the whole line that contains it, in which case only its surroundings are shown; nil for the whole
    ///     frame.
    func picture(width: Int, around quad: Quad?, in line: Quad?) throws -> (picture: Picture, quad: Quad?) {
        let part =
            quad.flatMap { quad in
                line.map { Self.surroundings(of: quad.bounds, in: whole, line: $0.bounds) }
            } ?? whole
        let (size, scale) = Self.scaled(part, toWidth: width)
        let stored = Rect(x: part.x / aspect, y: part.y, width: part.width / aspect, height: part.height)
        let picture = try pictures.picture(from: sample, format: .rgb, size: size, region: stored)
        return (picture, quad?.moved(by: Point(-part.x, -part.y)).scaled(x: scale, y: scale))
    }

    /// Returns a part in the shape of the page's small pictures, large enough to show where the words are and to read
    /// them.
    ///
    /// - Parameter line: the line that contains the place, which is shown completely unless the words became too small.
    static func surroundings(of place: Rect, in whole: Rect, line: Rect? = nil) -> Rect {
        let shape = 16.0 / 9
        var (place, least) = (place, place.width * 2)
        if let line, line.width <= max(place.width * 3, whole.width * 0.5) { (place, least) = (line, line.width * 1.2) }
        let wanted = max(least, place.height * 3.2 * shape, whole.width * 0.3)
        let width = min(wanted, whole.width, max(whole.height * shape, place.width))
        let height = min(width / shape, whole.height)
        func begin(_ center: Double, _ length: Double, _ limit: Double) -> Double {
            min(max(0, center - length / 2), limit - length)
        }
        return Rect(
            x: begin(place.x + place.width / 2, width, whole.width),
            y: begin(place.y + place.height / 2, height, whole.height), width: width, height: height)
    }
}
