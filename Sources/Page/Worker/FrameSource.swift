import Errors
import GStreamerMedia
import Spotter
import TextSpotting

/// A recording from which frames are taken at wanted times, in the process that decodes.
final class FrameSource: Sendable {
    let path: String
    private let pipeline: Pipeline
    private let sink: AppSink
    /// The source's time at which players begin with 0; see `StreamOrigin` of the search, which counts likewise.
    private let origin: StreamTime
    /// An MP4 in fragments.
    private let isFragmented: Bool
    private let pictures = PictureConverter()

    /// Opens it and decodes its first frame.
    static func open(_ path: String) async throws -> FrameSource {
        let uri = try SourceURI(path)
        let pipeline = try Pipeline(parsing: SourceDescription.search(uri, OpenedSource.manner(of: uri)))
        do {
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            try sink.configure(maxBuffers: 2, drop: false, sync: false)
            _ = try await pipeline.prepare(timeout: .seconds(8))
            let countsLate = pipeline.hasElement(ofAnyKind: ["tsdemux", "mpegpsdemux"])
            let origin = countsLate ? sink.firstSample()?.streamTime ?? .zero : .zero
            return FrameSource(path: path, pipeline: pipeline, sink: sink, origin: origin)
        } catch {
            await pipeline.stop(within: .seconds(1))
            throw error
        }
    }

    private init(path: String, pipeline: Pipeline, sink: AppSink, origin: StreamTime) {
        self.path = path
        self.pipeline = pipeline
        self.sink = sink
        self.origin = origin
        isFragmented = MediaProbe.isFragmented(path)
    }

    func close() async { await pipeline.stop(within: .seconds(1)) }

    /// Moves to the frame that is on screen at a time.
    ///
    /// A seek of some containers (MPEG program streams) lands some frames off: then it begins earlier, and frames are passed over.
    ///
    /// In an MP4 in fragments the way to the first of them is played: after a seek back into it, GStreamer (1.22) counts from when its
    /// first picture is shown and not from when it is decoded, so that each frame is called later than it is by the frames between.
    ///
    /// - Returns: that frame; nil if the recording cannot be moved, or ends before.
    func frame(at seconds: Double) async throws -> Sample? {
        // Times are printed in microseconds: rounded down, they would name the frame before.
        let wanted = StreamTime(seconds: seconds) + Self.nudge + origin
        if isFragmented, wanted < Self.firstFragment, let played = try await Self.played(path, until: wanted) {
            return played
        }
        for early in [StreamTime.zero, Self.detour, wanted] {
            // Near the end of such a container it may find nothing at all.
            guard await pipeline.seek(to: max(.zero, wanted - early), accurate: true) else { continue }
            guard let sample = sink.firstSample() else { continue }
            let start = sample.streamTime ?? wanted
            if start > wanted, wanted - early > .zero { continue }
            let duration = sample.duration ?? Self.usualDuration
            if start + duration > wanted { return sample }
            if let later = try await pass(until: wanted) { return later }
            return sample
        }
        return sink.firstSample()
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

    /// Plays on to the frame that is on screen at a time.
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

    /// A sample that is handed from one thread to another.
    private final class Frame: Sendable {
        let sample: Sample
        init(sample: consuming Sample) { self.sample = sample }
    }

    private static let nudge = StreamTime(nanoseconds: 1_000_000)
    /// Encoders begin anew after ten seconds at the latest by default, and a fragment with them.
    private static let firstFragment = StreamTime(nanoseconds: 12_000_000_000)
    private static let detour = StreamTime(nanoseconds: 3_000_000_000)
    /// Of a frame that does not say.
    private static let usualDuration = StreamTime(nanoseconds: 40_000_000)

    /// The frame that is shown before it was moved.
    func firstFrame() -> Sample? { sink.firstSample() }

    /// A frame of which pictures can be made.
    func shown(_ sample: consuming Sample?) throws -> ShownFrame {
        guard let sample, let info = sample.info else {
            throw FramegrepError(.sourceDamaged, "The recording shows no picture at this time.")
        }
        return ShownFrame(sample: sample, info: info, pictures: pictures)
    }

    /// When a frame is shown, as players count; nil for one without a time.
    func time(of sample: borrowing Sample) -> StreamTime? { sample.streamTime.map { $0 - origin } }

    func play() async throws { try await pipeline.play() }

    /// The next frame while it plays; nil at the end.
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
