public import TextSpotting
import Threads
import Vision

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
        let size = DetectionSize(forWidth: width, height: height, side: side)
        Task { [threads, models] in
            _ = try? await threads.run { _, _ in _ = try models.model(width: size.width, height: size.height) }
        }
    }

    public func detect(in picture: Picture) async throws -> [TextRegion] {
        guard picture.width > 0, picture.height > 0 else { return [] }
        let size = DetectionSize(forWidth: picture.width, height: picture.height, side: side)
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
                scaleY: Double(picture.height) / Double(size.height))
        }
        return ReadingOrder.sorted(found[0], by: \.quad)
    }
}
