public import GStreamerMedia
public import TextSpotting

/// A checksum of each picture of a copy, by which another encoding of the same recording is compared with it: a picture
/// that is the same to the last bit does not have to be searched twice.
///
/// A value. Checksums are comparable only within one run of the program.
public struct CopySums: Sendable {
    private struct Frame: Sendable {
        let time: FrameTime
        let sum: Int
    }

    private let frames: [Frame]

    /// The time before and after a picture that differs that is searched too: it may show the same text.
    private static let margin = StreamTime(seconds: 0.5)

    /// Plays a copy.
    ///
    /// - Parameter delay: how much later the copy shows the same frame than the recording, whose times count.
    /// - Returns: nil if it cannot be played to its end.
    /// - Throws: `FramegrepError` if it cannot be opened; `CancellationError`.
    public init?(of copy: OpenedSource, later delay: StreamTime) async throws {
        let frames = try await FramePull.play(copy, threadNamed: "framegrep-sums") { pull, origin -> [Frame]? in
            let converter = PictureConverter()
            var clock = FrameClock(origin: origin + delay)
            var frames: [Frame] = []
            while let sample = pull.next() {
                let picture = try converter.picture(from: sample, format: .rgb)
                frames.append(Frame(time: clock.time(of: sample), sum: picture.checksum))
            }
            return pull.isComplete && !pull.hasFailed ? frames : nil
        }
        guard let frames else { return nil }
        self.frames = frames
    }

    /// - Parameter pictures: the pictures and their times, in order.
    init(_ pictures: [(time: FrameTime, picture: Picture)]) {
        frames = pictures.map { Frame(time: $0.time, sum: $0.picture.checksum) }
    }

    /// Returns the times in which pictures differ from those of another encoding; nil if the two cannot be compared,
    /// because they do not have the same frames.
    public func differences(from other: CopySums) -> [Range<StreamTime>]? {
        guard frames.count == other.frames.count,
            zip(frames, other.frames).allSatisfy({ $0.time == $1.time })
        else { return nil }
        let times = zip(frames, other.frames).filter { $0.sum != $1.sum }.map { frame, _ in
            max(.zero, frame.time.start - Self.margin)..<(frame.time.end + Self.margin)
        }
        return StreamTime.united(times)
    }
}
