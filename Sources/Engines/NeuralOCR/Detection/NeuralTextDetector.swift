public import TextSpotting
import Threads

/// PP-OCRv6's detector: a network that gives each pixel the probability of being text (DBNet, Liao et al. 2020,
/// arXiv:1911.08947), and the rectangles around what is probable.
public struct NeuralTextDetector: TextDetector {
    /// The normalization that the network was trained with: the mean and deviation of ImageNet's pictures.
    static let normalization = Normalization(mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225])

    let models: CompiledModels
    let runsAlone: Bool
    let side: Int?
    let threads: WorkerPool<Void>

    public var pictureFormat: Picture.Format { .rgb }

    public func prepare(forWidth width: Int, height: Int) {
        guard width > 0, height > 0 else { return }
        let margin = DetectionSize.margin(ofWidth: width, height: height, side: side)
        let size = DetectionSize(forWidth: width + 2 * margin.x, height: height + 2 * margin.y, side: side)
        Task { [threads, models] in
            _ = try? await threads.run { _, _ in _ = try models.model(width: size.width, height: size.height) }
        }
    }

    public func detect(in picture: Picture) async throws -> [TextRegion] {
        let margin = DetectionSize.margin(ofWidth: picture.width, height: picture.height, side: side)
        let wide = margin == (0, 0) ? picture : picture.repeatingEdges(x: margin.x, y: margin.y)
        let regions = try await detect(in: wide, DetectionSize(forWidth: wide.width, height: wide.height, side: side))
        return regions.map { region in
            var region = region
            region.quad = region.quad.moved(by: Point(Double(-margin.x), Double(-margin.y)))
            return region
        }
    }

    public func detect(in picture: Picture, atWidth width: Int, height: Int) async throws -> [TextRegion] {
        try await detect(in: picture, DetectionSize(width: width, height: height))
    }

    private func detect(in picture: Picture, _ size: DetectionSize) async throws -> [TextRegion] {
        guard picture.width > 0, picture.height > 0 else { return [] }
        let models = models
        let found = try await threads.run(pieces: 1, alone: runsAlone) { _, _, cancellation in
            let blobs = try models.model(width: size.width, height: size.height).run(width: size.width, cancellation) {
                try picture.write(scaledToWidth: size.width, height: size.height, Self.normalization, into: $0)
            } _: { map in
                try MapBlob.find(
                    in: map.values, width: size.width, height: size.height, above: TextBoxes.threshold,
                    smallest: TextBoxes.smallestBlob)
            }
            return TextBoxes.regions(
                of: blobs, scaleX: Double(picture.width) / Double(size.width),
                scaleY: Double(picture.height) / Double(size.height)
            ).flatMap { $0.apartFromBoxes(in: picture) }
        }
        return ReadingOrder.sorted(found[0], by: \.quad)
    }
}

/// Converts the areas of the detector's map to the places of lines.
enum TextBoxes {
    /// The value of the map above which there may be text. This and the next two are the values that the networks'
    /// authors publish with them; they find four fifths of the lines that DBNet's own 0.3, 0.6 and 1.5 miss
    /// (docs/decisions/networks.md).
    static let threshold: Float = 0.2
    /// The least mean of the map inside a rectangle for it to be a line.
    static let leastScore = 0.4
    /// The factor by which a rectangle is grown: the network marks only the core of a line, and DBNet grows it by `area
    /// * ratio / perimeter` on each side (arXiv:1911.08947, section 3.5).
    static let growth = 1.4
    /// Areas thinner than this, in pixels of the map, are specks.
    static let smallestBlob = 3.0

    /// Returns the lines in pixels of the picture, whose pixels are `scaleX` × `scaleY` times as small as the map's.
    static func regions(of blobs: [MapBlob], scaleX: Double, scaleY: Double) -> [TextRegion] {
        blobs.compactMap { blob in
            guard blob.score >= leastScore else { return nil }
            let margin = blob.length * blob.breadth * growth / (2 * (blob.length + blob.breadth))
            return TextRegion(quad: blob.quad(grownBy: margin).scaled(x: scaleX, y: scaleY), score: blob.score)
        }
    }
}

/// The size to which a picture is scaled for the detector: both sides are multiples of 32, as the network requires.
public struct DetectionSize: Hashable, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// The longer side chosen for a picture of this size when the user names none: pictures up to 960 pixels keep their
    /// size, larger ones are brought down to two thirds of it, but not below 960 or above 1920.
    ///
    /// The network finds lines best when their letters are some 7 to 20 pixels high; enlarging found nothing more, and
    /// two thirds of a screen's size finds as much as the whole in half the time (docs/decisions/networks.md).
    public static func defaultSide(width: Int, height: Int) -> Int {
        let longer = max(width, height)
        return min(longer, max(960, min(1920, longer * 2 / 3)))
    }

    /// The least side: in anything smaller the network finds hardly any text, because its coarsest map would be one row
    /// or column.
    static let least = 64

    /// Returns the margins to add on the left and on the right, above and below, in pixels of the picture, to make it
    /// large enough.
    ///
    /// - Parameter side: as in ``init(forWidth:height:side:)``.
    static func margin(ofWidth width: Int, height: Int, side: Int? = nil) -> (x: Int, y: Int) {
        let size = DetectionSize(forWidth: width, height: height, side: side)
        let scale = Double(side ?? defaultSide(width: width, height: height)) / Double(max(1, width, height))
        func margin(_ length: Int, _ fitted: Int) -> Int {
            fitted >= least ? 0 : max(0, Int(((Double(least) / scale - Double(length)) / 2).rounded(.up)))
        }
        return (margin(width, size.width), margin(height, size.height))
    }

    /// Creates a given size, with each side rounded up to a multiple that the network accepts.
    init(width: Int, height: Int) {
        func fitted(_ length: Int) -> Int { max(1, (length + 31) / 32) * 32 }
        (self.width, self.height) = (fitted(width), fitted(height))
    }

    /// - Parameter side: the wanted length of the longer side; nil for ``defaultSide(width:height:)``.
    public init(forWidth width: Int, height: Int, side: Int? = nil) {
        let longer = Double(max(1, width, height))
        let side = Double(side ?? Self.defaultSide(width: width, height: height))
        func fitted(_ length: Int) -> Int { max(1, Int((Double(length) * side / longer / 32).rounded())) * 32 }
        self.width = fitted(width)
        self.height = fitted(height)
    }
}
