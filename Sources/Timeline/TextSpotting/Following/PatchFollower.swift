/// Finds a ``TextPatch`` in neighboring frames as long as it keeps its shape and moves by whole pixels.
///
/// Suited to text that stands still, pans or scrolls. Text that turns or grows is followed only while the patch still
/// resembles it; the next reading renews the patch.
public struct PatchFollower: Sendable {
    /// The place of the text in one frame, and how much the picture there resembles the patch.
    public struct Position: Sendable {
        /// The movement since the patch was taken, in whole pixels.
        public var dx: Int
        public var dy: Int
        public var similarity: TextPatch.Similarity
    }

    /// The distance from the predicted place that is searched, in pixels of the thumbnail.
    public var reach = 24
    /// The number of consecutive frames that may fail to show the text (a compression artifact, a flicker) before it
    /// counts as gone.
    public var toleratedGap = 2

    public init() {}

    /// Follows `patch` through `frames`, nearest first, until it is lost or they end.
    ///
    /// - Parameter start: the movement of the patch just before the first of them, in whole pixels since it was taken.
    /// - Returns: a position for each frame up to the last that shows the text; nil for single frames that did not.
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
            // Text that stood still and is suddenly elsewhere must look the same, because other lines resemble it too.
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

    /// Returns the most similar place around `predicted`; the whole range is only searched if the prediction fails.
    public func locate(_ patch: TextPatch, in picture: Picture, near predicted: (dx: Int, dy: Int)) -> Position? {
        if let there = patch.similarity(in: picture, movedBy: predicted.dx, predicted.dy), there.mean >= 0.9,
            there.isSame
        {
            return Position(dx: predicted.dx, dy: predicted.dy, similarity: there)
        }
        // Steady movement is off by a pixel or two, and searching everywhere takes a hundred times as long.
        if let near = best(patch, in: picture, near: predicted, reach: min(reach, Self.nearReach)),
            near.similarity.mean >= 0.8, near.similarity.isSame
        {
            return near
        }
        return best(patch, in: picture, near: predicted, reach: reach)
    }

    private static let nearReach = 3
    /// The least correlation of a text that jumped, as terminals scroll, between two frames of one encoder.
    private static let sureMean = 0.85

    /// Returns the most similar place within `reach` of `predicted`, found with a few samples and refined with all.
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

/// The recent frames as thumbnails, in which the words of a reading can be followed back to the frame where they first
/// appeared and forward to the frame where they were last seen.
///
/// Frames that repeat the one before share its bytes, so a still picture costs nothing to keep.
public struct FrameHistory: Sendable {
    /// A kept frame: its time and its thumbnail.
    public struct Frame: Sendable {
        public let time: FrameTime
        /// The luma picture, smaller than the frame by a factor that stays the same for the stream.
        public let picture: Picture

        public init(time: FrameTime, picture: Picture) {
            self.time = time
            self.picture = picture
        }
    }

    /// The kept frames, oldest first and consecutive.
    public private(set) var frames: [Frame] = []
    private let byteLimit: Int
    private let countLimit = 2048
    private var distinctBytes = 0

    /// - Parameter byteLimit: the memory that the pictures may take before the oldest are discarded.
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

    /// Returns the size of the pictures of consecutive frames in bytes, with each run of repeats counted once.
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

/// Some pixels of a patch, prepared for comparison with a picture at many offsets.
struct SoughtSamples {
    /// Sums over the samples that lie inside the picture.
    struct Sums {
        var values: Float = 0
        var squares: Float = 0
        /// The sum of the products of the picture's pixels and the samples' deviations from their mean.
        var products: Float = 0
        var inside: Float = 0
    }

    private struct Sample {
        var x: Int32
        var y: Int32
        /// The position of the pixel in the picture if nothing moves.
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

    /// - Parameter samples: the position of each, and its deviation from their mean.
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

    /// Returns the sums with the samples moved by an offset, always added up in the same order.
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
