/// The recent frames as thumbnails, so that what a reading found can be followed back to the frame where it
/// first showed and on to the frame where it was last seen.
///
/// Frames that repeat the one before share its bytes, so a still picture costs nothing to keep.
public struct FrameHistory: Sendable {
    public struct Frame: Sendable {
        public let time: FrameTime
        /// Luma, smaller than the frame by a factor that stays the same for the stream.
        public let picture: Picture

        public init(time: FrameTime, picture: Picture) {
            self.time = time
            self.picture = picture
        }
    }

    /// Oldest first, consecutive.
    public private(set) var frames: [Frame] = []
    private let byteLimit: Int
    private let countLimit = 2048
    private var distinctBytes = 0

    /// - Parameter byteLimit: how much memory the pictures may take before the oldest are forgotten.
    public init(byteLimit: Int = 32 << 20) {
        self.byteLimit = byteLimit
    }

    public var isEmpty: Bool { frames.isEmpty }

    /// Adds the next frame.
    public mutating func append(_ frame: Frame) {
        if frames.last?.picture.sharesBytes(with: frame.picture) != true { distinctBytes += frame.picture.bytes.count }
        frames.append(frame)
        var forgotten = 0
        while frames.count - forgotten > 1, distinctBytes > byteLimit || frames.count - forgotten > countLimit {
            let oldest = frames[forgotten].picture
            forgotten += 1
            if !frames[forgotten].picture.sharesBytes(with: oldest) { distinctBytes -= oldest.bytes.count }
        }
        frames.removeFirst(forgotten)
    }

    /// The size of the pictures of consecutive frames in bytes, each run of repeats counted once.
    public static func distinctBytes(of frames: [Frame]) -> Int {
        guard var last = frames.first?.picture else { return 0 }
        var total = last.bytes.count
        for frame in frames.dropFirst() where !frame.picture.sharesBytes(with: last) {
            last = frame.picture
            total += last.bytes.count
        }
        return total
    }
}
