import TextSpotting
import Vision

/// From the areas of the detector's map to the places of lines.
enum TextBoxes {
    /// Where the map is above this, there may be text. This and the next two are what the networks' authors publish with
    /// them; they find four fifths of the lines that DBNet's own 0.3, 0.6 and 1.5 miss (docs/NEURAL.md).
    static let threshold: Float = 0.2
    /// The least mean of the map inside a rectangle for it to be a line.
    static let leastScore = 0.4
    /// How far a rectangle is grown: the network marks a line's core only, and DBNet grows it by
    /// `area * ratio / perimeter` on each side (arXiv:1911.08947, section 3.5).
    static let growth = 1.4
    /// Areas thinner than this, in pixels of the map, are specks.
    static let smallestBlob = 3.0

    /// The lines in pixels of the picture, whose pixels are `scaleX` × `scaleY` times as small as the map's.
    static func regions(of blobs: [MapBlob], scaleX: Double, scaleY: Double) -> [TextRegion] {
        blobs.compactMap { blob in
            guard blob.score >= leastScore else { return nil }
            let margin = blob.length * blob.breadth * growth / (2 * (blob.length + blob.breadth))
            return TextRegion(quad: blob.quad(grownBy: margin).scaled(x: scaleX, y: scaleY), score: blob.score)
        }
    }
}
