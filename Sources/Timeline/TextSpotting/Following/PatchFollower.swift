/// Finds a ``TextPatch`` again in neighboring frames, as long as it keeps its shape and moves by whole pixels.
///
/// Good for text that stands, pans or scrolls; text that turns or grows is followed only as far as the patch still
/// resembles it, which the next reading renews.
public struct PatchFollower: Sendable {
    /// Where the text is in one frame, and how much the picture there resembles the patch.
    public struct Position: Sendable {
        /// Whole pixels moved since the patch was taken.
        public var dx: Int
        public var dy: Int
        public var similarity: TextPatch.Similarity
    }

    /// How far from the predicted place it looks, in pixels of the thumbnail.
    public var reach = 24
    /// This many frames in a row may fail to show the text (a compression artifact, a flicker) before it counts as gone.
    public var toleratedGap = 2

    public init() {}

    /// Follows `patch` through `frames`, nearest first, until it is lost or they end.
    ///
    /// - Parameter start: where the patch is just before the first of them, as whole pixels moved since it was taken.
    /// - Returns: a position for each frame up to the last that shows the text; nil if a single frame did not.
    public func follow(
        _ patch: TextPatch, through frames: some Sequence<FrameHistory.Frame>, from start: (dx: Int, dy: Int) = (0, 0)
    ) -> [Position?] {
        var positions: [Position?] = []
        var last = start
        var velocity = (dx: 0, dy: 0)
        var gap = 0
        var stood = true
        var previous: (picture: Picture, position: Position)?
        for frame in frames {
            if let previous, previous.picture.sharesBytes(with: frame.picture), gap == 0, velocity == (0, 0) {
                positions.append(previous.position)
                continue
            }
            let found = locate(patch, in: frame.picture, near: (last.dx + velocity.dx, last.dy + velocity.dy))
            // Text that stood still and is suddenly elsewhere is the same only if it looks the same: other lines resemble it, too.
            let isJump =
                found.map { max(abs($0.dx - last.dx), abs($0.dy - last.dy)) > Self.nearReach } ?? false && stood
            if let found, found.similarity.isSame, !isJump || found.similarity.mean >= Self.sureMean {
                stood = (found.dx, found.dy) == last
                positions.append(found)
                if gap == 0 { velocity = (found.dx - last.dx, found.dy - last.dy) }
                last = (found.dx, found.dy)
                gap = 0
                previous = (frame.picture, found)
            } else {
                gap += 1
                if gap > toleratedGap { break }
                positions.append(nil)
                last = (last.dx + velocity.dx, last.dy + velocity.dy)
            }
        }
        while let tail = positions.last, tail == nil { positions.removeLast() }
        return positions
    }

    /// The most similar place around `predicted`, looking closely only where the prediction fails.
    public func locate(_ patch: TextPatch, in picture: Picture, near predicted: (dx: Int, dy: Int)) -> Position? {
        if let there = patch.similarity(in: picture, movedBy: predicted.dx, predicted.dy), there.mean >= 0.9,
            there.isSame
        {
            return Position(dx: predicted.dx, dy: predicted.dy, similarity: there)
        }
        // Steady movement is off by a pixel or two: looking everywhere is a hundred times the work.
        if let near = best(patch, in: picture, near: predicted, reach: min(reach, Self.nearReach)),
            near.similarity.mean >= 0.8, near.similarity.isSame
        {
            return near
        }
        return best(patch, in: picture, near: predicted, reach: reach)
    }

    private static let nearReach = 3
    /// Of a text that jumped, as terminals scroll, between two frames of one encoder.
    private static let sureMean = 0.85

    /// The most similar place no further than `reach` from `predicted`, found by a few samples and refined by all.
    private func best(
        _ patch: TextPatch, in picture: Picture, near predicted: (dx: Int, dy: Int), reach: Int
    ) -> Position? {
        guard let coarse = patch.bestOffset(in: picture, near: predicted, reach: reach) else { return nil }
        var best: Position?
        for dy in (coarse.dy - 1)...(coarse.dy + 1) {
            for dx in (coarse.dx - 1)...(coarse.dx + 1) {
                guard let similarity = patch.similarity(in: picture, movedBy: dx, dy) else { continue }
                if similarity.mean > best?.similarity.mean ?? -2 {
                    best = Position(dx: dx, dy: dy, similarity: similarity)
                }
            }
        }
        return best
    }
}

/// The recent frames as thumbnails, so that what a reading found can be followed back to the frame where it
/// first showed and on to the frame where it was last seen.
///
/// Frames that repeat the one before share its bytes, so a still picture costs nothing to keep.
public struct FrameHistory: Sendable {
    /// A frame as it is kept: its time and its thumbnail.
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

/// Some pixels of a patch, to be compared with a picture at many offsets.
struct SoughtSamples {
    /// Sums over the samples that lie inside the picture.
    struct Sums {
        var values: Float = 0
        var squares: Float = 0
        /// Of the picture's pixels with the samples' differences from their mean.
        var products: Float = 0
        var inside: Float = 0
    }

    private struct Sample {
        var x: Int32
        var y: Int32
        /// Where the pixel is in the picture when nothing is moved.
        var place: Int32
        var difference: Float
    }

    private let samples: [Sample]
    private let width: Int32
    private let height: Int32
    /// The bounds of the samples.
    private let left: Int32
    private let right: Int32
    private let top: Int32
    private let bottom: Int32

    /// - Parameter samples: where each is, and by how much it differs from their mean.
    init(_ samples: [(x: Int32, y: Int32, difference: Float)], in picture: Picture) {
        width = Int32(picture.width)
        height = Int32(picture.height)
        self.samples = samples.map { [width] in
            Sample(x: $0.x, y: $0.y, place: $0.y &* width &+ $0.x, difference: $0.difference)
        }
        left = samples.map(\.x).min() ?? 0
        right = samples.map(\.x).max() ?? 0
        top = samples.map(\.y).min() ?? 0
        bottom = samples.map(\.y).max() ?? 0
    }

    /// The sums where the samples are moved by an offset, always added up in the same order.
    func sums(movedBy dx: Int32, _ dy: Int32, _ pixels: UnsafeBufferPointer<UInt8>) -> Sums {
        var sums = Sums()
        let isInside = left &+ dx >= 0 && right &+ dx < width && top &+ dy >= 0 && bottom &+ dy < height
        let offset = dy &* width &+ dx
        for sample in samples {
            if !isInside {
                let (x, y) = (sample.x &+ dx, sample.y &+ dy)
                guard x >= 0, y >= 0, x < width, y < height else { continue }
            }
            let value = Float(pixels[Int(sample.place &+ offset)])
            sums.values += value
            sums.squares += value * value
            sums.products += value * sample.difference
            sums.inside += 1
        }
        return sums
    }
}
